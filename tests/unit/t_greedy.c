/* >>walk, >>order: what a greedy walk knows of its candidates, and what its orders cost. */
#define T_GREEDY_MOST 300

static void t_greedy_block(int n, const unsigned char *mark, permi_block *block)
{
  int v, w;
  memset(block, 0, sizeof *block);
  block->n = n;
  block->vertices = 2 * n;
  block->start = (int *)malloc((2 * (size_t)n + 1) * sizeof(int));
  block->neighbour = (int *)malloc(2 * (size_t)n * (size_t)n * sizeof(int));
  block->start[0] = 0;
  for (v = 0; v < 2 * n; v++) {
    block->start[v + 1] = block->start[v];
    for (w = 0; w < n; w++)
      if (v < n ? mark[v * n + w] : mark[w * n + v - n])
        block->neighbour[block->start[v + 1]++] = v < n ? n + w : w;
  }
  block->edges = block->start[n];
}

static void t_greedy_free(permi_block *block)
{
  free(block->start);
  free(block->neighbour);
}

/* A diagonal, and entries at random; of some a hub. */
static int t_greedy_random(permi_block *block)
{
  static unsigned char mark[T_GREEDY_MOST * T_GREEDY_MOST];
  const int hub = test_below(4) == 0, n = hub ? 150 + test_below(T_GREEDY_MOST - 150) : 2 + test_below(20);
  const double density = hub ? 0.01 : test_uniform();
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      mark[i * n + j] = i == j || (hub && (i == 1 || j == 2)) || test_uniform() < density;
  t_greedy_block(n, mark, block);
  return n;
}

typedef struct t_greedy_tools {
  permi_control watch;
  permi_account account;
  permi_budget budget;
  permi_pool pool;
  permi_greedy greedy;
  double *binomial;
} t_greedy_tools;

static void t_greedy_begin(const permi_block *block, t_greedy_tools *tools)
{
  const perm_options *options = permi_options(NULL);
  memset(tools, 0, sizeof *tools);
  tools->watch = permi_control_begin(options);
  tools->account.watch = &tools->watch;
  tools->account.least = 1;
  tools->account.share = 1;
  tools->budget.effort = 1;
  tools->budget.most = tools->budget.rival = (double)INFINITY;
  tools->budget.each = tools->budget.quick = 1e-9;
  tools->budget.quick_width = PERMI_ORDER_WIDTH;
  tools->budget.account = &tools->account;
  tools->pool.allocator = &options->allocator;
  tools->binomial = permi_binomials(&options->allocator, block->n);
  CHECK(tools->binomial && permi_greedy_create(&tools->pool, block, &tools->greedy));
}

static void t_greedy_end(t_greedy_tools *tools)
{
  permi_release(tools->pool.allocator, tools->binomial);
  permi_pool_release(&tools->pool);
}

/* Counts anew what elimination of v would do. */
static void t_greedy_count(const permi_block *block, const permi_walk *walk, int v, int *growth, int *near)
{
  int e;
  *growth = walk->state[v] == 1 ? -1 : 0;
  *near = 0;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    if (walk->state[t] == 2)
      continue;
    *growth += walk->state[t] == 0;
    *growth -= walk->open[t] == 1;
    *near += permi_greedy_near_of(walk->open[t]);
  }
}

TEST(t_greedy_candidates_know_their_growth)
{
  uint64_t seed = 1;
  int trial;
  for (trial = 0; trial < 60; trial++) {
    permi_block block;
    t_greedy_tools tools;
    const permi_walk *walk = &tools.greedy.walk;
    int length, v, wrong = 0, gone;
    const int n = t_greedy_random(&block);
    t_greedy_begin(&block, &tools);
    tools.greedy.kind = trial % 3;
    tools.greedy.by_chance = trial % 2;
    permi_greedy_start(&block, &tools.greedy, &tools.watch);
    for (length = 0; (gone = walk->eliminated[0] + walk->eliminated[1]) < 2 * n; length++) {
      for (v = 0; v < 2 * n; v++) {
        int growth, near;
        if (walk->state[v] == 2)
          continue;
        t_greedy_count(&block, walk, v, &growth, &near);
        wrong += growth != tools.greedy.growth[v] || near != tools.greedy.nearness[v];
      }
      v = walk->width[0] + walk->width[1] ? permi_greedy_best(&block, &tools.greedy, &seed)
                                          : permi_greedy_begin(&block, &tools.greedy, length, &seed);
      CHECK(v >= 0 && v < 2 * n && walk->state[v] != 2 && (trial % 3 == 2 || (v >= n) == trial % 3));
      permi_greedy_step(&block, &tools.greedy, v);
      CHECK(walk->eliminated[0] + walk->eliminated[1] > gone);
    }
    CHECK_SHOW(!wrong, "trial %d, order %d: %d wrong", trial, n, wrong);
    t_greedy_end(&tools);
    t_greedy_free(&block);
  }
}

