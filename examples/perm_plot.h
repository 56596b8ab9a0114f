/* perm_plot.h: small scientific plots as SVG. One file, C99, all static; needs nothing but the C library.

       plot_figure figure;
       plot_panel *panel;
       plot_begin(&figure, 640, 420, "Growth");
       panel = plot_add(&figure, 1, 1, 0, "n", "seconds");       one panel that fills the figure
       panel->y_log = 1;
       plot_draw(panel, PLOT_LINE | PLOT_POINTS, count, x, y, NULL, "measured");
       plot_draw(panel, PLOT_LINE | PLOT_DASHED, 2, x_of_fit, y_of_fit, NULL, "2^n");
       if (plot_write(&figure, "growth.svg")) ...                 not written, or out of memory; frees in any case

   plot_add(figure, rows, columns, k, ...) puts a panel into cell k of a grid; a figure may have panels of several
   grids. Ranges come from the data, unless x_least < x_most (y likewise) are set. A logarithmic axis leaves out what
   is not positive, and every plot what is not finite. Where series have labels, there is a legend where the fewest
   points are, and a range that came from the data grows until there are none; or, with panel->legend = PLOT_RIGHT, it
   is at the ends of the lines. The ground is white, so that a page may be dark. Texts are UTF-8. The rules of
   tests/house/pictures.py: letters of 14 pixels and more, which half the size leaves readable, no text over another,
   colours that the colour-blind tell apart. */
#ifndef PERM_PLOT_H_INCLUDED
#define PERM_PLOT_H_INCLUDED

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What plot_draw draws; to be combined with |. */
#define PLOT_LINE 1
#define PLOT_POINTS 2
#define PLOT_STEPS 4  /* a histogram: count + 1 edges x, count heights y */
#define PLOT_FILLED 8 /* steps: filled down to the axis */
#define PLOT_DASHED 16
#define PLOT_SMALL 32 /* points: small ones, where there are many */

enum { PLOT_MOST_PANELS = 16, PLOT_MOST_SERIES = 32 };
enum { PLOT_CORNER, PLOT_RIGHT, PLOT_NONE }; /* places of the legend */

typedef struct plot_series {
  int kind, count, marker;
  double *x, *y, *error; /* copies; error may be NULL */
  char label[96];
  const char *colour;
  double end; /* height of the label at the line's end */
} plot_series;

typedef struct plot_panel {
  struct plot_figure *figure;
  double left, top, right, bottom; /* of the axes, in pixels of the figure */
  double x_least, x_most, y_least, y_most;
  int x_log, y_log, legend, count;
  const char *title, *x_label, *y_label; /* not copied */
  plot_series series[PLOT_MOST_SERIES];
} plot_panel;

typedef struct plot_figure {
  double width, height;
  const char *title, *caption[4]; /* not copied; lines of small print below, NULL: none */
  int panels, failed;
  plot_panel *panel[PLOT_MOST_PANELS];
} plot_figure;

/* Okabe and Ito's, which the colour-blind tell apart, without yellow, which white hides; markers differ too. */
static const char *const plot_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#000000", "#7a7a7a"};

static inline void plot_begin(plot_figure *figure, double width, double height, const char *title)
{
  memset(figure, 0, sizeof *figure);
  figure->width = width;
  figure->height = height;
  figure->title = title;
}

static inline plot_panel *plot_panel_at(plot_figure *figure, double left, double top, double right, double bottom,
                                        const char *x_label, const char *y_label)
{
  static plot_panel nowhere; /* what a caller may write into when memory has run out */
  plot_panel *panel = figure->panels < PLOT_MOST_PANELS ? (plot_panel *)calloc(1, sizeof *panel) : NULL;
  if (panel)
    figure->panel[figure->panels++] = panel;
  else {
    figure->failed = 1;
    panel = &nowhere;
  }
  panel->figure = figure;
  panel->left = left;
  panel->top = top;
  panel->right = right;
  panel->bottom = bottom;
  panel->x_label = x_label;
  panel->y_label = y_label;
  return panel;
}

