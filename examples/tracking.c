/* Which measurement is of which target? A radar sees each target with a chance, somewhere near, and clutter besides. A
   target has one measurement at most and a measurement one target. The weight of an association is a product of
   entries, so the sum of all weights is the permanent of a matrix targets x (measurements + targets): its last columns
   are misses, one for each target. The chance of a pair is its marginal; a column that stays unmatched is clutter.
   That is joint probabilistic data association (T. E. Fortmann, Y. Bar-Shalom, M. Scheffe, IEEE J. Oceanic Eng. 8
   (1983) 173); as permanents: D. F. Crouse, P. Willett, IEEE Trans. Aerosp. Electron. Syst. 53 (2017) 698.
   Build:  cc -O2 -I.. tracking.c -o tracking -lm
   Usage:  tracking [TARGETS [SPACING [SEED [PICTURE.svg]]]]
           60 targets; spacing in standard deviations of the radar: 4
           A picture (tracking 24 3.5 1983 FILE.svg) has the scene, and its chances as a map; up to 30 targets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm_more.h"
#include "perm_random.h"

static const double pi = 3.14159265358979324, detected = 0.9, gate = 3, clutter = 0.05; /* clutter in a unit of area */
static size_t *start; /* the matrix by compressed rows */
static int *column;
static double *weight;
static double *x, *y; /* of targets, then of measurements */

static void *array(size_t count)
{
  void *room = calloc(count, sizeof(double));
  if (!room) {
    fprintf(stderr, "tracking: out of memory\n");
    exit(1);
  }
  return room;
}

/* Targets lie in a square. A pair weighs the measurement's density if it is the target's, over that of clutter.
   Returns how many measurements there are. */
static int observe(int targets, double spacing, uint64_t seed)
{
  generate_random random = {seed};
  const double side = spacing * sqrt(targets), most = clutter * side * side;
  const size_t room = 2 * (size_t)targets + (size_t)(2 * most) + 100;
  double left = 0;
  size_t e = 0;
  int i, j, k = targets;
  x = (double *)array(room);
  y = (double *)array(room);
  for (i = 0; i < targets; i++) {
    x[i] = side * generate_uniform(&random);
    y[i] = side * generate_uniform(&random);
    generate_normals(&random, &x[k], &y[k]);
    x[k] += x[i];
    y[k] += y[i];
    k += generate_uniform(&random) < detected;
  }
  for (; k < (int)room && (left -= log(generate_positive(&random))) < most; k++) {
    x[k] = side * generate_uniform(&random);
    y[k] = side * generate_uniform(&random);
  }
  start = (size_t *)array((size_t)targets + 1);
  column = (int *)array((size_t)targets * (size_t)k);
  weight = (double *)array((size_t)targets * (size_t)k);
  for (i = 0; i < targets; i++) {
    for (j = targets; j < k; j++) {
      const double square = pow(x[j] - x[i], 2) + pow(y[j] - y[i], 2);
      if (square < gate * gate) {
        column[e] = j - targets;
        weight[e++] = detected * exp(-square / 2) / (2 * pi) / clutter;
      }
    }
    column[e] = k - targets + i;
    weight[e++] = 1 - detected * (1 - exp(-gate * gate / 2));
    start[i + 1] = e;
  }
  return k - targets;
}

/* Four tints of one blue; what is less likely than one in a hundred has none. */
static const double shade_least[] = {0.01, 0.1, 0.4, 0.7};
static const char *const shade_colour[] = {"#a6cfe6", "#5fabd4", "#2a8cc4", "#0072b2"};

static const char *shade(double chance)
{
  int k = 3;
  while (k >= 0 && chance < shade_least[k])
    k--;
  return k < 0 ? NULL : shade_colour[k];
}

static const double *sorted_by;
static int ascending(const void *one, const void *two)
{
  const double a = sorted_by[*(const int *)one], b = sorted_by[*(const int *)two];
  return a < b ? -1 : a > b;
}

static void words(FILE *file, double at_x, double at_y, const char *style, const char *text)
{
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", at_x, at_y, style, text);
}

enum { TOP = 74, BOTTOM = 494, LEFT = 66, MAP = 580, CELL = 10 }; /* pixels */

