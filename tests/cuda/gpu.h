/* What the tests of GPUs share: the driver or its twin, matrices, calls, options. */

void perm_cuda_test_driver(int devices);
void perm_cuda_test_shared(int bytes);
void perm_cuda_test_card(const int card[5]);
long perm_cuda_test_fault(long calls);
void *perm_cuda_test_resident(void *memory, size_t bytes, void *to);
char *perm_cuda_test_compile_batch(int n, int parts, int floats, int arch, size_t *size, char *message);
unsigned perm_cuda_test_piece(int shares_tasks, double chunks_per_second, unsigned chunks);
void perm_cuda_test_signs_add(int small, const long long *value, unsigned *sum);
char *perm_cuda_test_compile(const perm_gpu_work *work, int arch, size_t *size, char *message);

static int cuda_real_gpus(void)
{
  char message[PERM_MESSAGE_BYTES];
  perm_cuda_test_driver(0);
  return perm_cuda_devices(PERM_ALL_GPUS, message);
}

/* The kinds of matrices: every kernel form comes up. */
enum { CUDA_UNIFORM, CUDA_SIGNED, CUDA_SPARSE, CUDA_ONES, CUDA_INTEGERS, CUDA_WILD, CUDA_HALF_PLAIN, CUDA_KINDS };
static const char *const cuda_kind_name[] = {"uniform", "signed", "sparse", "ones", "integers", "wild", "half plain"};

static void cuda_matrix(int kind, int n, int parts, double *a)
{
  int i, k;
  for (i = 0; i < n * n; i++) {
    int row = i / n, zero = kind == CUDA_SPARSE && i % n != (row + 1) % n && test_uniform() < 0.5;
    if (kind == CUDA_HALF_PLAIN)
      zero = row < n / 2 && i % n < n / 2 && i % n != row;
    for (k = 0; k < parts; k++) {
      double x = test_uniform();
      switch (kind) {
      case CUDA_UNIFORM: break;
      case CUDA_ONES: x = k ? 0 : 1; break;
      case CUDA_INTEGERS: x = test_below(19) - 9; break;
      case CUDA_WILD: x = ldexp(2 * x - 1, test_below(40) - 20); break;
      default: x = 2 * x - 1; break;
      }
      a[i * parts + k] = zero ? 0 : x;
    }
  }
}

static perm_result cuda_compute(int n, int parts, const double *a, const perm_options *options)
{
  perm_result r;
  if (parts == 2)
    perm_compute_complex(n, n, a, n, options, &r);
  else
    perm_compute_real(n, n, a, n, options, &r);
  return r;
}

static perm_result cuda_compute_sparse(const perm_matrix *a, const perm_options *options)
{
  perm_result r;
  perm_compute_sparse(a, options, &r);
  return r;
}

static perm_options cuda_options(int precision, int certify)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_DENSE;
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = PERM_ALL_GPUS;
  options.precision = (perm_precision)precision;
  options.certify = certify;
  options.tolerance = 1; /* nothing is computed again in a higher precision */
  options.gpu.cache = "build/gpu_cache"; /* the driver is opened again and again */
  return options;
}

static int cuda_same_bits(const perm_result *a, const perm_result *b)
{
  return !memcmp(&a->value, &b->value, sizeof a->value) && !memcmp(&a->imaginary, &b->imaginary, sizeof a->value) &&
         !memcmp(&a->error_estimate, &b->error_estimate, sizeof a->value) && a->exp2 == b->exp2 &&
         a->error_bound == b->error_bound;
}

static const perm_precision cuda_precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD, PERM_PRECISION_DEFAULT};
/* SPDX-License-Identifier: MIT */