static inline int plot_captions(const plot_figure *figure)
{
  int lines = 0;
  while (lines < 4 && figure->caption[lines])
    lines++;
  return lines;
}

/* Cell k, counted along rows, of a grid of rows x columns. Set figure->caption before. */
static inline plot_panel *plot_add(plot_figure *figure, int rows, int columns, int k, const char *x_label,
                                   const char *y_label)
{
  const double head = figure->title ? 44 : 12;
  const int lines = plot_captions(figure);
  const double foot = lines ? 10 + 19.0 * lines : 4;
  const double width = figure->width / columns, height = (figure->height - head - foot) / rows;
  const double left = width * (k % columns), top = head + height * (k / columns);
  return plot_panel_at(figure, left + 86, top + 26, left + width - 22, top + height - 58, x_label, y_label);
}

static inline double *plot_copy(plot_figure *figure, const double *from, int count)
{
  double *to = from ? (double *)malloc((size_t)(count + 1) * sizeof *to) : NULL;
  if (to)
    memcpy(to, from, (size_t)count * sizeof *to);
  else if (from)
    figure->failed = 1;
  return to;
}

/* Adds a series; error (NULL: none) are standard errors of y. label NULL: not in the legend. */
static inline plot_series *plot_draw(plot_panel *panel, int kind, int count, const double *x, const double *y,
                                     const double *error, const char *label)
{
  plot_series *series = &panel->series[panel->count < PLOT_MOST_SERIES ? panel->count : 0];
  int k, marker = 0;
  if (panel->count == PLOT_MOST_SERIES || panel->figure->failed) {
    panel->figure->failed = 1;
    return series;
  }
  for (k = 0; k < panel->count; k++)
    marker += !!(panel->series[k].kind & PLOT_POINTS);
  series->kind = kind;
  series->count = count;
  series->marker = marker % 5;
  series->x = plot_copy(panel->figure, x, count + !!(kind & PLOT_STEPS));
  series->y = plot_copy(panel->figure, y, count);
  series->error = plot_copy(panel->figure, error, count);
  series->colour = plot_colours[panel->count % 8];
  snprintf(series->label, sizeof series->label, "%s", label ? label : "");
  panel->count++;
  return series;
}

/* A straight line from (x0, y0) to (x1, y1). */
static inline plot_series *plot_segment(plot_panel *panel, int kind, double x0, double y0, double x1, double y1,
                                        const char *label)
{
  double x[2], y[2];
  x[0] = x0, x[1] = x1, y[0] = y0, y[1] = y1;
  return plot_draw(panel, PLOT_LINE | kind, 2, x, y, NULL, label);
}

/* ---- from here on nothing is for callers but plot_write */
static inline void plot_text(FILE *file, double x, double y, const char *style, const char *text)
{
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  for (; *text; text++)
    if (*text == '&' || *text == '<' || *text == '>')
      fputs(*text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;", file);
    else
      fputc(*text, file);
  fprintf(file, "</text>\n");
}

/* Columns of a text, roughly: UTF-8 continuation bytes do not count. */
static inline double plot_text_width(const char *text)
{
  double width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xc0) == 0x80 ? 0 : 8.5;
  return width;
}

/* Where a coordinate lies between the ends of its axis, 0 to 1; NAN: nowhere. */
static inline double plot_fraction(double value, double least, double most, int logarithmic)
{
  if (logarithmic)
    return value > 0 ? log(value / least) / log(most / least) : (double)NAN;
  return (value - least) / (most - least);
}

static inline double plot_x(const plot_panel *panel, double x)
{
  return panel->left + (panel->right - panel->left) * plot_fraction(x, panel->x_least, panel->x_most, panel->x_log);
}