/* Gates, and from each target lines to the measurements in its gate, the darker the likelier. */
static void scene(FILE *file, int targets, int measurements, double side, const double *chance, const double *unmatched)
{
  const double scale = (BOTTOM - TOP) / (side + 2 * gate), zero_x = LEFT + gate * scale, zero_y = BOTTOM - gate * scale;
  const double least = shade_least[0];
  int i, k;
  size_t e;
  char text[16];
  for (i = 0; i < targets; i++)
    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"#cccccc\"/>\n",
            zero_x + scale * x[i], zero_y - scale * y[i], gate * scale);
  for (k = 0; k < 4; k++) /* likely ones above others */
    for (i = 0; i < targets; i++)
      for (e = start[i]; e < start[i + 1]; e++)
        if (column[e] < measurements && shade(chance[e]) == shade_colour[k])
          fprintf(file, "<path stroke=\"%s\" stroke-width=\"3.5\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", shade_colour[k],
                  zero_x + scale * x[i], zero_y - scale * y[i], zero_x + scale * x[targets + column[e]],
                  zero_y - scale * y[targets + column[e]]);
  for (i = 0; i < targets; i++)
    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#d55e00\"/>\n", zero_x + scale * x[i],
            zero_y - scale * y[i]);
  for (k = 0; k < measurements; k++)
    if (fabs(x[targets + k] - side / 2) < side / 2 + gate && fabs(y[targets + k] - side / 2) < side / 2 + gate)
      fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" stroke=\"#000000\"/>\n",
              zero_x + scale * x[targets + k], zero_y - scale * y[targets + k],
              unmatched[k] > 1 - least ? "#ffffff" : "#000000");
  for (k = 0; k <= (int)side; k += 5) {
    snprintf(text, sizeof text, "%d", k);
    words(file, zero_x + scale * k, BOTTOM + 21, "text-anchor=\"middle\"", text);
    words(file, LEFT - 7, zero_y - scale * k + 5, "text-anchor=\"end\"", text);
  }
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#777777\"/>\n", LEFT, TOP,
          BOTTOM - TOP, BOTTOM - TOP);
  words(file, LEFT + (BOTTOM - TOP) / 2, BOTTOM + 44, "text-anchor=\"middle\"",
        "x, in standard deviations of the radar");
  fprintf(file, "<text transform=\"translate(24 %d) rotate(-90)\" text-anchor=\"middle\">y</text>\n",
          (TOP + BOTTOM) / 2);
}

static void cell(FILE *file, int across, int down, double chance)
{
  if (shade(chance))
    fprintf(file, "<path fill=\"%s\" d=\"M%d %dh%dv%dh%dz\"/>\n", shade(chance), MAP + CELL * across,
            TOP + CELL * down, CELL, CELL, -CELL);
}

/* A column for each target, along x, and one for clutter; a row for each measurement, in the order of the target that
   most likely has it, and one for misses. All sum to 1 but these two. */
static void map(FILE *file, int targets, int measurements, const double *chance, const double *unmatched)
{
  int *order = (int *)array((size_t)targets), *place = (int *)array((size_t)targets);
  int *row = (int *)array((size_t)measurements + 1), *row_place = (int *)array((size_t)measurements + 1), i, k;
  double *key = (double *)array((size_t)measurements + 1), *best = (double *)array((size_t)measurements + 1);
  size_t e;
  char text[16];
  for (i = 0; i < targets; i++)
    order[i] = i;
  sorted_by = x;
  qsort(order, (size_t)targets, sizeof *order, ascending);
  for (i = 0; i < targets; i++)
    place[order[i]] = i;
  for (k = 0; k < measurements; k++) {
    row[k] = k;
    best[k] = unmatched[k];
    key[k] = targets + k / 1e3;
  }
  for (i = 0; i < targets; i++)
    for (e = start[i]; e < start[i + 1]; e++)
      if (column[e] < measurements && chance[e] > best[column[e]]) {
        best[column[e]] = chance[e];
        key[column[e]] = place[i];
      }
  sorted_by = key;
  qsort(row, (size_t)measurements, sizeof *row, ascending);
  for (k = 0; k < measurements; k++)
    row_place[row[k]] = k;
  for (i = 0; i < targets; i++)
    for (e = start[i]; e < start[i + 1]; e++)
      cell(file, place[i], column[e] < measurements ? row_place[column[e]] : measurements, chance[e]);
  for (k = 0; k < measurements; k++)
    cell(file, targets, row_place[k], unmatched[k]);
  for (i = 0; i < targets; i += i ? 10 : 9) {
    snprintf(text, sizeof text, "%d", i + 1);
    words(file, MAP + CELL * (i + 0.5), TOP + CELL * (measurements + 1) + 21, "text-anchor=\"middle\"", text);
  }
  fprintf(file, "<path stroke=\"#777777\" d=\"M%d %dh%dM%d %dv%d\"/>\n", MAP, TOP + CELL * measurements,
          CELL * (targets + 1), MAP + CELL * targets, TOP, CELL * (measurements + 1));
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#777777\"/>\n", MAP, TOP,
          CELL * (targets + 1), CELL * (measurements + 1));
  words(file, MAP + CELL * targets / 2, TOP + CELL * (measurements + 1) + 44, "text-anchor=\"middle\"",
        "target, from left to right");
  words(file, MAP + CELL * (targets + 1) + 8, TOP + CELL * (measurements + 1), "", "missed");
  words(file, MAP + CELL * (targets + 0.5), TOP - 8, "text-anchor=\"middle\"", "clutter");
  fprintf(file, "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">measurement</text>\n",
          MAP - 10, TOP + CELL * measurements / 2);
  free(order);
  free(place);
  free(row);
  free(row_place);
  free(key);
  free(best);
}

