/* A domino tiling of the Aztec diamond, drawn from all of them with equal chances: square by square, each domino with
   the chance that the exact numbers of tilings with and without it give. All in all the diamond of order n has
   2^(n(n+1)/2) (N. Elkies, G. Kuperberg, M. Larsen, J. Propp, J. Algebraic Combin. 1 (1992) 111). Random ones are
   frozen at the corners and disordered in a circle (W. Jockusch, J. Propp, P. Shor, arXiv:math/9801068).
   Build:  cc -O2 -I.. tilings.c -o tilings -lm
   Usage:  tilings [ORDER [SEED [PICTURE.svg]]]     ORDER 1 to 20 */
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"
#include "perm_random.h"

enum { MOST = 20, SIDE = 2 * MOST + 2 }; /* a frame of one square around the largest */
static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
static int number[SIDE][SIDE]; /* of a square among those of its colour, from 1; 0: outside, or covered */

static int is_black(int x, int y)
{
  return (x + y) % 2;
}

/* Tilings of what is not covered: the permanent of black squares against their white neighbours. */
static perm_result count(void)
{
  static int row[2 * SIDE * SIDE], column[2 * SIDE * SIDE];
  const perm_options options = {.threads = 1}; /* many short calls */
  int left[2] = {0, 0}, x, y, d, edges = 0;
  perm_matrix matrix;
  perm_result result;
  for (y = 1; y < SIDE - 1; y++)
    for (x = 1; x < SIDE - 1; x++)
      if (number[y][x])
        number[y][x] = ++left[is_black(x, y)];
  for (y = 1; y < SIDE - 1; y++)
    for (x = 1; x < SIDE - 1; x++)
      for (d = 0; d < 4 && number[y][x] && is_black(x, y); d++)
        if (number[y + dy[d]][x + dx[d]]) {
          row[edges] = number[y][x] - 1;
          column[edges++] = number[y + dy[d]][x + dx[d]] - 1;
        }
  if (perm_matrix_from_triplets(left[1], left[0], (size_t)edges, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL,
                                &matrix, &result) != PERM_OK ||
      perm_compute_sparse(&matrix, &options, &result) != PERM_OK) {
    fprintf(stderr, "tilings: %s\n", result.message);
    exit(1);
  }
  perm_matrix_free(&matrix);
  return result;
}

/* Covers (x, y) and the neighbour that is drawn; returns its direction. `all` is the number of tilings, and becomes
   that of what is left. */
static int cover(int x, int y, double *all, generate_random *random)
{
  double draw = generate_uniform(random) * *all;
  int open[4], many = 0, k, d;
  for (d = 0; d < 4; d++)
    if (number[y + dy[d]][x + dx[d]])
      open[many++] = d;
  for (k = 0;; k++) {
    int *other = &number[y + dy[open[k]]][x + dx[open[k]]];
    double with = *all;
    number[y][x] = *other = 0;
    if (many > 1 && (with = count().value) <= draw && k + 1 < many) {
      draw -= with;
      number[y][x] = *other = 1; /* numbered anew by count() */
      continue;
    }
    *all = with;
    return open[k];
  }
}

int main(int argc, char **argv)
{
  static const char *const colour[] = {"#0072b2", "#d55e00", "#56b4e9", "#e69f00"};
  static const char *const side[] = {"right", "below", "left", "above"}; /* where its white square lies */
  const int order = argc > 1 ? atoi(argv[1]) : 12;
  generate_random random = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1992};
  FILE *file = argc > 3 ? fopen(argv[3], "w") : NULL;
  int x, y, d, dominoes[4] = {0};
  char text[PERM_TEXT_BYTES];
  perm_result result;
  double all;
  if (order < 1 || order > MOST || (argc > 3 && !file)) {
    fprintf(stderr, "tilings: %s\n", argc > 3 && !file ? "cannot write the picture" : "expected an order of 1 to 20");
    return 2;
  }
  for (y = 0; y < SIDE; y++)
    for (x = 0; x < SIDE; x++)
      number[y][x] = abs(2 * x + 1 - SIDE) + abs(2 * y + 1 - SIDE) <= 2 * order;
  result = count();
  perm_result_text(&result, text, sizeof text);
  printf("Aztec diamond of order %d: %s tilings\n", order, text);
  if (file)
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\"584\" viewBox=\"0 0 480 584\" "
            "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"15\" fill=\"#333333\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"20\" y=\"30\" font-size=\"19\" font-weight=\"bold\" fill=\"#222222\">"
            "A random tiling of the Aztec diamond</text>\n"
            "<g transform=\"translate(0 40) scale(%g) translate(%d %d)\" stroke=\"#ffffff\" stroke-width=\"0.1\">\n",
            240.0 / (order + 1), order - MOST, order - MOST);
  for (all = result.value, y = 1; y < SIDE - 1; y++)
    for (x = 1; x < SIDE - 1; x++)
      if (number[y][x] && is_black(x, y)) {
        d = cover(x, y, &all, &random);
        dominoes[d]++;
        if (file)
          fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x - (d == 2),
                  y - (d == 3), 1 + (d + 1) % 2, 1 + d % 2, colour[d]);
      }
  printf("one of them: %d dominoes with black left, %d right, %d above, %d below; %g tiling of the rest\n", dominoes[0],
         dominoes[2], dominoes[1], dominoes[3], all);
  if (!file)
    return 0;
  fprintf(file, "</g>\n<text x=\"20\" y=\"540\">A domino's white square, from its black one:</text>\n");
  for (d = 0; d < 4; d++)
    fprintf(file,
            "<rect x=\"%d\" y=\"552\" width=\"14\" height=\"14\" fill=\"%s\"/><text x=\"%d\" y=\"564\">%s</text>\n",
            20 + 110 * d, colour[d], 40 + 110 * d, side[d]);
  fprintf(file, "</svg>\n");
  d = ferror(file);
  return d | fclose(file);
}
/* SPDX-License-Identifier: MIT */