static inline double plot_y(const plot_panel *panel, double y)
{
  return panel->bottom - (panel->bottom - panel->top) * plot_fraction(y, panel->y_least, panel->y_most, panel->y_log);
}

/* 1, 2 or 5 times a power of ten, about a `count`-th of the range. */
static inline double plot_step(double range, int count)
{
  const double least = range / count, power = pow(10, floor(log10(least)));
  return (least <= power * 1.0001 ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10) * power;
}

static inline void plot_include(double value, int logarithmic, double *least, double *most)
{
  if (value - value != 0 || (logarithmic && value <= 0))
    return;
  *least = fmin(*least, value);
  *most = fmax(*most, value);
}

/* Ends of an axis that were not set: of the data, and a little more. 0: they were set. */
static inline int plot_range(plot_panel *panel, int vertical)
{
  double least = HUGE_VAL, most = -HUGE_VAL, margin;
  const int logarithmic = vertical ? panel->y_log : panel->x_log;
  double *const low = vertical ? &panel->y_least : &panel->x_least;
  double *const high = vertical ? &panel->y_most : &panel->x_most;
  int s, k, steps = 0;
  if (*low < *high)
    return 0;
  for (s = 0; s < panel->count; s++) {
    const plot_series *series = &panel->series[s];
    const int edges = !vertical && series->kind & PLOT_STEPS;
    steps |= series->kind & PLOT_STEPS;
    for (k = 0; k < series->count + edges; k++) {
      plot_include(vertical ? series->y[k] : series->x[k], logarithmic, &least, &most);
      if (vertical && series->error) {
        plot_include(series->y[k] - series->error[k], logarithmic, &least, &most);
        plot_include(series->y[k] + series->error[k], logarithmic, &least, &most);
      }
    }
  }
  if (vertical && steps && !logarithmic)
    least = fmin(least, 0);
  if (least > most)
    least = most = 1;
  if (logarithmic) {
    margin = most > least ? pow(most / least, 0.05) : 2;
    *low = least / margin;
    *high = most * margin;
  } else {
    margin = most > least ? 0.05 * (most - least) : fabs(most) / 2 + (most == 0);
    *low = steps && (!vertical || least == 0) ? least : least - margin;
    *high = steps && !vertical ? most : most + margin;
  }
  return 1;
}