static int picture(const char *path, int targets, int measurements, double side, const double *chance,
                   const double *unmatched)
{
  static const char *const range[] = {"0.01 to 0.1", "0.1 to 0.4", "0.4 to 0.7", "0.7 to 1"};
  const int at = MAP + CELL * (targets + 1) + 24;
  FILE *file = fopen(path, "w");
  int k, bad;
  if (!file)
    return 1;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"566\" viewBox=\"0 0 1000 566\" "
          "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"15\" fill=\"#333333\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"20\" y=\"30\" font-size=\"19\" "
          "font-weight=\"bold\" fill=\"#222222\">Which measurement is of which target? %d targets, %d measurements"
          "</text>\n", targets, measurements);
  scene(file, targets, measurements, side, chance, unmatched);
  map(file, targets, measurements, chance, unmatched);
  words(file, at, TOP + 14, "font-weight=\"bold\"", "probability");
  for (k = 0; k < 4; k++) {
    fprintf(file, "<path fill=\"%s\" d=\"M%d %dh14v14h-14z\"/>\n", shade_colour[k], at, TOP + 28 + 24 * k);
    words(file, at + 22, TOP + 40 + 24 * k, "", range[k]);
  }
  fprintf(file, "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"#d55e00\"/>\n<circle cx=\"%d\" cy=\"%d\" r=\"3.5\" "
          "fill=\"#000000\"/>\n<circle cx=\"%d\" cy=\"%d\" r=\"3.5\" fill=\"#ffffff\" stroke=\"#000000\"/>\n"
          "<circle cx=\"%d\" cy=\"%d\" r=\"8\" fill=\"none\" stroke=\"#cccccc\"/>\n",
          at + 7, TOP + 159, at + 7, TOP + 183, at + 7, TOP + 207, at + 7, TOP + 231);
  words(file, at + 22, TOP + 164, "", "target");
  words(file, at + 22, TOP + 188, "", "measurement");
  words(file, at + 22, TOP + 212, "", "surely clutter");
  words(file, at + 22, TOP + 236, "", "gate");
  fprintf(file, "</svg>\n");
  bad = ferror(file) != 0;
  return fclose(file) != 0 || bad;
}

int main(int argc, char **argv)
{
  const int targets = argc > 1 ? atoi(argv[1]) : 60;
  const double spacing = argc > 2 ? atof(argv[2]) : 4;
  double *chance, *unmatched;
  int i, j, measurements;
  perm_matrix matrix;
  perm_result r;
  clock_t begin;
  size_t e;
  if (targets < 1 || targets > 2000 || !(spacing > 0 && spacing <= 20) || (argc > 4 && targets > 30)) {
    fprintf(stderr, "usage: tracking [TARGETS, 1 to 2000 [SPACING, up to 20 [SEED [PICTURE.svg]]]]\n");
    return 2;
  }
  measurements = observe(targets, spacing, argc > 3 ? strtoull(argv[3], NULL, 10) : 1983);
  chance = (double *)array(start[targets]);
  unmatched = (double *)array((size_t)(measurements + targets));
  begin = clock();
  if (perm_matrix_borrow_csr(targets, measurements + targets, start, column, weight, NULL, NULL, PERM_KIND_REAL,
                             &matrix, &r) != PERM_OK ||
      perm_marginals_sparse(&matrix, NULL, chance, unmatched, &r) != PERM_OK) {
    fprintf(stderr, "tracking: %s\n", r.message);
    return 1;
  }
  printf("%d targets, %d measurements: %.2f ms, relative error of a chance at most %.0e\n", targets, measurements,
         1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC, r.error_bound);
  printf("target measurement  weight                probability; measurement 0: missed\n");
  for (i = 0; i < targets; i++)
    for (e = start[i]; e < start[i + 1]; e++)
      printf("%6d %11d  %-20.16g  %.15f\n", i + 1, column[e] < measurements ? column[e] + 1 : 0, weight[e], chance[e]);
  for (j = 0; j < measurements; j++)
    printf("clutter: %8d  %.15f\n", j + 1, unmatched[j]);
  return argc > 4 && picture(argv[4], targets, measurements, spacing * sqrt(targets), chance, unmatched);
}
/* SPDX-License-Identifier: MIT */
