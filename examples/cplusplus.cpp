// C++11: std::vector and std::complex in, std::string out, errors as exceptions. std::complex<double> is laid out as
// perm.h wants complex numbers.
// Build:  c++ -O2 -I.. cplusplus.cpp -o cplusplus
#define PERM_IMPLEMENTATION
#include "perm.h"
#include <cmath>
#include <complex>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

typedef std::complex<double> complex;

static void check(perm_status status, const perm_result &result)
{
  if (status < 0) // above 0: stopped early, but that was asked for
    throw std::runtime_error(result.message);
}

// Permanent of a square matrix, row by row; precision as in perm.h.
static complex permanent(const std::vector<complex> &a, std::size_t n, perm_precision precision)
{
  if (a.size() != n * n)
    throw std::invalid_argument("the matrix is not square");
  perm_options options = perm_options();
  perm_result r;
  options.precision = precision;
  const double *pairs = reinterpret_cast<const double *>(a.data());
  check(perm_compute_complex(int(n), int(n), pairs, std::ptrdiff_t(n), &options, &r), r);
  return std::ldexp(1.0, int(r.exp2)) * complex(r.value, r.imaginary);
}

// The same of integers, of any size, as decimal digits.
static std::string permanent(const std::vector<std::int64_t> &a, std::size_t n)
{
  if (a.size() != n * n)
    throw std::invalid_argument("the matrix is not square");
  perm_result r;
  char text[PERM_TEXT_BYTES];
  check(perm_compute_integer(int(n), int(n), a.data(), std::ptrdiff_t(n), nullptr, &r), r);
  perm_result_text(&r, text, sizeof text);
  return text;
}

// Jobs are owned by a pointer like others. This one is only asked how it would be done.
static std::string explain(const std::vector<std::int64_t> &a, std::size_t n)
{
  perm_result r;
  perm_job *made = nullptr;
  check(perm_job_integer(int(n), int(n), a.data(), std::ptrdiff_t(n), nullptr, &made, &r), r);
  const std::unique_ptr<perm_job, void (*)(perm_job *)> job(made, perm_job_free);
  std::vector<char> text(perm_job_explain(job.get(), nullptr, 0) + 1);
  perm_job_explain(job.get(), text.data(), text.size());
  return text.data();
}

int main()
try {
  // Schur's matrices: their permanents are integers, 0 for even n (R. L. Graham, D. H. Lehmer, 1976)
  for (std::size_t n = 3; n <= 13; n += 2) {
    std::vector<complex> schur(n * n);
    for (std::size_t i = 0; i < n * n; i++)
      schur[i] = std::polar(1.0, 6.283185307179586477 * double(i / n * (i % n) % n) / double(n));
    std::cout << "Schur " << n << ": " << std::llround(permanent(schur, n, PERM_PRECISION_DD).real()) << "\n";
  }
  const std::vector<std::int64_t> ones(30 * 30, 1);
  std::cout << "30! = " << permanent(ones, 30) << "\n" << explain(ones, 30);
  try {
    permanent(std::vector<complex>(4, std::nan("")), 2, PERM_PRECISION_DEFAULT);
  } catch (const std::runtime_error &error) {
    std::cout << "refused: " << error.what() << "\n";
  }
} catch (const std::exception &error) {
  std::cerr << "cplusplus: " << error.what() << "\n";
  return 1;
}
/* SPDX-License-Identifier: MIT */