/* "10" and the exponent in Unicode's superscripts: not every viewer raises tspans well. */
static inline void plot_power(char *text, size_t size, int power)
{
  static const char *const digits[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
                                       "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
  const int absolute = abs(power) % 1000;
  snprintf(text, size, "10%s%s%s%s", power < 0 ? "\xe2\x81\xbb" : "", absolute > 99 ? digits[absolute / 100] : "",
           absolute > 9 ? digits[absolute / 10 % 10] : "", digits[absolute % 10]);
}

/* A line of the grid, and its number unless text is NULL. */
static inline void plot_tick(FILE *file, const plot_panel *panel, int vertical, double at, const char *text)
{
  const double position = vertical ? plot_y(panel, at) : plot_x(panel, at);
  char style[64];
  if (vertical)
    fprintf(file, "<path d=\"M%.1f %.1fH%.1f\"", panel->left, position, panel->right);
  else
    fprintf(file, "<path d=\"M%.1f %.1fV%.1f\"", position, panel->top, panel->bottom);
  fprintf(file, " stroke=\"%s\"/>\n", text ? "#dddddd" : "#efefef");
  snprintf(style, sizeof style, "text-anchor=\"%s\"", vertical ? "end" : "middle");
  if (text && vertical)
    plot_text(file, panel->left - 7, position + 5, style, text);
  else if (text)
    plot_text(file, position, panel->bottom + 21, style, text);
}

static inline void plot_axis(FILE *file, const plot_panel *panel, int vertical)
{
  const double least = vertical ? panel->y_least : panel->x_least, most = vertical ? panel->y_most : panel->x_most;
  const double pixels = vertical ? panel->bottom - panel->top : panel->right - panel->left;
  const int wanted = (int)(pixels / (vertical ? 56 : 90)) + 1;
  char text[64];
  if (vertical ? panel->y_log : panel->x_log) {
    const double decades = log10(most / least);
    const double apart = pixels / decades / (vertical ? 24 : 54); /* a decade, in widths of a number */
    const int every = decades > wanted ? (int)ceil(decades / wanted) : 1;
    int power, digit;
    for (power = (int)floor(log10(least)); power <= (int)ceil(log10(most)); power++)
      for (digit = 1; digit <= 9; digit++) {
        const double at = digit * pow(10, power);
        const int main_one = digit == 1 && power % every == 0;
        /* where decades are few, 2 and 5 are labelled too, and numbers in the usual range written out */
        const int labelled = main_one || (decades < 2.5 && apart > 3.3 && (digit == 2 || digit == 5)) ||
                             (decades < 0.7 && apart > 22) || decades < 0.35;
        if (at < least * 0.9999 || at > most * 1.0001 || (every > 1 && !main_one))
          continue;
        snprintf(text, sizeof text, "%g", at);
        if (digit == 1 && (decades >= 4.5 || strlen(text) > 6))
          plot_power(text, sizeof text, power);
        plot_tick(file, panel, vertical, at, labelled ? text : NULL);
      }
  } else {
    const double step = plot_step(most - least, wanted), first = ceil(least / step - 1e-9);
    const int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    double k;
    for (k = first; k * step <= most + 1e-9 * step; k++) {
      const double at = k == 0 ? 0 : k * step;
      if (fmax(fabs(least), fabs(most)) >= 1e6 || decimals > 5)
        snprintf(text, sizeof text, "%g", at);
      else
        snprintf(text, sizeof text, "%s%.*f", at < 0 ? "\xe2\x88\x92" : "", decimals, fabs(at));
      plot_tick(file, panel, vertical, at, text);
    }
  }
}

static inline void plot_marker(FILE *file, const plot_series *series, double x, double y)
{
  const double size = series->kind & PLOT_SMALL ? 0.6 : 1;
  const char *colour = series->colour;
  const double r = 3.8 * size, a = 4.6 * size;
  switch (series->marker) {
  case 0: fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y, r, colour); break;
  case 1:
    fprintf(file, "<path d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\" fill=\"%s\"/>\n", x - r + .3, y - r + .3, 2 * r - .6,
            2 * r - .6, .6 - 2 * r, colour);
    break;
  case 2:
    fprintf(file, "<path d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\" fill=\"%s\"/>\n", x, y - a, a, a, -a, a, -a,
            -a, colour);
    break;
  default: {
    const double up = series->marker == 3 ? a : -a;
    fprintf(file, "<path d=\"M%.1f %.1fl%.1f %.1fh%.1fz\" fill=\"%s\"/>\n", x, y - up, a, 1.75 * up, -2 * a, colour);
  }
  }
}

static inline int plot_inside(double x, double y)
{
  return x - x == 0 && y - y == 0 && fabs(x) < 1e5 && fabs(y) < 1e5;
}

