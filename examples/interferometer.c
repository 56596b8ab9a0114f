/* Where photons leave an interferometer: all outputs at once. As many enter each input of a three-port Fourier
   interferometer (a tritter). They leave only where s_2 + 2 s_3 is a multiple of 3 (M. C. Tichy et al., Phys. Rev.
   Lett. 104 (2010) 220405), and mostly on a deltoid, the caustic of three waves whose phases are random; photons that
   can be told apart leave as if each were alone.
   Build:  cc -O2 -I.. interferometer.c -o interferometer -lm
   Usage:  interferometer [PICTURE.svg] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm_more.h"

/* The probabilities of all outputs of `each` photons in every input. */
static double *outputs_of(int each, size_t *count, perm_result *result)
{
  const int counts[3] = {each, each, each};
  const perm_outputs outputs = {NULL, NULL, 1, 0, NULL, NULL};
  double u[2 * 9], *chance;
  int k;
  for (k = 0; k < 9; k++) { /* real and imaginary parts in turn */
    u[2 * k] = cos(2.0943951023931955 * (k / 3) * (k % 3)) / sqrt(3);
    u[2 * k + 1] = sin(2.0943951023931955 * (k / 3) * (k % 3)) / sqrt(3);
  }
  perm_amplitudes_count(3, 3 * each, &outputs, count);
  chance = (double *)malloc(*count * sizeof *chance);
  if (!chance || perm_amplitudes_complex(3, 3, u, 3, counts, &outputs, NULL, chance, result) != PERM_OK) {
    fprintf(stderr, "interferometer: %s\n", chance ? result->message : "out of memory");
    exit(1);
  }
  return chance;
}

/* A dot for each output, its area the probability: a triangle whose corners are all photons in one output. */
static void triangle(FILE *file, double left, int photons, size_t count, const double *chance, const char *title)
{
  const double step = 400.0 / photons, height = sqrt(0.75), most = 0.55 * step;
  double largest = 0;
  size_t k;
  int state[3];
  for (k = 0; k < count; k++)
    largest = fmax(largest, chance[k]);
  fprintf(file, "<text x=\"%.0f\" y=\"64\" font-weight=\"bold\" font-size=\"16\" fill=\"#222222\">%s</text>\n"
          "<text x=\"%.0f\" y=\"466\" text-anchor=\"middle\">all in output 1</text>\n"
          "<text x=\"%.0f\" y=\"466\" text-anchor=\"middle\">output 2</text>\n"
          "<text x=\"%.0f\" y=\"102\">output 3</text>\n", left, title, left + 46, left + 430, left + 256);
  fprintf(file, "<path fill=\"none\" stroke=\"#777777\" d=\"M%.0f 444H%.0fL%.0f 75z\"/>\n<g fill=\"#0072b2\">\n",
          left + 22, left + 448, left + 235);
  for (k = 0; k < count; k++) {
    const double radius = most * sqrt(chance[k] / largest);
    perm_amplitudes_state(3, photons, NULL, k, state);
    if (radius > 0.05)
      fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2g\"/>\n", left + 35 + step * (state[1] + 0.5 * state[2]),
              436 - step * height * state[2], radius);
  }
  fprintf(file, "</g>\n");
}

static int picture(const char *path)
{
  enum { EACH = 16 };
  FILE *file = fopen(path, "w");
  perm_result r;
  size_t count, k;
  double *chance = outputs_of(EACH, &count, &r), *alone = (double *)malloc(count * sizeof *alone);
  int bad = !file || !alone, state[3];
  for (k = 0; k < count && !bad; k++) {
    perm_amplitudes_state(3, 3 * EACH, NULL, k, state);
    alone[k] = exp(lgamma(3 * EACH + 1) - lgamma(state[0] + 1) - lgamma(state[1] + 1) - lgamma(state[2] + 1) -
                   3 * EACH * log(3));
  }
  if (!bad) {
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"980\" height=\"512\" viewBox=\"0 0 980 512\" "
            "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"15\" fill=\"#333333\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"20\" y=\"30\" font-size=\"19\" "
            "font-weight=\"bold\" fill=\"#222222\">48 photons, 16 in each input of a three-port Fourier interferometer"
            "</text>\n");
    triangle(file, 20, 3 * EACH, count, chance, "photons that are alike");
    triangle(file, 500, 3 * EACH, count, alone, "photons that can be told apart");
    fprintf(file, "<text x=\"20\" y=\"498\" font-size=\"14\" fill=\"#555555\">A dot for each output, its area the "
            "probability, on the left and on the right in units of the largest.</text>\n</svg>\n");
    bad = ferror(file) != 0;
  }
  bad |= file && fclose(file) != 0;
  free(chance);
  free(alone);
  return bad;
}

int main(int argc, char **argv)
{
  static const int each[] = {1, 4, 16, 64};
  int i, state[3];
  printf("photons  outputs  sum of probabilities - 1  bound    all in one output  where none should leave\n");
  for (i = 0; i < 4; i++) {
    size_t count, k;
    perm_result r;
    double *chance = outputs_of(each[i], &count, &r), forbidden = 0;
    for (k = 0; k < count; k++) {
      perm_amplitudes_state(3, 3 * each[i], NULL, k, state);
      forbidden += (state[1] + 2 * state[2]) % 3 ? chance[k] : 0;
    }
    printf("%7d  %7.0f  %24.1e  %.1e  %17.12f  %.1e\n", 3 * each[i], (double)count, r.value - 1, r.error_bound,
           chance[0], forbidden);
    free(chance);
  }
  return argc > 1 && picture(argv[1]);
}
/* SPDX-License-Identifier: MIT */
