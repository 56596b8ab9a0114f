/* golden_sparse.h: part of golden_calls.h, sparse matrices, files, plans and reports. */

static const char *const golden_kind_name[] = {"pattern", "integer", "real", "complex"};

/* A sparse matrix of order n (or m x n), described; values of one kind. */
static perm_matrix golden_sparse_matrix(int m, int n, perm_kind kind, const perm_options *options)
{
  static int row[GOLDEN_MOST * GOLDEN_MOST], column[GOLDEN_MOST * GOLDEN_MOST];
  static double real[GOLDEN_MOST * GOLDEN_MOST], imaginary[GOLDEN_MOST * GOLDEN_MOST];
  static int64_t integer[GOLDEN_MOST * GOLDEN_MOST];
  static const int sparse[] = {golden_few,  golden_few,  golden_few,      golden_band,   golden_band,
                               golden_grid, golden_hubs, golden_blocks,   golden_tree,   golden_circulant,
                               golden_half, golden_full, golden_triangle, golden_lonely, golden_zero_row};
  const int pattern = n > 14 ? sparse[golden_below(10)] : sparse[golden_below(15)];
  const int values = golden_below(golden_value_kinds), size = golden_below(GOLDEN_SIZES), turned = golden_below(2);
  const int shuffled = golden_below(2);
  int rows[GOLDEN_MOST], columns[GOLDEN_MOST], i, j;
  size_t used = 0, k;
  perm_matrix matrix;
  perm_result r;
  golden_describe("%dx%d %s %s %s%s%s", m, n, golden_kind_name[kind], golden_pattern_name[pattern],
                  kind == PERM_KIND_PATTERN   ? "1"
                  : kind == PERM_KIND_INTEGER ? golden_size_name[size]
                                              : golden_value_name[values],
                  shuffled ? " shuffled" : "", turned ? " turned" : "");
  for (i = 0; i < m; i++)
    rows[i] = i;
  for (i = 0; i < n; i++)
    columns[i] = i;
  for (i = m - 1; i > 0 && shuffled; i--) {
    const int other = golden_below(i + 1), swap = rows[i];
    rows[i] = rows[other];
    rows[other] = swap;
  }
  for (i = n - 1; i > 0 && shuffled; i--) {
    const int other = golden_below(i + 1), swap = columns[i];
    columns[i] = columns[other];
    columns[other] = swap;
  }
  golden_draw_pattern(pattern, m, n);
  for (i = 0; i < m; i++) {
    const double scale = golden_power(golden_from(-40, 40));
    for (j = 0; j < n; j++)
      if (golden_there[turned && m == n ? j * n + i : i * n + j]) {
        row[used] = rows[i];
        column[used] = columns[j];
        integer[used] = golden_integer(size);
        real[used] = golden_value(values, scale);
        imaginary[used++] = golden_value(values, scale);
      }
  }
  for (k = used; k > 1; k--) { /* any order will do */
    const size_t other = (size_t)golden_below((int)k), last = k - 1;
    const int r0 = row[last], c0 = column[last];
    const double x = real[last], y = imaginary[last];
    const int64_t z = integer[last];
    row[last] = row[other], column[last] = column[other];
    real[last] = real[other], imaginary[last] = imaginary[other], integer[last] = integer[other];
    row[other] = r0, column[other] = c0;
    real[other] = x, imaginary[other] = y, integer[other] = z;
  }
  if (perm_matrix_from_triplets(m, n, used, row, column, real, imaginary, integer, kind, options, &matrix, &r) !=
      PERM_OK)
    golden_failure(r.status, &r);
  return matrix;
}

static int golden_sparse_order(int most)
{
  const int kind = golden_below(3);
  return kind == 0 ? golden_from(1, 9) : kind == 1 ? golden_from(8, 20 < most ? 20 : most) : golden_from(1, most);
}