static inline void plot_curve(FILE *file, const plot_panel *panel, const plot_series *series)
{
  const int steps = series->kind & PLOT_STEPS, points = series->count * (steps ? 2 : 1);
  int k, length = 0, pen = 0;
  double last_x = 0;
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s d=\"",
          series->colour, steps ? "1.6" : "2.3",
          series->kind & PLOT_DASHED ? " stroke-dasharray=\"8 7\"" : "");
  for (k = 0; k < points; k++) {
    const double x = plot_x(panel, series->x[steps ? (k + 1) / 2 : k]);
    double y = plot_y(panel, series->y[steps ? k / 2 : k]);
    if (fabs(y) > 9e4) /* far outside is still a direction; NaN stays what it is */
      y = y > 0 ? 9e4 : -9e4;
    if (!plot_inside(x, y))
      pen = 0;
    else {
      length += fprintf(file, "%s%c%.1f %.1f", length % 110 > 94 ? "\n" : "", pen ? 'L' : 'M', x, y);
      pen = 1;
      last_x = x;
    }
  }
  fprintf(file, "\"/>\n");
  if (series->kind & PLOT_FILLED && points) {
    const double floor_y = panel->bottom;
    fprintf(file, "<path fill=\"%s\" fill-opacity=\"0.18\" d=\"M%.1f %.1f", series->colour, plot_x(panel, series->x[0]),
            floor_y);
    for (k = 0, length = 60; k < points; k++) {
      const double x = plot_x(panel, series->x[(k + 1) / 2]), y = plot_y(panel, series->y[k / 2]);
      if (steps && plot_inside(x, y))
        length += fprintf(file, "%sL%.1f %.1f", length % 110 > 94 ? "\n" : "", x, y);
    }
    fprintf(file, "L%.1f %.1fz\"/>\n", last_x, floor_y);
  }
}

static inline void plot_points(FILE *file, const plot_panel *panel, const plot_series *series)
{
  int k;
  for (k = 0; k < series->count; k++) {
    const double x = plot_x(panel, series->x[k]), y = plot_y(panel, series->y[k]);
    if (!plot_inside(x, y))
      continue;
    if (series->error && series->error[k] > 0) {
      double low = plot_y(panel, series->y[k] - series->error[k]),
             high = plot_y(panel, series->y[k] + series->error[k]);
      low = low < 1e5 ? low : panel->bottom + 9; /* below zero on a logarithmic axis: down to the axis */
      if (low - high > 1)
        fprintf(file, "<path d=\"M%.1f %.1fV%.1fM%.1f %.1fh6m0 %.1fh-6\" stroke=\"%s\" fill=\"none\"/>\n", x, low, high,
                x - 3, low, high - low, series->colour);
    }
    plot_marker(file, series, x, y);
  }
}

/* The legend's sample of a series, from (x, y), 26 wide, and its label. */
static inline void plot_legend_entry(FILE *file, const plot_series *series, double x, double y)
{
  if (series->kind & (PLOT_LINE | PLOT_STEPS))
    fprintf(file, "<path d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"2.3\"%s/>\n", x, y, series->colour,
            series->kind & PLOT_DASHED ? " stroke-dasharray=\"8 7\"" : "");
  if (series->kind & PLOT_POINTS)
    plot_marker(file, series, x + 13, y);
  plot_text(file, x + 33, y + 5.2, "fill=\"#222222\"", series->label);
}

/* How much of the way from one point to another lies in a box. */
static inline int plot_crosses(const double *from, const double *to, const double *box)
{
  int part, inside = 0;
  for (part = 0; part <= 16; part++) {
    const double x = from[0] + (to[0] - from[0]) * part / 16, y = from[1] + (to[1] - from[1]) * part / 16;
    inside += x > box[0] && x < box[2] && y > box[1] && y < box[3];
  }
  return inside;
}

/* How much of all series, with their bars of errors, lies in a box of left, top, right and bottom. */
static inline int plot_crowd(const plot_panel *panel, const double *box)
{
  int s, k, crowd = 0;
  for (s = 0; s < panel->count; s++)
    for (k = 0; k < panel->series[s].count; k++) {
      const plot_series *series = &panel->series[s];
      const int next = series->kind & (PLOT_LINE | PLOT_STEPS) && k + 1 < series->count ? k + 1 : k;
      const double from[2] = {plot_x(panel, series->x[k]), plot_y(panel, series->y[k])};
      const double to[2] = {plot_x(panel, series->x[next]), plot_y(panel, series->y[next])};
      crowd += plot_crosses(from, to, box);
      if (series->error && series->kind & PLOT_POINTS) {
        const double low[2] = {from[0], plot_y(panel, series->y[k] - series->error[k])};
        const double high[2] = {from[0], plot_y(panel, series->y[k] + series->error[k])};
        crowd += plot_crosses(low, high, box);
      }
    }
  return crowd;
}

