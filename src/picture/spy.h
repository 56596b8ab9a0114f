/* ============================================================================================ >>spy
   All coordinates are whole: a locale may write a comma. */
#pragma once
#include "../api/more_calls.h"
#include "../formats/market.h"
#include "../sparse/sparse.h"

#define PERMI_SPY_EXACT 600     /* up to this order and */
#define PERMI_SPY_ENTRIES 20000 /* so many entries: a square each, */
#define PERMI_SPY_CELLS 160     /* else so many a side */
#define PERMI_SPY_PANEL 290
#define PERMI_SPY_LEFT 74 /* of the first map; the other 356 apart */
#define PERMI_SPY_TOP 104
#define PERMI_SPY_CURVES 490
#define PERMI_SPY_LINE 120   /* characters */
#define PERMI_SPY_ROWS 14
#define PERMI_SPY_OUTLINES 500
#define PERMI_SPY_POINTS 1000
/* Okabe and Ito's colours, which the colour-blind tell apart. */
#define PERMI_SPY_BLUE "#0072b2"
#define PERMI_SPY_ORANGE "#d55e00"
#define PERMI_SPY_GREEN "#009e73"

typedef struct permi_spy {
  const perm_matrix *matrix;
  const char *name;
  int cells[2];     /* down, across */
  unsigned *entries; /* in cells: of the matrix as given and block triangular, live and dead */
  int blocks, outlines, singular;
  int *first, *order;
  const perm_job *job;
  char message[PERM_MESSAGE_BYTES];
  const permi_leaf *leaf;
  int steps;
  double *width; /* of each step */
  double dropped;
  permi_control *watch;
  permi_pool pool;
} permi_spy;

