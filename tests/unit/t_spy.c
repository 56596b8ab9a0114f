/* >>spy */
/* Pictures: the frontier that is drawn is the one that was planned, the file is whole, failures leave nothing. */

static long t_spy_bytes(const char *path, int *whole)
{
  FILE *file = fopen(path, "rb");
  char text[16];
  long bytes = -1;
  *whole = 0;
  if (file && fseek(file, 0, SEEK_END) == 0 && (bytes = ftell(file)) > 7 && fseek(file, -7, SEEK_END) == 0)
    *whole = fread(text, 1, 7, file) == 7 && !memcmp(text, "</svg>\n", 7);
  if (file)
    fclose(file);
  return bytes;
}

TEST(t_spy_draws_the_planned_frontier)
{
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX];
  int trial, drawn = 0;
  for (trial = 0; trial < 400; trial++) {
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_job *job = NULL;
    t_sparse_random(4 + trial % 9, 0, a);
    matrix = t_sparse_integers(4 + trial % 9, a);
    if (perm_sparse_job(&matrix, &options, &job, NULL) == PERM_OK) {
      permi_spy spy;
      memset(&spy, 0, sizeof spy);
      spy.job = job;
      spy.pool.allocator = &options.allocator;
      CHECK(permi_spy_elimination(&spy));
      if (spy.leaf) {
        const permi_frontier *frontier = (const permi_frontier *)spy.leaf->context;
        int p, most = 0;
        for (p = 0; p < spy.steps; p++)
          most = spy.width[p] > most ? (int)spy.width[p] : most;
        CHECK_SHOW(most == frontier->width && spy.width[spy.steps - 1] == 0, "%d drawn, %d planned", most,
                   frontier->width);
        drawn++;
      }
      permi_pool_release(&spy.pool);
    }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK(drawn > 100);
}

TEST(t_spy_failing_allocations_and_files)
{
  const char *path = "build/t_spy.svg";
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX];
  perm_matrix matrix, empty;
  perm_result result;
  long k;
  int whole;
  memset(&empty, 0, sizeof empty);
  t_sparse_random(12, 8, a);
  matrix = t_sparse_integers(12, a);
  remove(path);
  for (k = 1; k < 1000; k++) {
    t_sparse_memory memory;
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_status status;
    memset(&memory, 0, sizeof memory);
    memory.fail_at = k;
    options.allocator.allocate = t_sparse_allocate;
    options.allocator.release = t_sparse_release;
    options.allocator.user_data = &memory;
    status = perm_sparse_spy(&matrix, &options, path, NULL, &result);
    CHECK(memory.live == 0 && status == result.status);
    CHECK(status == (memory.calls < k ? PERM_OK : PERM_ERROR_MEMORY));
    CHECK((t_spy_bytes(path, &whole) >= 0) == (memory.calls < k));
    if (memory.calls < k)
      break;
  }
  CHECK(k > 10 && k < 1000 && whole);
  CHECK(perm_sparse_spy(&empty, NULL, path, NULL, &result) == PERM_OK && t_spy_bytes(path, &whole) > 0 && whole);
  CHECK(perm_sparse_spy(&matrix, NULL, "build/no/such/place.svg", NULL, &result) == PERM_ERROR_FILE);
  CHECK_TEXT(result.message, "no/such/place.svg");
  CHECK(perm_sparse_spy(NULL, NULL, path, NULL, &result) == PERM_ERROR_NULL);
  CHECK(perm_sparse_spy(&matrix, NULL, NULL, NULL, &result) == PERM_ERROR_NULL);
  remove(path);
  perm_matrix_free(&matrix);
}

/* How many of the texts a picture of a matrix by a method contains. */
static int t_spy_says(const perm_matrix *matrix, perm_method method, const char *const *text, int texts)
{
  static char picture[1 << 20];
  const char *path = "build/t_spy_says.svg";
  perm_options options = t_sparse_options(method, PERM_PRECISION_DEFAULT);
  perm_result result;
  FILE *file;
  size_t bytes;
  int i, said = 0;
  CHECK_SHOW(perm_sparse_spy(matrix, &options, path, "<a & \xc3\xb6>", &result) == PERM_OK, "%s", result.message);
  if (!(file = fopen(path, "rb")))
    return -1;
  bytes = fread(picture, 1, sizeof picture - 1, file);
  picture[bytes] = 0;
  fclose(file);
  remove(path);
  CHECK(bytes > 7 && bytes < sizeof picture - 1 && !strcmp(picture + bytes - 7, "</svg>\n"));
  for (i = 0; i < texts; i++)
    said += strstr(picture, text[i]) != NULL;
  return said;
}

/* Curves of frontiers and trees with their axes, a matrix without a perfect matching, one without a plan, and more
   blocks than there are lines. */
TEST(t_spy_draws_every_plan)
{
  static const char *const frontier[] = {"Vertices of the frontier along the order of elimination", "<polyline",
                                         ">&lt;a &amp; ??&gt;: 30 x 30, 90 entries<"};
  static const char *const tree[] = {"Vertices of the tables along the order of the tree", "<polyline",
                                     "Plan: 1 block after"};
  static const char *const singular[] = {"No perfect matching: the permanent is 0"};
  static const char *const none[] = {"No plan", "band"};
  static const char *const many[] = {"and ", " more, "};
  const int row[] = {0, 1, 2, 2}, column[] = {0, 0, 1, 2};
  const double one[] = {1, 1, 1, 1};
  double a[40 * 40];
  perm_matrix matrix;
  int i;
  CHECK(perm_generate("regular:30:3", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(t_spy_says(&matrix, PERM_METHOD_FRONTIER, frontier, 3) == 3);
  CHECK(t_spy_says(&matrix, PERM_METHOD_TREE, tree, 3) == 3);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(3, 3, 4, row, column, one, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, NULL) ==
        PERM_OK);
  CHECK(t_spy_says(&matrix, PERM_METHOD_AUTO, singular, 1) == 1);
  perm_matrix_free(&matrix);
  for (i = 0; i < 40 * 40; i++)
    a[i] = 1 + test_uniform();
  CHECK(perm_matrix_from_dense(40, 40, a, 40, NULL, &matrix, NULL) == PERM_OK);
  CHECK(t_spy_says(&matrix, PERM_METHOD_BAND, none, 2) == 2);
  perm_matrix_free(&matrix);
  CHECK(perm_generate("blocks:60:5:1", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(t_spy_says(&matrix, PERM_METHOD_AUTO, many, 2) == 2);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
