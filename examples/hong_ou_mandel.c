/* Photons that arrive together. One of n photons is delayed before an n-port Fourier interferometer: how often is there
   one in each output? For n = 2, a beam splitter, that is the dip of C. K. Hong, Z. Y. Ou, L. Mandel, Phys. Rev. Lett.
   59 (1987) 2044; for every even n it goes down to 0 (Y. L. Lim, A. Beige, New J. Phys. 7 (2005) 155).
   Build:  cc -O2 -I.. hong_ou_mandel.c -o hong_ou_mandel -lm
   Usage:  hong_ou_mandel [PICTURE.svg] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm.h"
#include "perm_plot.h"

enum { MOST = 5 };

/* The chance of one photon in each output when the first photon's wave packet has this squared overlap with the others.
   With overlap all interfere: the squared permanent. Without, it goes its own way and the others have the minor that is
   left: the permanent and all minors of its row (of its column, but the matrix is symmetric) come from one call. */
static double coincidences(int n, double overlap)
{
  double u[2 * MOST * MOST], minors[2 * MOST], together, apart = 0;
  perm_result r;
  int j;
  for (j = 0; j < n * n; j++) { /* real and imaginary parts in turn */
    double angle = 6.283185307179586477 * ((j / n) * (j % n) % n) / n;
    u[2 * j] = cos(angle) / sqrt(n);
    u[2 * j + 1] = sin(angle) / sqrt(n);
  }
  if (perm_minors_complex(n, n, u, n, NULL, NULL, 0, NULL, minors, &r) != PERM_OK) {
    fprintf(stderr, "hong_ou_mandel: %s\n", r.message);
    exit(1);
  }
  together = r.value * r.value + r.imaginary * r.imaginary;
  for (j = 0; j < n; j++)
    apart += (minors[2 * j] * minors[2 * j] + minors[2 * j + 1] * minors[2 * j + 1]) / n;
  return ldexp(overlap * together + (1 - overlap) * apart, 2 * (int)r.exp2); /* all are in units of 2^exp2 */
}

static int picture(const char *path)
{
  enum { POINTS = 121 };
  plot_figure figure;
  plot_panel *panel;
  double delay[POINTS], relative[POINTS];
  char label[32];
  int n, i;
  plot_begin(&figure, 760, 480, "n photons in an n-port Fourier interferometer, one delayed");
  panel = plot_add(&figure, 1, 1, 0, "delay, in coherence times", "one in each output / at long delays");
  panel->legend = PLOT_CORNER;
  for (n = 2; n <= MOST; n++) {
    for (i = 0; i < POINTS; i++) {
      delay[i] = 0.05 * (i - POINTS / 2);
      relative[i] = coincidences(n, exp(-delay[i] * delay[i])) / coincidences(n, 0);
    }
    snprintf(label, sizeof label, "%d photons", n);
    plot_draw(panel, n == 4 ? PLOT_LINE | PLOT_DASHED : PLOT_LINE, POINTS, delay, relative, NULL, label)->colour =
        plot_colours[n == 4 ? 4 : n - 2]; /* 4 lies on 2 */
  }
  return plot_write(&figure, path);
}

int main(int argc, char **argv)
{
  int n;
  printf("photons  one in each output: undelayed, long delay\n");
  for (n = 2; n <= MOST; n++)
    printf("%7d  %.12f %.12f\n", n, coincidences(n, 1), coincidences(n, 0));
  return argc > 1 && picture(argv[1]);
}
/* SPDX-License-Identifier: MIT */