TEST(t_greedy_orders_cost_what_their_walks_do)
{
  uint64_t seed = 7;
  int trial;
  for (trial = 0; trial < 120; trial++) {
    int order[2 * T_GREEDY_MOST], seen[2 * T_GREEDY_MOST] = {0}, v;
    permi_block block;
    t_greedy_tools tools;
    const int n = t_greedy_random(&block);
    const uint64_t from = seed;
    double cost, again;
    t_greedy_begin(&block, &tools);
    tools.greedy.kind = trial % 3;
    tools.greedy.by_chance = trial / 3 % 2;
    cost = permi_order_greedy(&block, tools.binomial, &tools.greedy, &seed, &tools.budget, (double)INFINITY, order);
    CHECK_SHOW(cost < (double)INFINITY, "trial %d, order %d", trial, n);
    for (v = 0; v < 2 * n; v++) {
      CHECK(order[v] >= 0 && order[v] < 2 * n && !seen[order[v]]);
      seen[order[v]] = 1;
    }
    CHECK(permi_order_cost(&block, tools.binomial, &tools.greedy.walk, &tools.budget, order) == cost);
    seed = from;
    again = permi_order_greedy(&block, tools.binomial, &tools.greedy, &seed, &tools.budget, cost, order);
    CHECK(again == cost);
    seed = from;
    cost = permi_order_greedy(&block, tools.binomial, &tools.greedy, &seed, &tools.budget, 0.99 * cost, order);
    CHECK(cost == (double)INFINITY);
    t_greedy_end(&tools);
    t_greedy_free(&block);
  }
}

/* On graphs of three entries a line, ties by the neighbours nearest to leaving halve what orders cost. */
TEST(t_greedy_ties_by_nearest_neighbours)
{
  enum { N = 40, ORDERS = 40 };
  uint64_t seed = 3;
  double sum[2] = {0, 0};
  int trial, k, i;
  for (trial = 0; trial < 5; trial++) {
    static unsigned char mark[N * N];
    int order[2 * N];
    permi_block block;
    t_greedy_tools tools;
    memset(mark, 0, sizeof mark);
    for (k = 0; k < 3; k++) {
      int line[N];
      for (i = 0; i < N; i++) {
        const int j = test_below(i + 1);
        line[i] = line[j];
        line[j] = i;
      }
      for (i = 0; i < N; i++)
        mark[i * N + line[i]] = 1;
    }
    t_greedy_block(N, mark, &block);
    t_greedy_begin(&block, &tools);
    tools.greedy.kind = 2;
    for (k = 0; k < 2 * ORDERS; k++) {
      tools.greedy.by_chance = k % 2;
      sum[k % 2] += log(permi_order_greedy(&block, tools.binomial, &tools.greedy, &seed, &tools.budget,
                                           (double)INFINITY, order));
    }
    t_greedy_end(&tools);
    t_greedy_free(&block);
  }
  CHECK_SHOW(exp((sum[0] - sum[1]) / (5 * ORDERS)) < 0.7, "%g", exp((sum[0] - sum[1]) / (5 * ORDERS)));
}

/* The search never loses what it was given, repeats itself, and its cost is that of its order. */
TEST(t_order_takes_the_best)
{
  int trial;
  for (trial = 0; trial < test_some(30); trial++) {
    int first[2 * T_GREEDY_MOST], order[2 * T_GREEDY_MOST], other[2 * T_GREEDY_MOST];
    permi_block block;
    t_greedy_tools tools;
    const int n = t_greedy_random(&block);
    const size_t bytes = 2 * (size_t)n * sizeof *order;
    double cost[3];
    t_greedy_begin(&block, &tools);
    CHECK(permi_order(tools.pool.allocator, &block, tools.binomial, &tools.budget, first, &cost[0]));
    CHECK(permi_order_cost(&block, tools.binomial, &tools.greedy.walk, &tools.budget, first) <= cost[0] * (1 + 1e-12));
    tools.budget.effort = 0;
    tools.budget.first[trial % 2] = first;
    tools.watch.worked = 0;
    CHECK(permi_order(tools.pool.allocator, &block, tools.binomial, &tools.budget, order, &cost[1]));
    CHECK_SHOW(cost[1] <= cost[0] * (1 + 1e-12), "%g after %g", cost[1], cost[0]);
    tools.watch.worked = 0;
    CHECK(permi_order(tools.pool.allocator, &block, tools.binomial, &tools.budget, other, &cost[2]));
    CHECK(cost[2] == cost[1] && !memcmp(order, other, bytes));
    t_greedy_end(&tools);
    t_greedy_free(&block);
  }
}

/* What annealing ends with is taken only if it is better than the best so far. */
TEST(t_order_keeps_the_best_while_annealing)
{
  int kept = 0, taken = 0, trial, v;
  for (trial = 0; trial < 20; trial++) {
    int order[2 * T_GREEDY_MOST], from[2 * T_GREEDY_MOST];
    permi_block block;
    t_greedy_tools tools;
    permi_orders search;
    permi_anneal anneal;
    double before;
    const int n = t_greedy_random(&block);
    t_greedy_begin(&block, &tools);
    memset(&search, 0, sizeof search);
    search.block = &block;
    search.budget = tools.budget;
    search.given = &tools.budget;
    search.seed = 5;
    search.order = order;
    CHECK(permi_order(tools.pool.allocator, &block, tools.binomial, &tools.budget, order, &search.cost));
    CHECK(permi_anneal_create(&tools.pool, &block, tools.binomial, &search.budget, &anneal));
    for (v = 0; v < 2 * n; v++)
      from[v] = v;
    before = search.cost;
    permi_orders_anneal(&search, &anneal, from, PERMI_ANNEAL_HOT, 3000);
    CHECK_SHOW(search.cost <= before, "%g after %g", search.cost, before);
    kept += search.cost == before;
    search.cost = PERMI_ORDER_MOST; /* worse than anything */
    permi_orders_anneal(&search, &anneal, from, PERMI_ANNEAL_HOT, 3000);
    taken += search.cost < PERMI_ORDER_MOST;
    CHECK(permi_order_cost(&block, tools.binomial, &tools.greedy.walk, &tools.budget, order) <=
          search.cost * (1 + 1e-9));
    t_greedy_end(&tools);
    t_greedy_free(&block);
  }
  CHECK_SHOW(kept >= 10 && taken >= 15, "%d kept, %d taken", kept, taken);
}
/* SPDX-License-Identifier: MIT */