static void golden_sparse(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_sparse_order(48), m = golden_below(25) ? n : golden_from(1, 9);
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(m, m == n ? n : golden_from(1, 12), kind, &options);
  options = golden_options(GOLDEN_ALL_OPTIONS);
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  perm_compute_sparse(&matrix, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

static void golden_sparse_methods(int index)
{
  const perm_kind kind = (perm_kind)(index / GOLDEN_METHODS % 4);
  const int number = index % GOLDEN_METHODS;
  const perm_method method = golden_method(number);
  const int slow = method == PERM_METHOD_EXPANSION || method == PERM_METHOD_TRANSVERSALS;
  const int n = slow ? golden_from(1, 10) : golden_below(3) ? golden_from(1, 13) : golden_from(10, 20);
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  if (method == PERM_METHOD_COUNT)
    return;
  memset(&options, 0, sizeof options);
  golden_describe("%s ", number == GOLDEN_PROOF ? "proof" : perm_name("method", method));
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_options(GOLDEN_ALL_OPTIONS);
  options.method = method;
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  if (number == GOLDEN_PROOF)
    perm_prove_sparse(&matrix, NULL, &options, &r);
  else
    perm_compute_sparse(&matrix, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

/* Larger ones, where threads share the steps of a task; what is predicted to take long is left out. */
static void golden_sparse_large(int index)
{
  static const perm_method method[] = {PERM_METHOD_AUTO,     PERM_METHOD_LISTS,    PERM_METHOD_SORTING,
                                       PERM_METHOD_ARRAYS,   PERM_METHOD_TREE,     PERM_METHOD_BAND,
                                       PERM_METHOD_HYBRID,   PERM_METHOD_COUNT,    PERM_METHOD_DOMINATING,
                                       PERM_METHOD_SPARYSER, PERM_METHOD_DECOMPOSE};
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_from(20, 60);
  perm_options options;
  perm_matrix matrix;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_result r;
  double seconds = 0;
  int k;
  if (method[index / 4 % 11] == PERM_METHOD_COUNT)
    return;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  options.method = method[index / 4 % 11];
  options.threads = 3;
  golden_describe(" %s", perm_name("method", options.method));
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  if (perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK)
    for (k = 0; k < perm_job_leaves(job); k++)
      seconds += perm_job_leaf(job, k, &leaf) == PERM_OK ? leaf.seconds : 0;
  if (seconds > 0.2) {
    golden_say(" long");
  } else {
    perm_compute_sparse(&matrix, &options, &r);
    golden_result(&r);
  }
  golden_end();
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* Dense arrays that perm.h hands over. */
static void golden_routed(int index)
{
  static const int sparse[] = {golden_few, golden_band, golden_grid, golden_hubs, golden_tree, golden_circulant};
  const int kind = index % 4, n = golden_from(18, 40), pattern = sparse[golden_below(6)];
  const int values = golden_below(golden_value_kinds), size = golden_below(GOLDEN_SIZES);
  perm_options options;
  perm_result r;
  golden_describe("%d %s %s", n, golden_pattern_name[pattern],
                  kind < 2 ? golden_value_name[values] : golden_size_name[size]);
  options = golden_options(kind < 2 ? GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE : 0);
  if (kind < 2)
    golden_draw_matrix(pattern, values, n, n, kind + 1, golden_a, n);
  else
    golden_draw_integers(pattern, size, n, n, kind - 1, golden_i, n);
  switch (kind) {
  case 0: perm_compute_real(n, n, golden_a, n, &options, &r); break;
  case 1: perm_compute_complex(n, n, golden_a, n, &options, &r); break;
  case 2: perm_compute_integer(n, n, golden_i, n, &options, &r); break;
  default: perm_compute_gaussian(n, n, golden_i, n, &options, &r); break;
  }
  golden_result(&r);
  golden_end();
}

/* Derivatives agree with each other: nothing is said unless they do not, so older records stand. */
static void golden_derive(const perm_matrix *matrix, const perm_options *given)
{
  static double gradient[2 * 60 * 60], chance[60 * 60], again[60 * 60], sum[2][60];
  double *const list = again;
  static uint64_t residue[60 * 60];
  static perm_integer whole[60 * 60];
  perm_options options = *given;
  perm_result r;
  const int longer = matrix->m < matrix->n;
  size_t e;
  int i;
  memset(sum, 0, sizeof sum);
  if (perm_gradient_sparse(matrix, &options, gradient, &r) == PERM_OK && !(r.error_bound >= 0))
    golden_say(" gradient without a bound");
  if (perm_workspace_create(NULL, &options.allocator) != PERM_OK)
    golden_say(" no workspace");
  if (perm_marginals_sparse(matrix, &options, chance, sum[longer], &r) == PERM_OK) {
    for (i = 0, e = 0; i < matrix->m; i++)
      for (; e < matrix->row_start[i + 1]; e++) {
        sum[0][i] += chance[e];
        sum[1][matrix->column[e]] += chance[e];
      }
    for (i = 0; i < matrix->m + matrix->n; i++)
      if (!(fabs(sum[i >= matrix->m][i < matrix->m ? i : i - matrix->m] - 1) < 1e-9))
        golden_say(" marginals of line %d", i);
    if (perm_marginals_sparse_batch(1, &matrix, &options, &list, NULL, &r) != PERM_OK ||
        memcmp(chance, again, matrix->nnz * sizeof *chance) != 0)
      golden_say(" other marginals in a batch");
  }
  perm_workspace_free(&options.allocator);
  if (matrix->kind > PERM_KIND_INTEGER || perm_gradient_sparse_integer(matrix, &options, whole, &r) != PERM_OK)
    return;
  options.modulus = 1000003;
  if (perm_gradient_sparse_mod(matrix, &options, residue, &r) != PERM_OK)
    golden_say(" no residues");
  for (e = 0; e < matrix->nnz && r.status == PERM_OK; e++) {
    uint64_t rest = 0;
    for (i = whole[e].words - 1; i >= 0; i--) {
      rest = (rest << 32 | whole[e].word[i] >> 32) % options.modulus;
      rest = (rest << 32 | (whole[e].word[i] & 0xffffffff)) % options.modulus;
    }
    if (residue[e] != (whole[e].negative && rest ? options.modulus - rest : rest))
      golden_say(" derivative %d modulo %d", (int)e, (int)options.modulus);
  }
}

static void golden_report(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_sparse_order(60), m = golden_below(5) ? n : golden_from(1, 60);
  perm_options options;
  perm_matrix matrix;
  perm_preparation p;
  perm_result r;
  perm_integer numbers[13];
  int k, drawn[3 * 60];
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  matrix = golden_sparse_matrix(m, n, kind, &options);
  if (perm_sparse_report(&matrix, &options, &p, &r) != PERM_OK)
    golden_failure(r.status, &r);
  else
    golden_say(" %dx%d:%d rank=%d hall=%d,%d parts=%d dead=%d one=%d,%d two=%d,%d rounds=%d cancelled=%d"
               " blocks=%d,%d,%d equal=%d,%d three=%d four=%d",
               p.m, p.n, (int)p.entries, p.structural_rank, p.hall_lines, p.hall_others, p.components,
               (int)p.dead_entries, p.degree_one, (int)p.entries_one, p.degree_two, (int)p.entries_two, p.rounds,
               p.cancelled, p.blocks, p.largest, (int)p.entries_left, p.equal_rows, p.equal_columns, p.degree_three,
               p.degree_four);
  if (m <= 12 && n <= 12 && perm_rook_numbers(&matrix, &options, numbers, &r) == PERM_OK) {
    for (k = m + n; k >= 0; k--) { /* of the matching polynomial: x^(m + n - k) */
      const perm_integer *number = k % 2 == 0 && k / 2 <= m && k / 2 <= n ? &numbers[k / 2] : NULL;
      const int negative = number && number->words && number->negative ^ (k / 2 & 1);
      golden_say(" %s%.0f", negative ? "-" : "", number ? (double)number->word[0] : 0);
    }
  }
  if (m <= n && n <= 60 && perm_sample_sparse(&matrix, &options, 5, 0, 3, drawn, &r) == PERM_OK)
    for (k = 0; k < 3 * m; k++)
      golden_say(" %d", drawn[k]);
  golden_derive(&matrix, &options);
  golden_end();
  perm_matrix_free(&matrix);
}

/* The offers are those of the text, in its words. */
static void golden_offers(const perm_job *job, const char *text)
{
  perm_offer offer;
  int index, proved;
  char line[400], seconds[40], bytes[40];
  perm_job_precision(job, &proved);
  for (index = 0; perm_job_offer(job, index, &offer) == PERM_OK; index++) {
    if (offer.seconds < (double)INFINITY)
      snprintf(line, sizeof line, "  order %d, %-12s predicted %.3g s, %.3g bytes%s%s\n", offer.n,
               perm_name("method", offer.method), offer.seconds, offer.bytes, offer.reason[0] ? ": " : "",
                   offer.reason);
    else
      snprintf(line, sizeof line, "  order %d, %-12s no: the block %s\n", offer.n, perm_name("method", offer.method),
               offer.reason);
    if (!strstr(text, line) || !perm_amount_text("seconds", offer.seconds, seconds, sizeof seconds) ||
        !perm_amount_text("bytes", offer.bytes, bytes, sizeof bytes))
      golden_die("an offer is not in perm_job_explain", line);
  }
}

/* What --explain prints, a line each; twenty of them with the picture, of which there is a hash. */
static void golden_explain(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = index % 5 ? golden_sparse_order(48) : golden_from(20, 30), picture = index % 10 == 0;
  perm_options options;
  perm_matrix matrix;
  perm_job *job = NULL;
  perm_result r;
  char *text, *at, *next;
  size_t length;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE);
  if (golden_below(2)) {
    options.method = golden_method(golden_below(5) ? golden_from(12, 23) : golden_below(GOLDEN_METHODS));
    golden_now.gone |= options.method == PERM_METHOD_COUNT;
    golden_describe(" %s", perm_name("method", options.method));
  }
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  if (picture && perm_sparse_spy(&matrix, &options, "spy.svg", NULL, &r) == PERM_OK) {
    text = golden_read_file("spy.svg", &length);
    golden_mask(text);
    golden_hash("svg", text, strlen(text));
    free(text);
    remove("spy.svg");
  }
  if (perm_sparse_job(&matrix, &options, &job, &r) != PERM_OK)
    golden_failure(r.status, &r);
  golden_end();
  if (job) { /* a refused plan, too */
    length = perm_job_explain(job, NULL, 0);
    text = (char *)malloc(length + 1);
    if (!text || perm_job_explain(job, text, length + 1) != length)
      golden_die("perm_job_explain has two lengths", NULL);
    golden_offers(job, text);
    golden_mask(text);
    for (at = text; *at; at = next) {
      next = at + strcspn(at, "\n");
      if (*next)
        *next++ = 0;
      golden_say(" %s", at);
      golden_end();
    }
    free(text);
  }
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* Texts to read, whole and damaged. */
static void golden_read_text(int index)
{
  static const char alphabet[] = "0123456789 .-+eEi%#\n\tx,NaInf";
  static char text[1 << 14];
  static const char *const symmetry[] = {"general", "general", "symmetric", "skew-symmetric", "hermitian"};
  static const char *const field[] = {"pattern", "integer", "real", "complex"};
  const int form = index % 4, kind = golden_below(4), n = golden_from(1, 6), like = golden_below(5);
  const int damage = golden_below(3) == 0 ? 0 : golden_from(1, 2);
  int i, j, k, entries = 0;
  size_t used = 0;
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  golden_draw_pattern(golden_few, n, n);
  for (i = 0; i < n * n; i++)
    entries += golden_there[i];
#define GOLDEN_ADD(...) (used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__))
  if (form == 0 || form == 1) {
    GOLDEN_ADD("%%%%MatrixMarket matrix %s %s %s\n", form ? "array" : "coordinate", field[kind], symmetry[like]);
    if (form)
      GOLDEN_ADD("%d %d\n", n, n);
    else
      GOLDEN_ADD("%d %d %d\n", n, n, entries);
  } else if (form == 2) {
    GOLDEN_ADD("%d %d %d\n", n, n, entries);
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      const int there = golden_there[i * n + j], style = golden_below(4), x = golden_from(-30, 30);
      const int y = golden_from(1, 99);
      if (form != 1 && form != 3 && !there)
        continue;
      if (form == 0 || form == 2)
        GOLDEN_ADD("%d %d ", like >= 2 && i < j ? j + 1 : i + 1, like >= 2 && i < j ? i + 1 : j + 1);
      for (k = 0; k < (form > 1 || kind == 3 ? 1 + (kind == 3 && form < 2) : kind > 0); k++) {
        if (style == 0 || kind == 1)
          GOLDEN_ADD("%d ", x + k);
        else if (style == 1)
          GOLDEN_ADD("%d.%02d ", x, y);
        else if (style == 2)
          GOLDEN_ADD("%d.%de-%d ", x, y, y % 9);
        else if (form == 3 && kind == 3)
          GOLDEN_ADD("%d+%di ", x, y);
        else
          GOLDEN_ADD("%de%d ", x, y % 7);
      }
      if (form != 3)
        GOLDEN_ADD("\n");
    }
    if (form == 3)
      GOLDEN_ADD("\n");
  }
#undef GOLDEN_ADD
  for (k = 0; k < damage && used; k++) {
    const int way = golden_below(3);
    const size_t at = (size_t)golden_below((int)used);
    if (way == 0)
      text[at] = alphabet[golden_below((int)sizeof alphabet - 1)];
    else if (way == 1)
      memmove(text + at, text + at + 1, --used - at);
    else
      used = used / 2 + at / 2;
  }
  memset(&options, 0, sizeof options);
  options.format = golden_below(2) ? PERM_FORMAT_AUTO : (perm_format)golden_below(PERM_FORMAT_EDGES + 1);
  golden_describe("text %d %s %s damage %d as %s", form, field[kind], symmetry[like], damage,
                  perm_name("format", options.format));
  perm_matrix_read_memory(text, used, index % 2 ? "it.txt" : NULL, &options, &matrix, &r);
  if (r.status == PERM_OK) {
    golden_say(" %dx%d:%d %s", matrix.m, matrix.n, (int)matrix.nnz, golden_kind_name[matrix.kind]);
    golden_hash("rows", matrix.row_start, ((size_t)matrix.m + 1) * sizeof *matrix.row_start);
    golden_hash("columns", matrix.column, matrix.nnz * sizeof *matrix.column);
    if (matrix.real)
      golden_hash("real", matrix.real, matrix.nnz * sizeof *matrix.real);
    if (matrix.imaginary)
      golden_hash("imaginary", matrix.imaginary, matrix.nnz * sizeof *matrix.imaginary);
    if (matrix.integer)
      golden_hash("integer", matrix.integer, matrix.nnz * sizeof *matrix.integer);
  }
  golden_failure(r.status, &r);
  golden_end();
  perm_matrix_free(&matrix);
}

/* Permanents of the graphs of a file, one after another; every fourth file ends in a line that is none. */
static int golden_graph(perm_matrix *matrix, const perm_integer *denominator, unsigned long long line, void *user_data)
{
  perm_result r;
  perm_compute_sparse(matrix, NULL, &r);
  golden_say(" %llu:%d:%.17g:%d", line, matrix->n, r.value, (int)denominator->words);
  perm_matrix_free(matrix);
  return *(int *)user_data && --*(int *)user_data == 0;
}

static void golden_graphs(int index)
{
  FILE *file = fopen("graphs.g6", "wb");
  int most = index % 3, k, bit, bits;
  perm_result r;
  if (!file)
    return;
  for (k = 0; k < 4; k++) {
    const int n = golden_from(1, 7);
    fprintf(file, "%c", n + 63);
    for (bits = n * (n - 1) / 2; bits > 0; bits -= 6) {
      int group = 0;
      for (bit = 5; bit >= 0; bit--)
        group |= bits + bit - 5 > 0 ? golden_below(2) << bit : 0;
      fprintf(file, "%c", group + 63);
    }
    fprintf(file, "\n");
  }
  if (index % 4 == 3)
    fprintf(file, "C\n");
  fclose(file);
  golden_describe("graphs, at most %d", most);
  perm_matrix_read_each("graphs.g6", NULL, golden_graph, &most, &r);
  golden_failure(r.status, &r);
  remove("graphs.g6");
  golden_end();
}

/* A matrix written, read again, and made from its dense form. */
static void golden_write(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_from(1, 12), m = golden_below(3) ? n : golden_from(1, 12);
  perm_options options;
  perm_matrix matrix, again;
  perm_result r;
  char *text;
  size_t bytes;
  int ld;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(m, n, kind, &options);
  if (perm_matrix_write("matrix.mtx", &matrix, NULL, &r) != PERM_OK)
    golden_failure(r.status, &r);
  if (perm_matrix_write("matrix.mtx", &matrix, &options, &r) != PERM_OK) /* replaces it by the same */
    golden_failure(r.status, &r);
  text = golden_read_file("matrix.mtx", &bytes);
  golden_hash("file", text, bytes);
  free(text);
  perm_matrix_read("matrix.mtx", &options, &again, NULL, &r);
  golden_say(" same=%d", again.nnz == matrix.nnz && again.kind == matrix.kind &&
                             !memcmp(again.column, matrix.column, matrix.nnz * sizeof *matrix.column) &&
                             (!matrix.real || kind == PERM_KIND_INTEGER ||
                              !memcmp(again.real, matrix.real, matrix.nnz * sizeof *matrix.real)));
  golden_failure(r.status, &r);
  remove("matrix.mtx");
  perm_matrix_free(&again);
  perm_matrix_free(&matrix);
  golden_end();
  ld = golden_matrix(m, n, 1);
  perm_matrix_from_dense(m, n, golden_a, ld, &options, &matrix, &r);
  golden_say(" %d", (int)matrix.nnz);
  golden_hash("real", matrix.real, matrix.nnz * sizeof *matrix.real);
  golden_hash("columns", matrix.column, matrix.nnz * sizeof *matrix.column);
  golden_failure(r.status, &r);
  golden_end();
  perm_matrix_free(&matrix);
  perm_matrix_read("missing.mtx", &options, &matrix, NULL, &r);
  golden_failure(r.status, &r);
  golden_end();
}

static void golden_made(const perm_matrix *matrix, const perm_matrix *from, const perm_result *r)
{
  golden_say(" %dx%d nnz=%d kind=%d", matrix->m, matrix->n, (int)matrix->nnz, (int)matrix->kind);
  if (from)
    golden_say(" same=%d", matrix->nnz == from->nnz && matrix->kind == from->kind &&
                               !memcmp(matrix->row_start, from->row_start, ((size_t)from->m + 1) * sizeof(size_t)) &&
                               !memcmp(matrix->column, from->column, from->nnz * sizeof(int)));
  if (matrix->nnz)
    golden_hash("columns", matrix->column, matrix->nnz * sizeof(int));
  golden_failure(r->status, r);
  golden_end();
}

/* The same matrix from compressed rows, copied and borrowed; edges; fractions; formats that their bytes tell. */
static void golden_formats(int index)
{
  static const char *const texts[] = {"DQc\n", ">>graph6<<DQc", ":Fa@x^\n", "&DI?AO?\n", "DQc\nDQc\n", ">>graph6<<DQ",
                                      "DQd", "p edge 3 2\ne 1 2\ne 3 2 \n", "p col 3 1\ne 1 2\ne 2 1\n", "p cnf 3 1\n",
                                      "p asn 4 2\nn 1\nn 3\na 1 2 5\na 3 4 7\n", "\x93NUMPY\1", "\x93NUMPY\4"};
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_from(1, 12), m = golden_below(3) ? n : golden_from(1, 12), edges = golden_below(20);
  const char *text = texts[index % 13];
  int ends[40], k;
  double weight[20];
  perm_options options;
  perm_matrix matrix, again;
  perm_integer below;
  perm_result r;
  FILE *file;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(m, n, kind, &options);
  perm_matrix_from_csr(m, n, matrix.row_start, matrix.column, matrix.real, matrix.imaginary, matrix.integer, kind,
                       &options, &again, &r);
  golden_made(&again, &matrix, &r);
  perm_matrix_free(&again);
  perm_matrix_borrow_csr(m, n, matrix.row_start, matrix.column, matrix.real, matrix.imaginary, matrix.integer, kind,
                         &again, &r);
  golden_made(&again, &matrix, &r);
  perm_matrix_free(&again);
  perm_matrix_free(&matrix);
  for (k = 0; k < edges; k++) {
    ends[2 * k] = golden_below(m);
    ends[2 * k + 1] = golden_below(n);
    weight[k] = golden_below(9);
  }
  perm_matrix_from_edges(m, n, (size_t)edges, ends, index % 2 ? weight : NULL, index % 3 == 0, &options, &matrix, &r);
  golden_made(&matrix, NULL, &r);
  perm_matrix_free(&matrix);
  file = fopen("fractions.txt", "wb");
  for (k = 0; file && k < 9; k++)
    fprintf(file, "%d/%d%s", golden_below(40) - 20, golden_below(12) + (index > 3), k % 3 == 2 ? "\n" : " ");
  if (file)
    fclose(file);
  perm_matrix_read("fractions.txt", &options, &matrix, &below, &r);
  golden_say(" below=%d:%d", below.words, (int)below.word[0]);
  golden_made(&matrix, NULL, &r);
  perm_matrix_free(&matrix);
  remove("fractions.txt");
  perm_matrix_read_memory(text, strlen(text), "it.txt", &options, &matrix, &r);
  golden_made(&matrix, NULL, &r);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
