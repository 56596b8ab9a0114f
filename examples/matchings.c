/* Perfect matchings of a bipartite graph, counted exactly from a list of edges: dimer coverings, domino tilings, Kekule
   structures. A line is an edge: the names of two vertices and, if it has one, an integer weight (the count is then the
   partition function of dimers); # begins a comment. The two sides of the graph are found here.
   Build:  cc -O2 -I.. matchings.c -o matchings -lm
   Usage:  matchings [FILE]           no file: standard input
           matchings --grid R C       domino tilings of the R x C board, and Kasteleyn's product for them */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"

enum { VERTICES = 10000, EDGES = 50000 };
static struct {
  char name[32];
  int parent, parity;
} vertex[VERTICES]; /* parity: 1 if on the parent's other side */
static int vertices, edges, end[EDGES][2];
static int64_t weight[EDGES];

static void fail(const char *where, int line, const char *what)
{
  fprintf(stderr, "matchings: %s:%d: %s\n", where, line, what);
  exit(2);
}

static int vertex_of(const char *name)
{
  int v;
  for (v = 0; v < vertices && strcmp(vertex[v].name, name); v++)
    ;
  if (v == vertices && v < VERTICES) {
    strcpy(vertex[v].name, name);
    vertex[v].parent = v;
    vertices++;
  }
  return v;
}

/* The representative of v's component, so far; *parity: whether v is on its other side. */
static int root_of(int v, int *parity)
{
  for (*parity = 0; vertex[v].parent != v; v = vertex[v].parent)
    *parity ^= vertex[v].parity;
  return v;
}

static void add_edge(const char *a, const char *b, int64_t w, const char *where, int line)
{
  int u = vertex_of(a), v = vertex_of(b), parity_u, parity_v, root_u, root_v;
  if (u == VERTICES || v == VERTICES || edges == EDGES)
    fail(where, line, "the graph is too large for this example");
  root_u = root_of(u, &parity_u);
  root_v = root_of(v, &parity_v);
  if (root_u == root_v && parity_u == parity_v)
    fail(where, line, "the graph is not bipartite: this edge closes an odd cycle");
  vertex[root_u].parent = root_v;
  vertex[root_u].parity = root_u == root_v ? 0 : 1 ^ parity_u ^ parity_v;
  end[edges][0] = u;
  end[edges][1] = v;
  weight[edges++] = w;
}

static void read_edges(FILE *file, const char *path)
{
  const char *const blanks = " \t\r\n";
  char text[512], *a, *b, *number, *after;
  int line;
  for (line = 1; fgets(text, sizeof text, file); line++) {
    long long w = 1;
    if (!strchr(text, '\n') && !feof(file))
      fail(path, line, "the line is too long");
    text[strcspn(text, "#")] = 0;
    if (!(a = strtok(text, blanks)))
      continue;
    b = strtok(NULL, blanks);
    number = strtok(NULL, blanks);
    errno = 0;
    if (number && ((w = strtoll(number, &after, 10)), *after || errno))
      b = NULL;
    if (!b || strtok(NULL, blanks))
      fail(path, line, "expected the names of two vertices and at most an integer weight");
    if (strlen(a) >= sizeof vertex[0].name || strlen(b) >= sizeof vertex[0].name)
      fail(path, line, "names have at most 31 bytes");
    add_edge(a, b, w, path, line);
  }
  if (ferror(file))
    fail(path, line, "cannot be read");
}

/* Edges of the grid graph; returns the number of its dimer coverings as Kasteleyn's product. */
static double grid(int rows, int columns)
{
  const double pi = 3.14159265358979323846;
  char here[32], other[32];
  double product = 1;
  int i, j;
  if (rows < 1 || columns < 1)
    fail("--grid", 0, "expected two numbers");
  for (i = 1; i <= rows; i++)
    for (j = 1; j <= columns; j++) {
      snprintf(here, sizeof here, "%d,%d", i, j);
      snprintf(other, sizeof other, "%d,%d", i + 1, j);
      if (i < rows)
        add_edge(here, other, 1, "grid", i);
      snprintf(other, sizeof other, "%d,%d", i, j + 1);
      if (j < columns)
        add_edge(here, other, 1, "grid", i);
    }
  for (i = 1; i <= (rows + 1) / 2; i++)
    for (j = 1; j <= (columns + 1) / 2; j++)
      product *= 4 * pow(cos(pi * i / (rows + 1)), 2) + 4 * pow(cos(pi * j / (columns + 1)), 2);
  return product;
}

int main(int argc, char **argv)
{
  static int place[VERTICES], row[EDGES], column[EDGES];
  int side, count[2] = {0, 0}, v, e;
  char text[PERM_TEXT_BYTES] = "0";
  double kasteleyn = -1;
  perm_matrix matrix;
  perm_result r;
  if (argc == 4 && !strcmp(argv[1], "--grid"))
    kasteleyn = grid(atoi(argv[2]), atoi(argv[3]));
  else if (argc == 1)
    read_edges(stdin, "standard input");
  else if (argc == 2) {
    FILE *file = fopen(argv[1], "r");
    if (!file)
      fail(argv[1], 0, "cannot be opened");
    read_edges(file, argv[1]);
    fclose(file);
  } else
    fail("usage", 0, "matchings [FILE] or matchings --grid R C");

  for (v = 0; v < vertices; v++) {
    root_of(v, &side);
    place[v] = count[side]++;
  }
  printf("%d vertices (%d + %d), %d edges\n", vertices, count[0], count[1], edges);
  for (e = 0; e < edges; e++) {
    root_of(end[e][0], &side);
    row[e] = place[end[e][side]];
    column[e] = place[end[e][1 - side]];
  }
  if (count[0] == count[1]) { /* sides of different size: no perfect matching */
    if (perm_matrix_from_triplets(count[0], count[1], (size_t)edges, row, column, NULL, NULL, weight, PERM_KIND_INTEGER,
                                  NULL, &matrix, &r) ||
        perm_compute_sparse(&matrix, NULL, &r)) {
      fprintf(stderr, "matchings: %s\n", r.status == PERM_ERROR_FORMAT ? "an edge is there twice" : r.message);
      return 1;
    }
    perm_matrix_free(&matrix);
    perm_result_text(&r, text, sizeof text);
  }
  printf("perfect matchings: %s%s\n", text, count[0] != count[1] || r.exact ? "" : " (not exact: too many digits)");
  if (kasteleyn >= 0)
    printf("Kasteleyn's product: %.17g\n", kasteleyn);
  return 0;
}
/* SPDX-License-Identifier: MIT */