/* Where the fewest points are, the corners first. box: left, top, right, bottom. How many are there; -1: no legend. */
static inline int plot_legend_place(const plot_panel *panel, double *box)
{
  static const double part[] = {1, 0, 0.5, 0.75, 0.25}; /* of the way from the left, and from the top */
  double width = 0, height = 10;
  int s, k, least = -1;
  for (s = 0; s < panel->count; s++)
    if (*panel->series[s].label) {
      width = fmax(width, plot_text_width(panel->series[s].label) + 48);
      height += 22;
    }
  for (k = 0; width > 0 && k < 25; k++) {
    const int across = k < 4 ? k % 2 : k / 5, down = k < 4 ? 1 - k / 2 : k % 5;
    const double left = panel->left + 8 + part[across] * (panel->right - panel->left - width - 16);
    const double top = panel->top + 8 + part[down] * (panel->bottom - panel->top - height - 16);
    const double wide[4] = {left - 6, top - 6, left + width + 6, top + height + 6};
    const int crowd = plot_crowd(panel, wide);
    if (least >= 0 && crowd >= least)
      continue;
    least = crowd;
    box[0] = left;
    box[1] = top;
    box[2] = left + width;
    box[3] = top + height;
  }
  return least;
}

/* Room for the legend above everything, where it has none. */
static inline void plot_make_room(plot_panel *panel)
{
  double box[4];
  if (panel->legend == PLOT_CORNER && plot_legend_place(panel, box) > 0) {
    const double height = panel->bottom - panel->top, share = fmax(0.3, 1 - (box[3] - box[1] + 18) / height);
    if (panel->y_log)
      panel->y_most = panel->y_least * pow(panel->y_most / panel->y_least, 1 / share);
    else
      panel->y_most = panel->y_least + (panel->y_most - panel->y_least) / share;
  }
}

static inline void plot_legend_box(FILE *file, const plot_panel *panel)
{
  double box[4] = {0, 0, 0, 0};
  int s;
  if (plot_legend_place(panel, box) < 0)
    return;
  fprintf(file,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"#ffffff\" fill-opacity=\"0.9\" "
          "stroke=\"#cccccc\"/>\n",
          box[0], box[1], box[2] - box[0], box[3] - box[1]);
  for (s = 0, box[1] += 16; s < panel->count; s++)
    if (*panel->series[s].label) {
      plot_legend_entry(file, &panel->series[s], box[0] + 8, box[1]);
      box[1] += 22;
    }
}

/* The last point of a series that is drawn; -1: none. */
static inline int plot_last(const plot_panel *panel, const plot_series *series)
{
  int k = series->count - 1;
  while (k >= 0 && !plot_inside(plot_x(panel, series->x[k]), plot_y(panel, series->y[k])))
    k--;
  return k;
}

/* Labels right of the frame, from the top down, pushed apart where lines end close together. */
static inline void plot_legend_right(FILE *file, plot_panel *panel)
{
  const double apart = 22;
  plot_series *order[PLOT_MOST_SERIES];
  int count = 0, s, k, round, moved = 1;
  for (s = 0; s < panel->count; s++) {
    plot_series *series = &panel->series[s];
    const int last = plot_last(panel, series);
    if (!*series->label || last < 0)
      continue;
    series->end = plot_y(panel, series->y[last]);
    for (k = count++; k > 0 && order[k - 1]->end > series->end; k--)
      order[k] = order[k - 1];
    order[k] = series;
  }
  for (round = 0; moved && round < 1000; round++)
    for (k = 1, moved = 0; k < count; k++) {
      const double overlap = apart - (order[k]->end - order[k - 1]->end);
      if (overlap > 0.01) {
        order[k - 1]->end -= overlap / 2;
        order[k]->end += overlap / 2;
        moved = 1;
      }
    }
  for (s = 0; s < count; s++) {
    const int last = plot_last(panel, order[s]);
    fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"0.8\" opacity=\"0.6\"/>\n",
            plot_x(panel, order[s]->x[last]) + 4, plot_y(panel, order[s]->y[last]), panel->right + 10, order[s]->end,
            order[s]->colour);
    plot_legend_entry(file, order[s], panel->right + 10, order[s]->end);
  }
}