PERMI_PRINTF(5, 6)
static void permi_spy_label(FILE *file, int x, int y, const char *attributes, const char *format, ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(file, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
  for (const char *at = text; *at; at++)
    if (*at == '<' || *at == '>' || *at == '&')
      fputs(*at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;", file);
    else
      putc((unsigned char)*at < 32 ? ' ' : (unsigned char)*at > 126 ? '?' : *at, file); /* any bytes make XML */
  fputs("</text>\n", file);
}

static void permi_spy_box(FILE *file, int x, int y, int width, int height, const char *paint)
{
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n", x, y, width, height, paint);
}

static unsigned *permi_spy_entries(const permi_spy *spy, int which, int dead, int i, int j)
{
  const size_t down = (size_t)spy->cells[0], across = (size_t)spy->cells[1];
  return spy->entries + ((size_t)(2 * which + dead) * down + (size_t)i) * across + (size_t)j;
}

/* 0 to 3 by density, 4: dead, -1: empty. */
static int permi_spy_shade(const permi_spy *spy, int which, int i, int j, double area)
{
  const double density = *permi_spy_entries(spy, which, 0, i, j) / area;
  const int empty = *permi_spy_entries(spy, which, 1, i, j) ? 4 : -1;
  return density > 0 ? (density > 0.03) + (density > 0.1) + (density > 0.3) : empty;
}

static void permi_spy_draw_map(FILE *file, const permi_spy *spy, int which, int width, int height)
{
  static const char *const colour[5] = {"#a6cfe6", "#5fabd4", "#2a8cc4", PERMI_SPY_BLUE, PERMI_SPY_ORANGE};
  const int m = spy->matrix->m, n = spy->matrix->n, x = PERMI_SPY_LEFT + 356 * which, y = PERMI_SPY_TOP;
  const int down = spy->cells[0], across = spy->cells[1];
  const double area = ((double)m / (down ? down : 1)) * ((double)n / (across ? across : 1));
  permi_spy_box(file, x, y, width, height, "fill=\"#ffffff\" stroke=\"#777777\"");
  fprintf(file, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n",
          x, y, width, height, across ? across : 1, down ? down : 1);
  for (int shade = 0; shade < 5; shade++) {
    int used = 0;
    for (int i = 0; i < down; i++)
      for (int j = 0, end; j < across; j = end + 1) {
        for (end = j; end < across && permi_spy_shade(spy, which, i, end, area) == shade; end++)
          ;
        if (end > j) {
          fprintf(file, "%sM%d %dh%dv1h%dz", used ? "" : "<path d=\"", j, i, end - j, j - end);
          used = 1;
        }
      }
    if (used)
      fprintf(file, "\" fill=\"%s\"/>\n", colour[shade]);
  }
  fputs("</svg>\n", file);
  if (!down || !across)
    return;
  permi_spy_label(file, x - 6, y + 12, "text-anchor=\"end\"", "1");
  permi_spy_label(file, x, y + height + 19, "", "1");
  if (m > 1 && height > 30)
    permi_spy_label(file, x - 6, y + height, "text-anchor=\"end\"", "%d", m);
  if (n > 1 && width > 60)
    permi_spy_label(file, x + width, y + height + 19, "text-anchor=\"end\"", "%d", n);
  if (width > 160)
    permi_spy_label(file, x + width / 2, y + height + 19, "text-anchor=\"middle\"", "columns");
}

static void permi_spy_head(FILE *file, int which, const char *head, const char *below)
{
  permi_spy_label(file, PERMI_SPY_LEFT + 356 * which, PERMI_SPY_TOP - 32, "class=\"h\"", "%s", head);
  permi_spy_label(file, PERMI_SPY_LEFT + 356 * which, PERMI_SPY_TOP - 11, "", "%s", below);
}

static void permi_spy_maps(FILE *file, const permi_spy *spy)
{
  static const char outline[] = "fill=\"none\" stroke=\"" PERMI_SPY_GREEN "\" stroke-width=\"2\"";
  const perm_matrix *matrix = spy->matrix;
  const double longest = matrix->m > matrix->n ? matrix->m : matrix->n, scale = PERMI_SPY_PANEL;
  const int tall = longest > 0 ? (int)(scale * (matrix->m / longest)) + 1 : PERMI_SPY_PANEL;
  const int wide = longest > 0 ? (int)(scale * (matrix->n / longest)) + 1 : PERMI_SPY_PANEL, legend = 450;
  char text[64];
  permi_spy_label(file, 20, 34, "class=\"t\"", "%.60s%s%d x %d, %.0f entries", spy->name ? spy->name : "",
                  spy->name ? ": " : "", matrix->m, matrix->n, (double)matrix->nnz);
  permi_spy_head(file, 0, "As given", "");
  permi_spy_draw_map(file, spy, 0, wide, tall);
  if (matrix->m == matrix->n) {
    permi_say(text, sizeof text, "%d block%s, %.0f dead entries", spy->blocks, spy->blocks == 1 ? "" : "s",
              spy->dropped);
    permi_spy_head(file, 1, spy->singular ? "No perfect matching: the permanent is 0" : "Block triangular",
                   spy->singular ? "" : text);
    permi_spy_draw_map(file, spy, 1, wide, tall);
    for (int i = 0; i < spy->outlines; i++) {
      const int from = (int)(wide * (spy->first[i] / longest)), length = (int)(wide * (spy->order[i] / longest));
      const int size = length > 1 ? length : 1;
      permi_spy_box(file, PERMI_SPY_LEFT + 356 + from, PERMI_SPY_TOP + from, size, size, outline);
    }
  }
  permi_spy_box(file, PERMI_SPY_LEFT, legend - 12, 14, 14, "fill=\"" PERMI_SPY_BLUE "\"");
  permi_spy_box(file, 270, legend - 12, 14, 14, "fill=\"" PERMI_SPY_ORANGE "\"");
  permi_spy_box(file, 510, legend - 12, 14, 14, outline);
  permi_spy_label(file, PERMI_SPY_LEFT + 22, legend, "", "entries%s",
                  spy->cells[0] < matrix->m ? ", by density" : "");
  permi_spy_label(file, 292, legend, "", "in no perfect matching");
  permi_spy_label(file, 532, legend, "", "blocks");
}

/* Returns 1, 2 or 5 times a power of ten, at most six in a range. */
static double permi_spy_step(double range)
{
  double power = 1;
  while (power * 50 < range)
    power *= 10;
  return power * (range <= 5 * power ? 1 : range <= 10 * power ? 2 : range <= 25 * power ? 5 : 10);
}

static void permi_spy_curve(FILE *file, const permi_spy *spy)
{
  const int left = 110, right = 1060, height = 150, top = PERMI_SPY_CURVES, y = top + 12;
  const int stride = spy->steps / PERMI_SPY_POINTS + 1, tree = spy->leaf->information.method == PERM_METHOD_TREE;
  double scale = 1, step, tick;
  int p, q, last = -1;
  permi_spy_label(file, PERMI_SPY_LEFT, top, "class=\"h\"", "Vertices of the %s along the order of %s, n = %d",
                  tree ? "tables" : "frontier", tree ? "the tree" : "elimination", spy->leaf->information.n);
  for (p = 0; p < spy->steps; p++)
    scale = fmax(scale, spy->width[p]);
  step = permi_spy_step(scale);
  for (tick = 0; tick <= scale; tick += step) {
    const int at = y + height - (int)((height - 8) * tick / scale);
    fprintf(file, "<path d=\"M%d %dH%d\" stroke=\"#dddddd\"/>\n", left, at, right);
    permi_spy_label(file, left - 8, at + 5, "text-anchor=\"end\"", "%.3g", tick);
  }
  step = permi_spy_step(spy->steps);
  for (tick = 0; tick <= spy->steps; tick += step) {
    const int at = left + (int)((right - left) * tick / (spy->steps + 1));
    fprintf(file, "<path d=\"M%d %dV%d\" stroke=\"#dddddd\"/>\n", at, y, y + height);
    permi_spy_label(file, at, y + height + 19, "text-anchor=\"middle\"", "%.0f", tick);
  }
  permi_spy_box(file, left, y, right - left, height, "fill=\"none\" stroke=\"#777777\"");
  fputs("<polyline fill=\"none\" stroke=\"" PERMI_SPY_BLUE "\" stroke-width=\"3\" points=\"", file);
  for (p = 0; p < spy->steps; p += stride) {
    const int x = left + (int)((double)(right - left) * (p + 1) / (spy->steps + 1));
    double here = 0;
    for (q = p; q < spy->steps && q < p + stride; q++)
      here = fmax(here, spy->width[q]);
    if (x != last)
      fprintf(file, "%d,%d ", x, y + height - (int)((height - 8) * here / scale));
    last = x;
  }
  fputs("\"/>\n", file);
  permi_spy_label(file, 585, top + 202, "text-anchor=\"middle\"", "steps: vertices eliminated");
}

static int permi_spy_print(FILE *file, const void *what)
{
  const permi_spy *spy = (const permi_spy *)what;
  const int table = PERMI_SPY_CURVES + (spy->leaf ? 224 : 0), leaves = spy->job ? spy->job->leaves : 0;
  const int rows = leaves < PERMI_SPY_ROWS ? leaves : PERMI_SPY_ROWS;
  const int bottom = table + 84 + 24 * (spy->job ? rows : 3);
  const char *message = spy->message;
  double seconds = 0, rest = 0;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1090\" height=\"%d\" viewBox=\"0 0 1090 %d\" "
                "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"15\" fill=\"#333333\">\n",
          bottom, bottom);
  fputs("<style>.t{font-size:19px;font-weight:bold}.h{font-size:16px;font-weight:bold}</style>\n", file);
  fprintf(file, "<rect width=\"1090\" height=\"%d\" fill=\"#ffffff\"/>\n", bottom);
  permi_spy_maps(file, spy);
  if (spy->leaf)
    permi_spy_curve(file, spy);
  for (int i = 0; i < leaves; i++) {
    seconds += spy->job->leaf[i].information.seconds;
    rest += i < rows ? 0 : spy->job->leaf[i].information.seconds;
  }
  if (spy->job) {
    permi_spy_label(file, PERMI_SPY_LEFT, table + 20, "class=\"h\"",
                    "Plan: %d block%s after reductions, predicted %s on one thread", leaves, leaves == 1 ? "" : "s",
                    permi_time_words(seconds).text);
  } else {
    permi_spy_label(file, PERMI_SPY_LEFT, table + 20, "class=\"h\"", "No plan");
    for (int i = table + 44, length; *message; message += length, i += 22) {
      length = (int)strlen(message);
      if (length > PERMI_SPY_LINE)
        for (length = PERMI_SPY_LINE; length > PERMI_SPY_LINE / 2 && message[length] != ' '; length--)
          ;
      permi_spy_label(file, PERMI_SPY_LEFT, i, "", "%.*s", length, message);
    }
  }
  for (int i = 0; i < rows; i++) {
    const perm_leaf *leaf = &spy->job->leaf[i].information;
    const int y = table + 46 + 24 * i;
    permi_spy_label(file, PERMI_SPY_LEFT, y, "", "order %d", leaf->n);
    permi_spy_label(file, 200, y, "", "%s", perm_name("method", leaf->method));
    permi_spy_label(file, 450, y, "text-anchor=\"end\"", "%s", permi_time_words(leaf->seconds).text);
    if (leaf->bytes > 0)
      permi_spy_label(file, 600, y, "text-anchor=\"end\"", "%s", permi_size_words(leaf->bytes).text);
  }
  if (leaves > rows)
    permi_spy_label(file, PERMI_SPY_LEFT, table + 46 + 24 * rows, "", "and %d more, %s", leaves - rows,
                    permi_time_words(rest).text);
  return fputs("</svg>\n", file) >= 0 && fflush(file) == 0 && !ferror(file);
}

/* Incomplete if watch stops. */
static perm_status permi_spy_matrix(permi_spy *spy, int *numbers)
{
  const perm_matrix *matrix = spy->matrix;
  const int n = matrix->n, square = matrix->m == n && n > 0;
  int *row_place = numbers, *column_place = numbers + n, *start = column_place + n, i, k;
  permi_working working;
  memset(&working, 0, sizeof working);
  if (square) {
    if (!permi_working_create(&working, spy->pool.allocator, n, matrix->nnz))
      return PERM_ERROR_MEMORY;
    working.watch = spy->watch;
    permi_sparse_fill(matrix, 0, 0, &working);
    spy->singular = !permi_split(&working);
  }
  if (square && !spy->singular) { /* components: in reverse topological order */
    const int *column_match = working.work + 3 * (size_t)n; /* left by permi_split */
    spy->blocks = working.blocks;
    spy->dropped = (int)working.report.dead_entries;
    memset(start, 0, ((size_t)spy->blocks + 1) * sizeof *start);
    for (i = 0; i < n; i++)
      start[spy->blocks - working.component[i]]++;
    for (k = 0; k < spy->blocks; k++) {
      if (start[k + 1] > 1 && spy->outlines < PERMI_SPY_OUTLINES) {
        spy->first[spy->outlines] = start[k];
        spy->order[spy->outlines++] = start[k + 1];
      }
      start[k + 1] += start[k];
    }
    for (i = 0; i < n; i++)
      row_place[i] = start[spy->blocks - 1 - working.component[i]]++;
    for (i = 0; i < n; i++)
      column_place[i] = row_place[column_match[i]];
  }
  for (i = 0; i < matrix->m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(spy->watch, e, 20); e++) {
      const int j = matrix->column[e], known = square && !spy->singular;
      const int dead = square && (spy->singular || working.component[i] != working.component[n + j]);
      for (k = 0; k < 1 + square; k++) {
        const int row = k && known ? row_place[i] : i, column = k && known ? column_place[j] : j;
        const size_t down = (size_t)row * (size_t)spy->cells[0] / (size_t)matrix->m;
        const size_t across = (size_t)column * (size_t)spy->cells[1] / (size_t)n;
        ++*permi_spy_entries(spy, k, dead, (int)down, (int)across);
      }
    }
  if (square)
    permi_pool_release(&working.pool);
  return PERM_OK;
}

/* Takes the largest block with an order. Returns 0 without memory. */
static int permi_spy_elimination(permi_spy *spy)
{
  for (int i = 0; spy->job && i < spy->job->leaves; i++) {
    const permi_leaf *leaf = &spy->job->leaf[i];
    if ((leaf->run_task == permi_frontier_run || leaf->run_task == permi_arrays_run_task ||
         leaf->run_task == permi_sorting_run || leaf->run_task == permi_tree_task) &&
        (!spy->leaf || leaf->information.n > spy->leaf->information.n))
      spy->leaf = leaf;
  }
  if (!spy->leaf)
    return 1;
  const permi_frontier *frontier = (const permi_frontier *)spy->leaf->context;
  const permi_tree *tree = spy->leaf->run_task == permi_tree_task ? (const permi_tree *)spy->leaf->context : NULL;
  spy->steps = tree ? tree->nodes : frontier->steps;
  spy->width = (double *)permi_pool_zeros(&spy->pool, (size_t)spy->steps, sizeof(double));
  for (int p = 0; tree && p < spy->steps && spy->width; p++)
    spy->width[p] = permi_count_ones(tree->node[p].all) - 1;
  for (int v = 0; !tree && v < frontier->vertices && spy->width; v++)
    for (int p = frontier->birth[v]; p >= 0 && p < frontier->death[v]; p++)
      spy->width[p]++;
  return spy->width != NULL;
}

static perm_status permi_sparse_spy(const perm_matrix *matrix, const perm_options *options, const char *path,
                                    const char *name, perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  perm_job *job = NULL;
  perm_result planned;
  permi_spy spy;
  int *numbers, most = PERMI_SPY_CELLS;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 3, "path is NULL");
  watch.activity = "drawing";
  perm_status status = permi_check_sparse(matrix, &watch, result);
  if (status != PERM_OK)
    return status;
  memset(&spy, 0, sizeof spy);
  spy.watch = &watch;
  spy.pool.allocator = &options->allocator;
  memset(&planned, 0, sizeof planned);
  status = permi_job_or_none(perm_sparse_job(matrix, options, &job, &planned), &job);
  if (status != PERM_OK && status != PERM_ERROR_LIMIT && status != PERM_ERROR_UNSUPPORTED &&
      status != PERM_ERROR_OVERFLOW && status != PERM_ERROR_SIZE)
    return permi_fail(result, status, planned.argument, "%s", planned.message);
  spy.matrix = matrix;
  spy.job = job;
  memcpy(spy.message, planned.message, sizeof spy.message);
  spy.name = name;
  if (matrix->m <= PERMI_SPY_EXACT && matrix->n <= PERMI_SPY_EXACT && matrix->nnz <= PERMI_SPY_ENTRIES)
    most = PERMI_SPY_EXACT;
  spy.cells[0] = permi_clamp(matrix->m, 0, most);
  spy.cells[1] = permi_clamp(matrix->n, 0, most);
  spy.entries = (unsigned *)permi_pool_zeros(&spy.pool, 4 * (size_t)spy.cells[0] * (size_t)spy.cells[1] + 1,
                                             sizeof *spy.entries);
  numbers = (int *)permi_pool_get(&spy.pool, 3 * (size_t)matrix->n + 2 + 2 * PERMI_SPY_OUTLINES, sizeof *numbers);
  if (!spy.pool.failed) {
    spy.first = numbers + 3 * (size_t)matrix->n + 2;
    spy.order = spy.first + PERMI_SPY_OUTLINES;
  }
  if (spy.pool.failed || permi_spy_matrix(&spy, numbers) != PERM_OK || !permi_spy_elimination(&spy))
    status = permi_fail_memory(result);
  else if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  else
    status = permi_write_file(path, &options->allocator, permi_spy_print, &spy, result);
  permi_pool_release(&spy.pool);
  perm_job_free(job);
  return status;
}

PERM_MORE_API perm_status perm_sparse_spy(const perm_matrix *matrix, const perm_options *options_given,
                                          const char *path, const char *name, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  return permi_meter_end(&call, permi_sparse_spy(matrix, options, path, name, result), result);
}
/* SPDX-License-Identifier: MIT */
