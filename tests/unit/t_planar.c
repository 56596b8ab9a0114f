/* >>planar >>kasteleyn >>dissection >>fronts >>residues: against expansions, other engines and closed forms
   on planar graphs by construction, graphs just beyond, and entries whose pivots vanish. */

#define T_PLANAR_MAX 24 /* vertices of a side */

/* A random plane graph of faces with four edges: a new vertex inside a face is joined to two opposite corners. Vertices
   of both sides; then edges go with probability 1 - keep / 100. At last the shorter side has isolated vertices. */
typedef struct t_planar_graph {
  int side[2], edges;
  int edge[8 * T_PLANAR_MAX][2];
} t_planar_graph;

static int t_planar_edge(t_planar_graph *graph, int row, int column)
{
  graph->edge[graph->edges][0] = row;
  graph->edge[graph->edges++][1] = column;
  return 1;
}

static void t_planar_shuffle(int *order, int n)
{
  int i;
  for (i = 0; i < n; i++)
    order[i] = i;
  for (i = n - 1; i > 0; i--) {
    const int k = test_below(i + 1), keep = order[i];
    order[i] = order[k];
    order[k] = keep;
  }
}

static t_planar_graph t_planar_make(int n, int keep)
{
  int face[4 * T_PLANAR_MAX][4], faces = 2, order[2][T_PLANAR_MAX], degree[2][T_PLANAR_MAX], k, side;
  t_planar_graph graph, kept;
  memset(&graph, 0, sizeof graph);
  memset(&kept, 0, sizeof kept);
  for (k = 0; k < 4; k++)
    face[0][k] = face[1][k] = k / 2; /* row, column, row, column */
  for (k = 0; k < 4; k++)
    degree[k / 2][k % 2] = 1 + t_planar_edge(&graph, k / 2, k % 2);
  graph.side[0] = graph.side[1] = 2;
  while (graph.side[0] < n || graph.side[1] < n) {
    int f = 0, corner = 0, least = 1 << 20, fresh, *at; /* corners of this side, and a new vertex of the other */
    for (k = 0; k < 6; k++) { /* of few edges: lines of degree 2 do not reach an engine */
      const int g = test_below(faces), c = test_below(2), sum = degree[c][face[g][c]] + degree[c][face[g][c + 2]];
      if (graph.side[1 - c] < n && sum < least) {
        least = sum;
        f = g;
        corner = c;
      }
    }
    if (least == 1 << 20)
      continue;
    side = 1 - corner;
    at = face[f];
    fresh = graph.side[side]++;
    for (k = corner; k < 4; k += 2) /* face: r0 c0 r1 c1 as {r0, c0, r1, c1} */
      degree[corner][at[k]] += t_planar_edge(&graph, side ? at[k] : fresh, side ? fresh : at[k]);
    degree[side][fresh] = 2;
    memcpy(face[faces], at, sizeof face[0]);
    face[faces++][side ? 1 : 0] = fresh;
    at[side ? 3 : 2] = fresh;
  }
  for (side = 0; side < 2; side++)
    t_planar_shuffle(order[side], n);
  for (k = 0; k < graph.edges; k++)
    if (test_below(100) < keep)
      t_planar_edge(&kept, order[0][graph.edge[k][0]], order[1][graph.edge[k][1]]);
  kept.side[0] = kept.side[1] = n;
  return kept;
}

/* An array from a graph: integers, small or (big) of many sizes; parts; negative: signs too. */
static void t_planar_entries(const t_planar_graph *graph, int parts, int whole, int negative, int big, double *a)
{
  const int n = graph->side[0];
  int k, part;
  memset(a, 0, (size_t)(n * n * parts) * sizeof *a);
  for (k = 0; k < graph->edges; k++)
    for (part = 0; part < parts; part++) {
      double x = whole ? 1 + test_below(big ? 50 : 2) : test_uniform() + 1e-9;
      if (!whole && big)
        x = ldexp(x, test_below(100) - 50);
      if (part && test_below(4) == 0)
        x = 0;
      a[(graph->edge[k][0] * n + graph->edge[k][1]) * parts + part] = negative && test_below(2) ? -x : x;
    }
}

/* Does the integer have this residue: x 2^(40 n)? */
static int t_planar_is(const perm_integer *integer, oracle_int x, int n)
{
  static const uint64_t moduli[] = {UINT64_C(4611686018427387847), UINT64_C(9223372036854775783)};
  int k, i, same = 1;
  for (k = 0; k < 2; k++) {
    const uint64_t m = moduli[k];
    uint64_t expected = oracle_remainder(x, m);
    for (i = 0; i < n; i++)
      expected = oracle_multiply(expected, UINT64_C(1) << 40, m);
    same &= oracle_modulo(integer, m) == expected;
  }
  return same;
}