static inline void plot_panel_write(FILE *file, plot_panel *panel, int number)
{
  const double width = panel->right - panel->left, height = panel->bottom - panel->top;
  const double middle = (panel->left + panel->right) / 2;
  int s;
  plot_range(panel, 0);
  if (plot_range(panel, 1))
    plot_make_room(panel);
  plot_axis(file, panel, 0);
  plot_axis(file, panel, 1);
  fprintf(file, "<clipPath id=\"panel%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
          number, panel->left - 1, panel->top - 1, width + 2, height + 2);
  fprintf(file, "<g clip-path=\"url(#panel%d)\">\n", number);
  for (s = 0; s < panel->count; s++) /* what comes first lies on top, unless it is filled */
    if (panel->series[s].kind & (PLOT_LINE | PLOT_STEPS))
      plot_curve(file, panel, &panel->series[s]);
  for (s = panel->count - 1; s >= 0; s--)
    if (panel->series[s].kind & PLOT_POINTS)
      plot_points(file, panel, &panel->series[s]);
  fprintf(file, "</g>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#777777\"/>\n",
          panel->left, panel->top, width, height);
  if (panel->title)
    plot_text(file, panel->left, panel->top - 9, "font-weight=\"bold\" font-size=\"16\" fill=\"#222222\"",
              panel->title);
  if (panel->x_label)
    plot_text(file, middle, panel->bottom + 45, "text-anchor=\"middle\" font-size=\"16\"", panel->x_label);
  if (panel->y_label) {
    fprintf(file, "<g transform=\"translate(%.1f,%.1f) rotate(-90)\">", panel->left - 62,
            (panel->top + panel->bottom) / 2);
    plot_text(file, 0, 0, "text-anchor=\"middle\" font-size=\"16\"", panel->y_label);
    fprintf(file, "</g>\n");
  }
  if (panel->legend == PLOT_RIGHT)
    plot_legend_right(file, panel);
  else if (panel->legend == PLOT_CORNER)
    plot_legend_box(file, panel);
}

/* Writes the figure and frees it. 0: done; 1: the file could not be written, or something before had failed. */
static inline int plot_write(plot_figure *figure, const char *path)
{
  FILE *file = figure->failed ? NULL : fopen(path, "w");
  const int lines = plot_captions(figure);
  int k, s, bad = !file;
  if (file) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"15\" fill=\"#333333\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            figure->width, figure->height, figure->width, figure->height);
    if (figure->title)
      plot_text(file, 20, 30, "font-size=\"19\" font-weight=\"bold\" fill=\"#222222\"", figure->title);
    for (k = 0; k < figure->panels; k++)
      plot_panel_write(file, figure->panel[k], k);
    for (k = 0; k < lines; k++)
      plot_text(file, 20, figure->height - 12 - 19.0 * (lines - 1 - k), "font-size=\"14\" fill=\"#555555\"",
                figure->caption[k]);
    fprintf(file, "</svg>\n");
    bad = ferror(file) != 0;
    bad |= fclose(file) != 0;
  }
  for (k = 0; k < figure->panels; k++) {
    for (s = 0; s < figure->panel[k]->count; s++) {
      free(figure->panel[k]->series[s].x);
      free(figure->panel[k]->series[s].y);
      free(figure->panel[k]->series[s].error);
    }
    free(figure->panel[k]);
  }
  memset(figure, 0, sizeof *figure);
  return bad;
}

#endif
/* SPDX-License-Identifier: MIT */
