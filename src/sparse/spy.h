/* ============================================================================================ >>spy
   A picture of structure and plan, in whole coordinates, since a locale may write a comma. */
#pragma once
#include "../matrix/write.h"
#include "sparse.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_SPY_EXACT 600     /* up to this order and */
#define PERMI_SPY_ENTRIES 20000 /* so many entries a square each, */
#define PERMI_SPY_CELLS 160     /* else so many squares a side */
#define PERMI_SPY_PANEL 440
#define PERMI_SPY_ROWS 14
#define PERMI_SPY_OUTLINES 500
#define PERMI_SPY_POINTS 1000

typedef struct permi_spy {
  const perm_matrix *matrix;
  int cells[2];
  unsigned *live[2], *dead[2];
  int blocks, outlines, singular;
  int *first, *order;
  const perm_job *job;
  char message[PERM_MESSAGE_BYTES];
  const permi_leaf *leaf;
  int steps;
  double *width, *states; /* of each step */
  double dropped;
  permi_control *watch;
} permi_spy;

typedef struct permi_spy_text {
  char text[64];
} permi_spy_text;

static permi_spy_text permi_spy_number(double x)
{
  permi_spy_text number;
  permi_print_number(number.text, 3, x);
  return number;
}

PERMI_PRINTF(5, 6)
static void permi_spy_label(FILE *file, int x, int y, const char *attributes, const char *format, ...)
{
  char text[256];
  const char *at;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(file, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
  for (at = text; *at; at++)
    if (*at == '<' || *at == '>' || *at == '&')
      fputs(*at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;", file);
    else
      putc((unsigned char)*at < 32 ? ' ' : *at, file);
  fputs("</text>\n", file);
}

static void permi_spy_box(FILE *file, int x, int y, int width, int height, const char *paint)
{
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n", x, y, width, height, paint);
}

/* A square's shade: 0 to 3 by density, 4: dead entries only, -1: empty. */
static int permi_spy_shade(const permi_spy *spy, int map, int i, int j, double area)
{
  const size_t at = (size_t)i * (size_t)spy->cells[1] + (size_t)j;
  const double density = spy->live[map][at] / area;
  if (spy->live[map][at])
    return (density > 0.03) + (density > 0.1) + (density > 0.3);
  return spy->dead[map][at] ? 4 : -1;
}

/* A path of runs of squares for each shade. */
static void permi_spy_map(FILE *file, const permi_spy *spy, int map, int x, int y, int width, int height)
{
  static const char *const colour[5] = {"#b9cff0", "#7ea6e0", "#3f77c9", "#123f8c", "#e07b39"};
  const int down = spy->cells[0], across = spy->cells[1];
  const double area = ((double)spy->matrix->m / (down ? down : 1)) * ((double)spy->matrix->n / (across ? across : 1));
  int shade, i, j, end;
  permi_spy_box(file, x, y, width, height, "fill=\"#ffffff\" stroke=\"#999999\"");
  fprintf(file, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n",
          x, y, width, height, across ? across : 1, down ? down : 1);
  for (shade = 0; shade < 5; shade++) {
    int used = 0;
    for (i = 0; i < down; i++)
      for (j = 0; j < across; j = end + 1) {
        for (end = j; end < across && permi_spy_shade(spy, map, i, end, area) == shade; end++)
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
}

static double permi_spy_height(double value, int logarithmic)
{
  return logarithmic ? log2(fmax(value, 1)) : value;
}

static void permi_spy_curve(FILE *file, const permi_spy *spy, const double *value, int y, int logarithmic)
{
  const int left = 100, right = 980, height = 130, stride = spy->steps / PERMI_SPY_POINTS + 1;
  double most = 0, scale;
  int p, q, last = -1;
  for (p = 0; p < spy->steps; p++)
    most = fmax(most, value[p]);
  scale = fmax(1, permi_spy_height(most, logarithmic));
  permi_spy_box(file, left, y, right - left, height, "fill=\"#f7f9fc\" stroke=\"#999999\"");
  permi_spy_label(file, left - 8, y + 12, "text-anchor=\"end\"", "%s", permi_spy_number(most).text);
  permi_spy_label(file, left - 8, y + height, "text-anchor=\"end\"", "%d", logarithmic);
  fputs("<polyline fill=\"none\" stroke=\"#123f8c\" stroke-width=\"2\" points=\"", file);
  for (p = 0; p < spy->steps; p += stride) {
    const int x = left + (int)((double)(right - left) * (p + 1) / (spy->steps + 1));
    double here = 0;
    for (q = p; q < spy->steps && q < p + stride; q++)
      here = fmax(here, value[q]);
    if (x != last)
      fprintf(file, "%d,%d ", x, y + height - (int)((height - 6) * permi_spy_height(here, logarithmic) / scale));
    last = x;
  }
  fputs("\"/>\n", file);
}

static void permi_spy_maps(FILE *file, const permi_spy *spy)
{
  static const char outline[] = "fill=\"none\" stroke=\"#0a7d55\"";
  const perm_matrix *matrix = spy->matrix;
  const double longest = matrix->m > matrix->n ? matrix->m : matrix->n, scale = PERMI_SPY_PANEL;
  const int tall = longest > 0 ? (int)(scale * (matrix->m / longest)) + 1 : PERMI_SPY_PANEL;
  const int wide = longest > 0 ? (int)(scale * (matrix->n / longest)) + 1 : PERMI_SPY_PANEL;
  int i;
  permi_spy_label(file, 50, 36, "class=\"h\"", "As given: %d x %d, %.0f entries", matrix->m, matrix->n,
                  (double)matrix->nnz);
  permi_spy_map(file, spy, 0, 50, 50, wide, tall);
  if (matrix->m == matrix->n) {
    if (spy->singular)
      permi_spy_label(file, 540, 36, "class=\"h\"", "No perfect matching: the permanent is 0");
    else
      permi_spy_label(file, 540, 36, "class=\"h\"", "Block triangular: %d block%s, %.0f dead entries", spy->blocks,
                      spy->blocks == 1 ? "" : "s", spy->dropped);
    permi_spy_map(file, spy, 1, 540, 50, wide, tall);
    for (i = 0; i < spy->outlines; i++) {
      const int from = (int)(wide * (spy->first[i] / longest)), size = (int)(wide * (spy->order[i] / longest));
      permi_spy_box(file, 540 + from, 50 + from, size > 1 ? size : 1, size > 1 ? size : 1, outline);
    }
  }
  permi_spy_box(file, 50, 508, 12, 12, "fill=\"#123f8c\"");
  permi_spy_box(file, 190, 508, 12, 12, "fill=\"#e07b39\"");
  permi_spy_box(file, 410, 508, 12, 12, outline);
  permi_spy_label(file, 68, 519, "", "entries%s", spy->cells[0] < matrix->m ? ", by density" : "");
  permi_spy_label(file, 208, 519, "", "in no perfect matching");
  permi_spy_label(file, 428, 519, "", "blocks");
}

static int permi_spy_print(FILE *file, const void *what)
{
  const permi_spy *spy = (const permi_spy *)what;
  const int table = spy->leaf ? 910 : 550, leaves = spy->job ? spy->job->leaves : 0;
  const int rows = leaves < PERMI_SPY_ROWS ? leaves : PERMI_SPY_ROWS, bottom = table + 70 + 22 * (rows + 1);
  double seconds = 0, rest = 0;
  int i;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1040\" height=\"%d\" viewBox=\"0 0 1040 %d\" "
                "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n",
          bottom, bottom);
  fputs("<style>.h{font-size:15px;font-weight:bold}</style>\n", file);
  fprintf(file, "<rect width=\"1040\" height=\"%d\" fill=\"#ffffff\"/>\n", bottom);
  permi_spy_maps(file, spy);
  if (spy->leaf) {
    const int tree = spy->leaf->information.method == PERM_METHOD_TREE;
    permi_spy_label(file, 100, 567, "class=\"h\"",
                    "Vertices of the %s along the order of %s, block of order %d after reductions",
                    tree ? "tables" : "frontier", tree ? "the tree" : "elimination", spy->leaf->information.n);
    permi_spy_curve(file, spy, spy->width, 575, 0);
    permi_spy_label(file, 100, 757, "class=\"h\"", "States, predicted (logarithmic)");
    permi_spy_curve(file, spy, spy->states, 765, 1);
  }
  for (i = 0; i < leaves; i++) {
    seconds += spy->job->leaf[i].information.seconds;
    rest += i < rows ? 0 : spy->job->leaf[i].information.seconds;
  }
  if (spy->job) {
    permi_spy_label(file, 50, table + 20, "class=\"h\"",
                    "Plan: %d block%s after reductions, predicted %s s on one thread", leaves, leaves == 1 ? "" : "s",
                    permi_spy_number(seconds).text);
  } else {
    permi_spy_label(file, 50, table + 20, "class=\"h\"", "No plan");
    permi_spy_label(file, 50, table + 44, "", "%s", spy->message);
  }
  for (i = 0; i < rows; i++) {
    const perm_leaf *leaf = &spy->job->leaf[i].information;
    const int y = table + 46 + 22 * i;
    permi_spy_label(file, 50, y, "", "order %d", leaf->n);
    permi_spy_label(file, 170, y, "", "%s", perm_method_name(leaf->method));
    permi_spy_label(file, 380, y, "text-anchor=\"end\"", "%s s", permi_spy_number(leaf->seconds).text);
    permi_spy_label(file, 540, y, "text-anchor=\"end\"", leaf->bytes > 0 ? "%s bytes" : "%.0s",
                    permi_spy_number(leaf->bytes).text);
  }
  if (leaves > rows)
    permi_spy_label(file, 50, table + 46 + 22 * rows, "", "and %d more, %s s", leaves - rows,
                    permi_spy_number(rest).text);
  return fputs("</svg>\n", file) >= 0 && fflush(file) == 0 && !ferror(file);
}

/* Goes through the streams backwards: what vanishes was there before, what comes was not. */
static void permi_spy_frontier(permi_spy *spy, const permi_frontier *frontier)
{
  uint64_t alive = 0;
  int p, s;
  for (p = frontier->steps; p-- > 0;) {
    uint64_t gone = 0, born = 0, self;
    int held = 0;
    spy->width[p] = permi_count_ones(alive);
    spy->states[p] = frontier->states[p + 1];
    for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
      const uint64_t test = permi_stream_word(frontier, s, 0, 0), want = permi_stream_word(frontier, s, 1, 0);
      const uint64_t flip = permi_stream_word(frontier, s, 2, 0);
      const int drop = want == test && flip == test && s == frontier->stream_start[p];
      held |= drop;
      gone |= want | (test & ~want & ~flip);
      self = held ? permi_stream_word(frontier, frontier->stream_start[p], 0, 0) & ~want : 0;
      born |= (want ^ flip) & ~(test & ~want & ~self);
    }
    alive = (alive & ~born) | gone;
  }
}

/* The maps and the blocks are incomplete if watch stops. */
static perm_status permi_spy_matrix(permi_spy *spy, const perm_allocator *allocator, int *numbers)
{
  const perm_matrix *matrix = spy->matrix;
  const int n = matrix->n, square = matrix->m == n && n > 0;
  int *row_place = numbers, *column_place = numbers + n, *start = column_place + n, i, k;
  permi_working working;
  const permi_given given = permi_given_rows(matrix);
  size_t e;
  memset(&working, 0, sizeof working);
  if (square) {
    if (!permi_working_create(&working, allocator, n, matrix->nnz))
      return PERM_ERROR_MEMORY;
    working.watch = spy->watch;
    permi_sparse_fill(&given, 0, 0, &working);
    spy->singular = !permi_split(&working);
  }
  if (square && !spy->singular) { /* components come in reverse topological order */
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
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(spy->watch, e, 20); e++) {
      const int j = matrix->column[e], known = square && !spy->singular;
      const int dead = square && (spy->singular || working.component[i] != working.component[n + j]);
      for (k = 0; k < 1 + square; k++) {
        const int row = k && known ? row_place[i] : i, column = k && known ? column_place[j] : j;
        const size_t down = (size_t)row * (size_t)spy->cells[0] / (size_t)matrix->m;
        const size_t across = (size_t)column * (size_t)spy->cells[1] / (size_t)n;
        (dead ? spy->dead[k] : spy->live[k])[down * (size_t)spy->cells[1] + across]++;
      }
    }
  if (square)
    permi_working_free(&working);
  return PERM_OK;
}

static int permi_spy_elimination(permi_spy *spy, const perm_allocator *allocator)
{
  const permi_frontier *frontier;
  const permi_tree *tree;
  int i;
  for (i = 0; spy->job && i < spy->job->leaves; i++) {
    const permi_leaf *leaf = &spy->job->leaf[i];
    if ((leaf->run_task == permi_frontier_run || leaf->run_task == permi_tree_task) &&
        (!spy->leaf || leaf->information.n > spy->leaf->information.n))
      spy->leaf = leaf;
  }
  if (!spy->leaf)
    return 1;
  frontier = spy->leaf->run_task == permi_frontier_run ? (const permi_frontier *)spy->leaf->context : NULL;
  tree = frontier ? NULL : (const permi_tree *)spy->leaf->context;
  spy->steps = frontier ? frontier->steps : tree->nodes;
  spy->width = (double *)permi_allocate(allocator, (size_t)spy->steps, sizeof(double));
  spy->states = (double *)permi_allocate(allocator, (size_t)spy->steps, sizeof(double));
  if (!spy->width || !spy->states)
    return 0;
  if (frontier) {
    permi_spy_frontier(spy, frontier);
  } else {
    for (i = 0; i < tree->nodes; i++) {
      const permi_tree_node *node = &tree->node[i];
      const int vertices = permi_count_ones(node->all) - 1;
      spy->width[i] = vertices;
      spy->states[i] = permi_tree_choose(tree, vertices,
                                         permi_count_ones(node->rows) - !node->column - node->difference);
    }
  }
  return 1;
}

static perm_status permi_sparse_spy(const perm_matrix *matrix, const perm_options *options, const char *path,
                                    perm_result *result)
{
  const perm_allocator *allocator = &options->allocator;
  permi_control watch = permi_control_begin(options);
  perm_job *job = NULL;
  perm_result planned;
  perm_status status;
  permi_spy spy;
  unsigned *maps = NULL;
  int *numbers = NULL, exact, k;
  size_t area;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 3, "path is NULL");
  watch.activity = "drawing";
  status = permi_check_sparse(matrix, &watch, result);
  if (status != PERM_OK)
    return status;
  memset(&spy, 0, sizeof spy);
  spy.watch = &watch;
  memset(&planned, 0, sizeof planned);
  status = perm_sparse_job(matrix, options, &job, &planned);
  if (status != PERM_OK && status != PERM_ERROR_LIMIT && status != PERM_ERROR_UNSUPPORTED &&
      status != PERM_ERROR_OVERFLOW && status != PERM_ERROR_SIZE)
    return permi_fail(result, status, planned.argument, "%s", planned.message);
  spy.matrix = matrix;
  spy.job = job;
  memcpy(spy.message, planned.message, sizeof spy.message);
  exact = matrix->m <= PERMI_SPY_EXACT && matrix->n <= PERMI_SPY_EXACT && matrix->nnz <= PERMI_SPY_ENTRIES;
  for (k = 0; k < 2; k++) {
    spy.cells[k] = k ? matrix->n : matrix->m;
    if (!exact && spy.cells[k] > PERMI_SPY_CELLS)
      spy.cells[k] = PERMI_SPY_CELLS;
  }
  area = (size_t)spy.cells[0] * (size_t)spy.cells[1];
  maps = (unsigned *)permi_allocate(allocator, 4 * area + 1, sizeof *maps);
  numbers = (int *)permi_allocate(allocator, 3 * (size_t)matrix->n + 2 + 2 * PERMI_SPY_OUTLINES, sizeof *numbers);
  if (maps && numbers) {
    memset(maps, 0, (4 * area + 1) * sizeof *maps);
    for (k = 0; k < 2; k++) {
      spy.live[k] = maps + (size_t)k * area;
      spy.dead[k] = maps + (size_t)(2 + k) * area;
    }
    spy.first = numbers + 3 * (size_t)matrix->n + 2;
    spy.order = spy.first + PERMI_SPY_OUTLINES;
    status = permi_spy_matrix(&spy, allocator, numbers);
    if (status == PERM_OK && !permi_spy_elimination(&spy, allocator))
      status = PERM_ERROR_MEMORY;
  } else {
    status = PERM_ERROR_MEMORY;
  }
  if (status == PERM_OK && watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  else if (status == PERM_OK)
    status = permi_write_file(path, allocator, permi_spy_print, &spy, result);
  else
    permi_fail_memory(result);
  permi_release(allocator, maps);
  permi_release(allocator, numbers);
  permi_release(allocator, spy.width);
  permi_release(allocator, spy.states);
  perm_job_free(job);
  return status;
}

PERM_SPARSE_API perm_status perm_sparse_spy(const perm_matrix *matrix, const perm_options *options_given,
                                            const char *path, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  return permi_meter_end(&call, permi_sparse_spy(matrix, options, path, result), result);
}
#endif