/* No planar graph is refused, and values are those of expansions. Lines of degree 2 stay where integers are times 2^40:
   64 bits do not hold what eliminating them would make. Entries of one size often cancel. */
TEST(t_planar_matches_expansion)
{
  double a[2 * T_SEEDS_MAX * T_SEEDS_MAX], moduli[T_SEEDS_MAX * T_SEEDS_MAX], given[2 * T_SEEDS_MAX * T_SEEDS_MAX];
  int trial, i, ran = 0, zeros = 0, off = 0;
  for (trial = 0; trial < 4000; trial++) {
    const int n = 3 + test_below(trial % 8 ? 7 : 10), whole = trial % 3 != 0, parts = 1 + (trial % 5 == 0);
    const int negative = test_below(3) > 0, lift = whole && test_below(4) ? 40 : 0;
    const t_planar_graph graph = t_planar_make(n, test_below(2) ? 100 : 70 + test_below(31));
    perm_options options = t_seeds_options(PERM_METHOD_PLANAR, whole ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result result;
    t_planar_entries(&graph, parts, whole, negative, test_below(4) == 0, a);
    for (i = 0; i < n * n * parts; i++) {
      a[i] = whole && trial % 7 == 0 ? (a[i] > 0) - (a[i] < 0) : a[i];
      given[i] = ldexp(a[i], lift);
    }
    matrix = t_seeds_matrix(n, parts, given,
                            parts == 2 ? PERM_KIND_COMPLEX : whole ? PERM_KIND_INTEGER : PERM_KIND_REAL);
    options.certify = test_below(2);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "trial %d: %s", trial, result.message);
    ran += result.method == PERM_METHOD_PLANAR;
    zeros += result.method == PERM_METHOD_PLANAR && result.value == 0 && result.imaginary == 0;
    if (whole) {
      oracle_int expected[2] = {0, 0};
      if (parts == 1)
        expected[0] = oracle_integer(n, a);
      else
        t_seeds_gaussian(n, a, expected);
      CHECK_SHOW(result.exact && t_planar_is(&result.integer, expected[0], lift ? n : 0) &&
                     t_planar_is(&result.imaginary_integer, expected[1], lift ? n : 0),
                 "trial %d, order %d, %d parts: %.17g, not %.17g", trial, n, parts, result.value, (double)expected[0]);
    } else {
      oracle_exact value = oracle_exact_make(parts, n, a);
      const double distance = oracle_exact_distance(&value, result.value, result.imaginary, result.exp2);
      double scale;
      oracle_exact_free(&value);
      for (i = 0; i < n * n; i++)
        moduli[i] = parts == 2 ? fabs(a[2 * i]) + fabs(a[2 * i + 1]) : fabs(a[i]);
      scale = ldexp((double)oracle_real(n, moduli), -(int)result.exp2);
      off += distance > 0;
      CHECK_SHOW(distance <= result.error_bound * (1 + 1e-9) + 1e-300, "trial %d, order %d: %.17g off by %.3g of %.3g",
                 trial, n, result.value, distance, result.error_bound);
      CHECK_SHOW(result.error_bound <= 1e-12 * scale, "trial %d, order %d: bound %.3g of %.3g", trial, n,
                 result.error_bound, scale);
    }
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(ran > 1200 && zeros > 5 && off > 50, "%d ran, %d of them 0, %d off", ran, zeros, off);
}

/* Adjacency as bits; contracts edges until six or five vertices are left, and looks for K(3,3) and K(5) there: Wagner's
   theorem, for connected graphs. */
static int t_planar_minor(int vertices, const unsigned *to)
{
  unsigned less[10];
  int a, b, i, j, k;
  if (vertices == 6)
    for (a = 0; a < 64; a++) {
      unsigned others = 63u & ~(unsigned)a, full = 0;
      for (i = k = 0; i < 6; i++)
        if (a >> i & 1) {
          full += (to[i] & others) == others;
          k++;
        }
      if (k == 3 && full == 3)
        return 1;
    }
  if (vertices == 5) {
    for (i = k = 0; i < 5; i++)
      k += (to[i] | 1u << i) == 31u;
    return k == 5;
  }
  for (a = 0; a < vertices; a++)
    for (b = 0; b < a; b++)
      if (to[a] >> b & 1) { /* a joins b, the last vertex takes its name */
        for (i = 0; i < vertices; i++)
          less[i] = to[i];
        less[b] |= less[a];
        for (i = 0; i < vertices; i++)
          if (less[b] >> i & 1)
            less[i] |= 1u << b;
        less[a] = less[vertices - 1];
        for (i = 0; i < vertices; i++) {
          const unsigned last = less[i] >> (vertices - 1) & 1;
          less[i] = (less[i] & ~(1u << a)) | last << a;
          less[i] &= (1u << (vertices - 1)) - 1;
        }
        for (j = 0; j < vertices - 1; j++)
          less[j] &= ~(1u << j);
        if (t_planar_minor(vertices - 1, less))
          return 1;
      }
  return 0;
}

/* Is the graph of the block planar? Asks the engine's own question, before any reduction. -1: none. */
static int t_planar_drawn(int n, const int (*edge)[2], int edges)
{
  int start[2 * T_PLANAR_MAX + 1], neighbour[16 * T_PLANAR_MAX], number[16 * T_PLANAR_MAX], v, k, side, used = 0;
  perm_allocator allocator = {NULL, NULL, NULL};
  permi_pool pool = {&allocator, NULL, 0};
  permi_control watch = permi_control_begin(permi_options(NULL));
  permi_kasteleyn signs;
  permi_block block;
  memset(&block, 0, sizeof block);
  for (v = 0; v < 2 * n; v++) {
    start[v] = used;
    side = v >= n;
    for (k = 0; k < edges; k++)
      if (edge[k][side] == v - side * n) {
        neighbour[used] = edge[k][1 - side] + (1 - side) * n;
        number[used++] = k;
      }
  }
  start[2 * n] = used;
  block.n = n;
  block.vertices = 2 * n;
  block.edges = edges;
  block.start = start;
  block.neighbour = neighbour;
  block.edge = number;
  CHECK(permi_kasteleyn_make(&block, &pool, &watch, &signs));
  permi_pool_release(&pool);
  return signs.planar;
}

/* 4 + 4 and 5 + 5 vertices with a perfect matching and connected: drawn if and only if there is no forbidden minor. */
TEST(t_planar_is_decided_as_by_minors)
{
  int trial, planar = 0, others = 0;
  for (trial = 0; trial < 1500; trial++) {
    const int n = trial % 50 == 0 ? 5 : 4, wanted = n == 5 ? 13 + test_below(2) : 10 + test_below(3);
    int edge[25][2], edges = 0, order[25], k, i, grown, drawn;
    unsigned to[10] = {0}, reached = 1;
    t_planar_shuffle(order, n * n);
    for (k = 0; k < n; k++, edges++) /* a perfect matching */
      edge[edges][0] = edge[edges][1] = k;
    for (k = 0; k < n * n && edges < wanted; k++)
      if (order[k] / n != order[k] % n) {
        edge[edges][0] = order[k] / n;
        edge[edges++][1] = order[k] % n;
      }
    for (k = 0; k < edges; k++) {
      to[edge[k][0]] |= 1u << (n + edge[k][1]);
      to[n + edge[k][1]] |= 1u << edge[k][0];
    }
    do
      for (grown = i = 0; i < 2 * n; i++)
        if (reached >> i & 1 && (reached | to[i]) != reached) {
          reached |= to[i];
          grown = 1;
        }
    while (grown);
    if (reached != (1u << 2 * n) - 1)
      continue;
    drawn = t_planar_drawn(n, (const int (*)[2])edge, edges);
    CHECK_SHOW(drawn == !t_planar_minor(2 * n, to), "trial %d, order %d, %d entries: %d", trial, n, edges, drawn);
    planar += drawn == 1;
    others += drawn == 0;
  }
  CHECK_SHOW(planar > 100 && others > 100, "%d planar, %d others", planar, others);
}

/* Is there a perfect matching? By augmenting paths. */
static int t_planar_augment(const t_planar_graph *graph, int row, int *match, unsigned *seen)
{
  int k;
  for (k = 0; k < graph->edges; k++) {
    const int column = graph->edge[k][1];
    if (graph->edge[k][0] != row || *seen >> column & 1)
      continue;
    *seen |= 1u << column;
    if (match[column] < 0 || t_planar_augment(graph, match[column], match, seen)) {
      match[column] = row;
      return 1;
    }
  }
  return 0;
}

static int t_planar_matched(const t_planar_graph *graph)
{
  int match[T_PLANAR_MAX], i, pairs = 0;
  for (i = 0; i < graph->side[0]; i++)
    match[i] = -1;
  for (i = 0; i < graph->side[0]; i++) {
    unsigned seen = 0;
    pairs += t_planar_augment(graph, i, match, &seen);
  }
  return pairs == graph->side[0];
}

/* Planar graphs of up to 48 vertices by construction; with a subdivided K(3,3) among them no longer. */
TEST(t_planar_beyond_small_graphs)
{
  int trial, drawn = 0;
  for (trial = 0; trial < 3000; trial++) {
    const int n = 4 + test_below(T_PLANAR_MAX - 3);
    t_planar_graph graph = t_planar_make(n, trial % 2 ? 100 : 70 + test_below(30));
    int component[2 * T_PLANAR_MAX], k, v, changed, whole = 1, result;
    for (v = 0; v < 2 * n; v++)
      component[v] = v;
    do
      for (changed = k = 0; k < graph.edges; k++) {
        int *x = &component[graph.edge[k][0]], *y = &component[n + graph.edge[k][1]];
        changed |= *x != *y;
        *x = *y = *x < *y ? *x : *y;
      }
    while (changed);
    for (v = 0; v < 2 * n; v++)
      whole &= component[v] == 0;
    if (!whole)
      continue;
    result = t_planar_drawn(n, (const int (*)[2])graph.edge, graph.edges);
    CHECK_SHOW(result == 1 || (result == -1 && !t_planar_matched(&graph)), "trial %d, order %d, %d entries: %d", trial,
               n, graph.edges, result); /* -1: no perfect matching, which engines never see */
    drawn += result == 1;
    for (k = 0; k < 9 && n > 6; k++) { /* rows 0 to 2 and columns 0 to 2, all joined */
      int known = 0, e;
      for (e = 0; e < graph.edges; e++)
        known |= graph.edge[e][0] == k / 3 && graph.edge[e][1] == k % 3;
      if (!known)
        t_planar_edge(&graph, k / 3, k % 3);
    }
    if (n > 6)
      CHECK(t_planar_drawn(n, (const int (*)[2])graph.edge, graph.edges) == 0);
  }
  CHECK_SHOW(drawn > 500, "%d drawn", drawn);
}

/* Domino tilings of m x n squares by Kasteleyn's product. */
static double t_planar_board(int m, int n)
{
  long double log_value = 0;
  int j, k;
  for (j = 1; j <= m; j++)
    for (k = 1; k <= n; k++) {
      const long double x = 2 * cosl(3.14159265358979323846L * j / (m + 1));
      const long double y = 2 * cosl(3.14159265358979323846L * k / (n + 1));
      log_value += logl(x * x + y * y) / 4;
    }
  return (double)log_value;
}

static double t_planar_log(const perm_result *result)
{
  return log(result->value) + (double)result->exp2 * log(2.0);
}

TEST(t_planar_boards)
{
  static const int sides[][2] = {{2, 7}, {4, 4}, {8, 8}, {6, 13}, {16, 16}, {20, 33}, {40, 40}, {2, 400}};
  size_t k, precision;
  for (k = 0; k < sizeof sides / sizeof sides[0]; k++)
    for (precision = 0; precision < 2; precision++) {
      perm_options options =
          t_seeds_options(PERM_METHOD_PLANAR, precision ? PERM_PRECISION_EXACT : PERM_PRECISION_DD);
      char kind[40];
      perm_matrix matrix;
      perm_result result;
      snprintf(kind, sizeof kind, "grid:%d:%d", sides[k][0], sides[k][1]);
      CHECK(perm_generate(kind, 1, NULL, &matrix, NULL) == PERM_OK);
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s: %s", kind, result.message);
      CHECK_SHOW(fabs(t_planar_log(&result) - t_planar_board(sides[k][0], sides[k][1])) < 1e-11, "%s: %.17g * 2^%lld",
                 kind, result.value, result.exp2);
      CHECK(result.exact == (int)precision);
      CHECK_SHOW(result.error_bound <= 1e-14 * result.value, "%s: bound %g of %g", kind, result.error_bound,
                 result.value);
      CHECK(strcmp(kind, "grid:8:8") != 0 || result.value == 12988816);
      perm_matrix_free(&matrix);
    }
}

/* Pivots vanish all the time modulo small primes: residues of the exact value, which is that of another engine. All
   kinds of moduli, Gaussian integers too. */
TEST(t_planar_pivots_are_put_off)
{
  static const uint64_t moduli[] = {2, 3, 5, 7, 9, 12, 1000000007, UINT64_C(9223372036854775783), UINT64_C(1) << 63};
  int trial, compared = 0, ran = 0;
  for (trial = 0; trial < 1800; trial++) {
    const int n = 8 + test_below(T_PLANAR_MAX - 7), parts = 1 + (trial % 3 == 0), unit = test_below(2);
    const uint64_t m = moduli[trial % 9];
    const t_planar_graph graph = t_planar_make(n, 90 + test_below(11));
    int row[8 * T_PLANAR_MAX], column[8 * T_PLANAR_MAX], k;
    int64_t integer[8 * T_PLANAR_MAX];
    double real[8 * T_PLANAR_MAX], imaginary[8 * T_PLANAR_MAX];
    perm_options options = t_seeds_options(PERM_METHOD_PLANAR, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result exact, result;
    for (k = 0; k < graph.edges; k++) {
      row[k] = graph.edge[k][0];
      column[k] = graph.edge[k][1];
      integer[k] = (INT64_C(1) << 40) + (unit ? 0 : test_below(1000));
      integer[k] = test_below(2) ? integer[k] : -integer[k];
      real[k] = (double)integer[k];
      imaginary[k] = test_below(2) ? 0 : test_below(2) ? real[k] : -real[k];
    }
    CHECK(perm_matrix_from_triplets(n, n, (size_t)graph.edges, row, column, real, imaginary, integer,
                                    parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER, NULL, &matrix,
                                    NULL) == PERM_OK);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &exact) == PERM_OK, "%s", exact.message);
    options.modulus = m;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(oracle_modulo(&result.integer, m) == oracle_modulo(&exact.integer, m) &&
                   oracle_modulo(&result.imaginary_integer, m) == oracle_modulo(&exact.imaginary_integer, m),
               "trial %d, order %d, modulo %llu", trial, n, (unsigned long long)m);
    ran += exact.method == PERM_METHOD_PLANAR;
    if (trial % 10 == 0 && exact.method == PERM_METHOD_PLANAR) {
      options = t_seeds_options(PERM_METHOD_FRONTIER, PERM_PRECISION_EXACT);
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
      CHECK(!memcmp(&result.integer, &exact.integer, sizeof exact.integer) &&
            !memcmp(&result.imaginary_integer, &exact.imaginary_integer, sizeof exact.integer));
      compared++;
    }
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(ran > 1000 && compared > 100, "%d ran, %d compared", ran, compared);
}

/* Entries of every size: bounds hold. */
TEST(t_planar_hostile_sizes)
{
  static const double sizes[] = {1e308, 1e-308, 5e-324, 1.7976931348623157e308, 1, 1e155, 1e-155, 3};
  double a[2 * T_SEEDS_MAX * T_SEEDS_MAX];
  int trial, i, finite = 0, ran = 0;
  for (trial = 0; trial < 1500; trial++) {
    const int n = 3 + test_below(6), parts = 1 + test_below(2), kind = test_below(3);
    const t_planar_graph graph = t_planar_make(n, 85 + test_below(16));
    perm_options options = t_seeds_options(PERM_METHOD_PLANAR, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result result;
    oracle_exact value;
    double distance;
    options.certify = test_below(2);
    t_planar_entries(&graph, parts, 0, 1, 0, a);
    for (i = 0; i < n * n * parts; i++)
      a[i] *= kind == 0 ? sizes[test_below(8)] : kind == 1 ? ldexp(1, test_below(2000) - 1000) : 1;
    matrix = t_seeds_matrix(n, parts, a, parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    ran += result.method == PERM_METHOD_PLANAR;
    value = oracle_exact_make(parts, n, a);
    distance = oracle_exact_distance(&value, result.value, result.imaginary, result.exp2);
    oracle_exact_free(&value);
    CHECK_SHOW(fabs(result.value) <= DBL_MAX && fabs(result.imaginary) <= DBL_MAX, "trial %d: %g", trial, result.value);
    CHECK_SHOW(distance <= result.error_bound * (1 + 1e-9) + 1e-300, "trial %d: %.17g * 2^%lld off by %.3g of %.3g",
               trial, result.value, result.exp2, distance, result.error_bound);
    finite += result.error_bound < fabs(result.value) * 1e-10;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(ran > 500 && finite > 300, "%d ran, %d bounds", ran, finite);
}

#if defined(__SIZEOF_FLOAT128__)
/* |x| of a pair that has 106 bits. */
static oracle_wide t_planar_wide(permi_dd x)
{
  return (oracle_wide)x.hi + (oracle_wide)x.lo;
}

/* Radii of products, sums and quotients of numbers somewhere within theirs cover the true ones, and little more. */
TEST(t_planar_radii)
{
  int trial, part, way;
  for (trial = 0; trial < 20000; trial++) {
    const int parts = 1 + trial % 2;
    permi_ball x[2], y;
    oracle_wide re[2], im[2], r, i, size, off;
    double loose = 0;
    for (part = 0; part < 2; part++) {
      memset(&x[part], 0, sizeof x[part]);
      x[part].re = permi_two_sum(test_uniform() - 0.5, (test_uniform() - 0.5) * 1e-16);
      if (parts == 2)
        x[part].im = permi_two_sum(test_uniform() - 0.5, (test_uniform() - 0.5) * 1e-16);
      x[part].radius = trial % 3 ? test_uniform() * 1e-18 : 0;
      re[part] = t_planar_wide(x[part].re) + (oracle_wide)((test_uniform() - 0.5) * x[part].radius);
      im[part] = t_planar_wide(x[part].im) + (parts == 2 ? (oracle_wide)((test_uniform() - 0.5) * x[part].radius) : 0);
      loose += x[part].radius;
    }
    for (way = 0; way < 3; way++) {
      oracle_wide norm = re[1] * re[1] + im[1] * im[1];
      if (way == 0) {
        y = permi_ball_times(&x[0], &x[1], parts);
        r = re[0] * re[1] - im[0] * im[1];
        i = re[0] * im[1] + im[0] * re[1];
      } else if (way == 1) {
        y = x[0];
        permi_ball_accumulate(&y, &x[1], 1, parts);
        r = re[0] - re[1];
        i = im[0] - im[1];
      } else {
        y = permi_ball_divide(&x[0], &x[1], parts);
        r = (re[0] * re[1] + im[0] * im[1]) / norm;
        i = (im[0] * re[1] - re[0] * im[1]) / norm;
      }
      r -= t_planar_wide(y.re);
      i -= t_planar_wide(y.im);
      size = 1 + (way == 2 ? 4 / norm : 0);
      off = r * r + i * i; /* oracle_wide rounds at 2^-113 */
      CHECK_SHOW(off <= (oracle_wide)y.radius * y.radius * 1.02 + 4e-67 * size * size, "trial %d, way %d: %g of %g",
                 trial, way, sqrt((double)off), y.radius);
      CHECK_SHOW(y.radius <= (double)size * (4 * loose + 2e-29) + 1e-289, "trial %d, way %d: radius %g", trial, way,
                 y.radius);
      CHECK_SHOW(y.radius > 0.1 * 8e-31 * (double)(way == 1 ? 1e-3 : 1e-6), "trial %d, way %d: radius %g", trial, way,
                 y.radius);
    }
  }
}
#endif

/* A climb towards a value that the radius does not cover. */
TEST_LONG(t_planar_climb)
{
  enum { N = 9 };
  int start;
  for (start = 0; start < 6; start++) {
    const t_planar_graph graph = t_planar_make(N, 100);
    double a[N * N], best = -1;
    int step;
    t_planar_entries(&graph, 1, 0, 1, 0, a);
    for (step = 0; step < 1500; step++) {
      const int *at = graph.edge[test_below(graph.edges)];
      double *x = &a[at[0] * N + at[1]], before = *x, ratio;
      perm_options options = t_seeds_options(PERM_METHOD_PLANAR, PERM_PRECISION_DEFAULT);
      perm_matrix matrix;
      perm_result result;
      oracle_exact value;
      *x *= test_below(3) ? 1 + (test_uniform() - 0.5) / 4 : -ldexp(1, test_below(20) - 10);
      options.certify = 1;
      matrix = t_seeds_matrix(N, 1, a, PERM_KIND_REAL);
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      value = oracle_exact_make(1, N, a);
      ratio = oracle_exact_distance(&value, result.value, 0, result.exp2);
      oracle_exact_free(&value);
      perm_matrix_free(&matrix);
      CHECK_SHOW(ratio <= result.error_bound * (1 + 1e-9), "%g of %g", ratio, result.error_bound);
      ratio = fabs(result.value) > 0 ? result.error_bound / fabs(result.value) : 1; /* towards cancellation */
      if (ratio >= best)
        best = ratio;
      else
        *x = before;
    }
  }
}

/* Square boards with weights 1 across and i down: the permanent is 0 (a factor of Kasteleyn's product is). Lines times
   whole numbers of 20 bits leave it 0, and the elimination rounds: the noise is within bound and estimate. */
TEST(t_planar_noise)
{
  int trial, beyond = 0;
  for (trial = 0; trial < 30; trial++) {
    const int side = 8 + 2 * (trial % 4), n = side * side / 2;
    int row[8 * 14 * 14], column[8 * 14 * 14], i, j, way;
    double real[8 * 14 * 14], imaginary[8 * 14 * 14], line[2][98], scale = t_planar_board(side, side), noise;
    perm_options options = t_seeds_options(PERM_METHOD_PLANAR, PERM_PRECISION_DD);
    perm_matrix matrix;
    perm_result result;
    size_t used = 0;
    for (i = 0; i < 2 * n; i++) {
      line[i / n][i % n] = 1 + test_below(1 << 20);
      scale += log(line[i / n][i % n]);
    }
    for (i = 0; i < side; i++)
      for (j = 0; j < side; j++)
        for (way = 0; way < 4 && (i + j) % 2 == 0; way++) {
          const int k = i + (way == 0) - (way == 1), l = j + (way == 2) - (way == 3);
          if (k < 0 || k >= side || l < 0 || l >= side)
            continue;
          row[used] = (i * side + j) / 2;
          column[used] = (k * side + l) / 2;
          real[used] = way < 2 ? 0 : line[0][row[used]] * line[1][column[used]];
          imaginary[used] = way < 2 ? line[0][row[used]] * line[1][column[used]] : 0;
          used++;
        }
    CHECK(perm_matrix_from_triplets(n, n, used, row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL, &matrix,
                                    NULL) == PERM_OK);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    noise = hypot(result.value, result.imaginary);
    CHECK_SHOW(result.method == PERM_METHOD_PLANAR && noise <= result.error_bound &&
                   test_within(noise, result.error_estimate),
               "side %d: %g * 2^%lld, bound %g, estimate %g", side, noise, result.exp2, result.error_bound,
               result.error_estimate);
    CHECK_SHOW(log(result.error_bound) + (double)result.exp2 * log(2.0) < scale - 35, "side %d: bound %g", side,
               result.error_bound);
    beyond += noise > 0;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(beyond > 10, "%d not 0", beyond);
}

/* Fronts so large that radii tell nothing: no bound, and an estimate that is measured. Then the estimates of unsure
   pivots, against exact values of signed boards. */
TEST_LONG(t_planar_without_radii)
{
  perm_options options = t_seeds_options(PERM_METHOD_PLANAR, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result, exact;
  int trial, bounds = 0;
  CHECK(perm_generate("grid:160:160", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
  CHECK_SHOW(fabs(t_planar_log(&result) - t_planar_board(160, 160)) < 1e-9, "%.17g * 2^%lld", result.value,
             result.exp2);
  CHECK_SHOW(result.error_bound == (double)INFINITY && result.error_estimate < 1e-10 * result.value, "%g, %g",
             result.error_bound, result.error_estimate);
  perm_matrix_free(&matrix);
  for (trial = 0; trial < 40; trial++) {
    const int side = 10 + 2 * test_below(8);
    char kind[40];
    perm_matrix board;
    size_t e;
    double off;
    int i, *row;
    snprintf(kind, sizeof kind, "grid:%d:%d", side, side);
    CHECK(perm_generate(kind, 1, NULL, &board, NULL) == PERM_OK);
    row = (int *)malloc(board.nnz * sizeof *row);
    for (i = 0; i < board.m; i++)
      for (e = board.row_start[i]; e < board.row_start[i + 1]; e++)
        row[e] = i;
    for (i = 0; i < 2; i++) { /* the same entries as integers, whose permanent is exact, and as doubles */
      int64_t *integer = (int64_t *)malloc(board.nnz * sizeof *integer);
      double *real = (double *)malloc(board.nnz * sizeof *real);
      test_seed((uint64_t)trial);
      for (e = 0; e < board.nnz; e++) {
        integer[e] = (int64_t)(test_random() >> 34) - (INT64_C(1) << 29);
        real[e] = ldexp((double)integer[e], -30);
      }
      CHECK(perm_matrix_from_triplets(board.m, board.n, board.nnz, row, board.column, real, NULL, integer,
                                      i ? PERM_KIND_REAL : PERM_KIND_INTEGER, NULL, &matrix, NULL) == PERM_OK);
      options.precision = i ? PERM_PRECISION_DD : PERM_PRECISION_EXACT;
      options.modulus = 0;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, i ? &result : &exact) == PERM_OK || !i, "%s", result.message);
      perm_matrix_free(&matrix);
      free(integer);
      free(real);
    }
    if (exact.exact && exact.method == PERM_METHOD_PLANAR) {
      off = fabs(ldexp(exact.value, (int)(exact.exp2 - 30LL * board.n - result.exp2)) - result.value);
      CHECK_SHOW(off <= result.error_bound + 2e-16 * fabs(result.value) &&
                     test_within(off, result.error_estimate + 2e-16 * fabs(result.value)),
                 "%s: %.17g off by %g, bound %g, estimate %g", kind, result.value, off, result.error_bound,
                 result.error_estimate);
      bounds++;
    }
    perm_matrix_free(&board);
    free(row);
  }
  CHECK_SHOW(bounds > 5, "%d compared", bounds);
}

TEST(t_planar_threads_leave_no_trace)
{
  static const char *const pattern[] = {"grid:6:6", "hexagonal:4", "grid:10:12"};
  int kind, k;
  for (kind = 0; kind < T_WALK_KINDS; kind++)
    for (k = 0; k < 3; k++) {
      perm_matrix matrix = t_walk_matrix(pattern[k], kind);
      t_walk_compare(&matrix, t_walk_options(PERM_METHOD_PLANAR, kind), pattern[k]);
      perm_matrix_free(&matrix);
    }
}

TEST(t_planar_stops)
{
  t_walk_stops(PERM_METHOD_PLANAR, "grid:300:300", "grid:6:6");
}

/* Integers too long: refused or, unasked, in doubles; modulo a number at any size. */
TEST(t_planar_long_integers)
{
  perm_options options = t_seeds_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  uint64_t prime;
  CHECK(perm_generate("grid:2:6700", 1, NULL, &matrix, &result) == PERM_OK); /* a Fibonacci number of 4651 bits */
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && !result.exact, "%s", result.message);
  CHECK(fabs(t_planar_log(&result) - t_planar_board(2, 6700)) < 1e-8);
  options.method = PERM_METHOD_PLANAR;
  options.precision = PERM_PRECISION_EXACT;
  options.modulus = 1000003;
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
  prime = result.integer.word[0];
  options.modulus = 3000009; /* no prime */
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
  CHECK(result.integer.word[0] % 1000003 == prime);
  options.modulus = 0;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_OVERFLOW);
  CHECK_TEXT(result.message, "over 4544 bits");
  perm_matrix_free(&matrix);
}

/* Lines may bound the permanent by more bits than an integer has: an elimination with radii shows that it fits. Pairs
   of columns whose separators are not those of boards. */
TEST(t_planar_fits_after_all)
{
  static const char *const kinds[] = {"grid:96:98", "hexagonal:40"};
  static const double most_products[] = {4e6, 6e6}; /* levels alone: 3e6, 2.9e7 */
  static const int most_bits[] = {4000, 3700}; /* lines alone: over 4544; 3624 */
  int k;
  for (k = 0; k < 2; k++) {
    const perm_options options = t_seeds_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_job *job = NULL;
    perm_matrix matrix;
    perm_result result;
    char text[4000];
    const char *products, *bits;
    CHECK(perm_generate(kinds[k], 1, NULL, &matrix, &result) == PERM_OK);
    CHECK_SHOW(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK, "%s", result.message);
    perm_job_explain(job, text, sizeof text);
    products = strstr(text, "a determinant of ");
    bits = strstr(text, "primes, at most ");
    CHECK_SHOW(products && bits, "%s: %s", kinds[k], text);
    if (products && bits) {
      CHECK_SHOW(atof(products + 17) < most_products[k], "%s", text);
      CHECK_SHOW(atof(bits + 16) < most_bits[k], "%s", text);
    }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

/* By name: what is not planar is refused with its reason. Auto explains, and takes another engine. */
TEST(t_planar_refuses)
{
  static const char *const kinds[] = {"regular:60:3", "er:60:0.1", "grid:20:20", "uniform:12"};
  static const char *const texts[] = {"is not planar", "is not planar: ", "Kasteleyn signs", "has at most"};
  int k;
  for (k = 0; k < 4; k++) {
    perm_options options = t_seeds_options(k == 2 ? PERM_METHOD_AUTO : PERM_METHOD_PLANAR, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL;
    char text[2000] = "";
    CHECK(perm_generate(kinds[k], 1, NULL, &matrix, &result) == PERM_OK);
    CHECK((perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK) == (k == 2));
    if (job)
      perm_job_explain(job, text, sizeof text);
    CHECK_TEXT(job ? text : result.message, texts[k]);
    CHECK(job || result.status == PERM_ERROR_UNSUPPORTED);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

/* Primes against trial division, roots of -1, and integers back from their residues. */
TEST(t_planar_residues)
{
  uint64_t n, above = UINT64_C(1) << 62, residue[8], word[9], product[9];
  permi_odd_modulus prime[8];
  int trial, k, i;
  for (n = 2; n < 5000; n++) {
    uint64_t d;
    int is = 1;
    for (d = 2; d * d <= n; d++)
      is &= n % d != 0;
    CHECK_SHOW(permi_is_prime(n) == is, "%d", (int)n);
  }
  CHECK(!permi_is_prime(UINT64_C(3215031751)) && !permi_is_prime(UINT64_C(3825123056546413051))); /* to 2 .. 23 */
  CHECK(!permi_is_prime(UINT64_C(4611686014132420609)) && permi_is_prime(UINT64_C(4611686018427387847)));
  for (k = 0; k < 8; k++) {
    const uint64_t before = above;
    uint64_t root;
    above = permi_prime_below(above, 1);
    CHECK(above < before && above % 4 == 1 && permi_is_prime(above));
    prime[k] = permi_odd_modulus_of(above);
    root = permi_prime_root(&prime[k]);
    CHECK(oracle_multiply(root, root, above) == above - 1);
    root = 1 + test_random() % (above - 1);
    CHECK(permi_montgomery(root, permi_prime_inverse(root, &prime[k]), &prime[k]) == 1);
  }
  for (trial = 0; trial < 2000; trial++) {
    perm_integer x;
    const int primes = 1 + test_below(8);
    int negative;
    memset(&x, 0, sizeof x);
    for (i = 0; i < primes; i++)
      x.word[i] = trial % 7 ? test_random() : trial % 2 ? UINT64_MAX : 0;
    x.word[primes - 1] >>= 4 + 2 * (primes - 1) % 60 + test_below(3);
    x.negative = test_below(2);
    permi_integer_trim(&x);
    for (k = 0; k < primes; k++)
      residue[k] = oracle_modulo(&x, prime[k].p);
    negative = permi_chinese_remainder(prime, residue, primes, word, product);
    CHECK_SHOW(negative == x.negative && !memcmp(word, x.word, (size_t)primes * sizeof *word) && word[primes] == 0,
               "trial %d, %d primes", trial, primes);
  }
}
/* SPDX-License-Identifier: MIT */
