/* ========================================================================================== >>graph
   Graphs as adjacency matrices. A line of B. D. McKay's graph6, sparse6 (after ':'), digraph6 (after '&'), perhaps
   after a header such as >>graph6<<. A byte has six bits, 63 + x. First the order n: a byte, three after '~', or six
   after "~~". Then
   - graph6: the upper triangle by columns, and zeros; digraph6: all rows
   - sparse6: groups of a bit b and k bits x, the bits of n - 1, over a vertex v from 0: b moves v on; then x > v
     becomes v, else {x, v} is an edge. Up to five ones fill the last byte; groups behind vertex n - 1 are none.
   DIMACS: "c" comments, "p edge N M" or "p col N M", M lines "e I J [W]". Each edge once, or all in both directions
   with one weight. */
#pragma once
#include "plain_text.h"

static int permi_graph6_line(permi_reader *reader)
{
  while (permi_next_line(reader)) {
    permi_skip_blanks(reader);
    while (reader->line_end > reader->cursor && permi_is_blank(reader->line_end[-1]))
      reader->line_end--;
    if (reader->cursor < reader->line_end)
      return 1;
  }
  return 0;
}

/* Passes a header; returns its mark, '>' for graph6, or 0. */
static char permi_graph6_header(permi_reader *reader)
{
  static const char *const header[] = {">>graph6<<", ">>sparse6<<", (">" ">digraph6<<")};
  for (size_t k = 0; k < sizeof header / sizeof *header; k++) {
    const size_t length = strlen(header[k]);
    if ((size_t)(reader->line_end - reader->cursor) >= length && !memcmp(reader->cursor, header[k], length)) {
      reader->cursor += length;
      return ">:&"[k];
    }
  }
  return 0;
}

/* Returns 1 for a header, a mark, or lines of such bytes alone. No number is one except i and j, which are too short.
   Lines of wrong length are graphs to refuse; but not i, j, nan. */
static int permi_is_graph6(const permi_reader *reader)
{
  permi_reader look = *reader;
  int units = 1;
  if (!permi_graph6_line(&look))
    return 0;
  if (permi_graph6_header(&look) || *look.cursor == ':' || *look.cursor == '&')
    return 1;
  do {
    const char *p = look.cursor += *look.cursor == ':' || *look.cursor == '&';
    while (p < look.line_end && *p >= 63 && *p <= 126)
      p++;
    if (p < look.line_end || (look.cursor < p && permi_is_name(look.cursor, look.cursor + 1) &&
                              !permi_is_name(look.cursor, p)))
      return 0;
    units = units && look.line_end - look.cursor == 1 && (*look.cursor == 'i' || *look.cursor == 'j');
  } while (permi_graph6_line(&look));
  return !units;
}

static int permi_graph6_edge(permi_reader *reader, uint64_t row, uint64_t column, int directed)
{
  permi_entry entry = permi_entry_one();
  return permi_reader_push(reader, row, column, &entry) &&
         (directed || row == column || permi_reader_push(reader, column, row, &entry));
}

static int permi_graph6_bit(const char *bits, uint64_t k)
{
  return (bits[k / 6] - 63) >> (5 - k % 6) & 1;
}

static int permi_graph6_pairs(permi_reader *reader, uint64_t n, char mark, unsigned long long *edges)
{
  const uint64_t bits = mark == '&' ? n * n : n ? n * (n - 1) / 2 : 0, bytes = (bits + 5) / 6;
  const uint64_t found = (uint64_t)(reader->line_end - reader->cursor);
  uint64_t k = 0, i, j;
  if (found != bytes)
    return permi_reader_fail(reader, "%llu character%s found after the order of a graph of %llu vertices, %llu were "
                             "expected: is the line whole?", (unsigned long long)found, found == 1 ? "" : "s",
                             (unsigned long long)n, (unsigned long long)bytes);
  for (j = 0; j < n; j++)
    for (i = 0; i < (mark == '&' ? n : j); i++, k++) {
      if (permi_watch_step(reader->watch, (size_t)k, 5))
        return 0;
      if (!permi_graph6_bit(reader->cursor, k))
        continue;
      ++*edges;
      if (!permi_graph6_edge(reader, mark == '&' ? j : i, mark == '&' ? i : j, mark == '&'))
        return 0;
    }
  for (; k < 6 * bytes; k++)
    if (permi_graph6_bit(reader->cursor, k))
      return permi_reader_fail(reader, "the last character %s has a bit behind the last pair of vertices, zeros were "
                               "expected", permi_quoted(reader->line_end - 1, reader->line_end).text);
  return 1;
}

static int permi_sparse6_edges(permi_reader *reader, uint64_t n, unsigned long long *edges)
{
  const uint64_t bits = 6 * (uint64_t)(reader->line_end - reader->cursor);
  uint64_t k = 0, v = 0, x, begin;
  int width = 0, i;
  while (n && (n - 1) >> width)
    width++;
  if (n < 2 && bits)
    return permi_reader_fail(reader, "loops of a graph of one vertex found, which programs read in two ways: write the "
                             "matrix, a number");
  while (bits - k > (uint64_t)width && n > 1) {
    if (permi_watch_step(reader->watch, (size_t)*edges, 20))
      return 0;
    begin = k;
    v += (uint64_t)permi_graph6_bit(reader->cursor, k++);
    for (x = 0, i = 0; i < width; i++)
      x = x << 1 | (uint64_t)permi_graph6_bit(reader->cursor, k++);
    if (x > v)
      v = x;
    else if (v < n && ++*edges && !permi_graph6_edge(reader, v, x, 0))
      return 0;
    if (v >= n && bits - begin > 5)
      return permi_reader_fail(reader, "vertex %llu of a graph of %llu vertices found, counted from 0, within the line",
                               (unsigned long long)v, (unsigned long long)n);
    if (v >= n)
      return 1;
  }
  return bits - k <= 5 || permi_reader_fail(reader, "the line ends in %llu bits, which are no edge, up to 5 were "
                                            "expected: is it whole?", (unsigned long long)(bits - k));
}

static int permi_read_graph6(permi_reader *reader, perm_format wanted)
{
  char mark = 0;
  uint64_t n = 0;
  unsigned long long edges = 0;
  int bytes = 1, ok = permi_graph6_line(reader);
  if (ok) {
    mark = permi_graph6_header(reader);
    ok = reader->cursor < reader->line_end || permi_graph6_line(reader);
  }
  if (!ok)
    return permi_reader_fail(reader, "no graph found, a line of graph6, sparse6 or digraph6 was expected");
  if (*reader->cursor == ';' || (mark && mark != '>' && *reader->cursor != mark))
    return permi_reader_fail(reader, "%s found, '%c' was expected before the graph: incremental sparse6 is not read, "
                             "copyg -s of nauty writes sparse6", permi_quoted(reader->cursor, reader->line_end).text,
                             mark && mark != '>' ? mark : ':');
  if (mark != '>')
    mark = *reader->cursor == ':' || *reader->cursor == '&' ? *reader->cursor++ : '>';
  reader->taken = mark == '>' ? "graph6" : mark == ':' ? "sparse6" : "digraph6";
  for (const char *p = reader->cursor; p < reader->line_end; p++)
    if (*p < 63 || *p > 126)
      return permi_reader_fail(reader, "%s found as character %llu of a graph, '?' to '~' were expected",
                               permi_quoted(p, p + 1).text, (unsigned long long)(p - reader->cursor) + 1);
  for (; reader->cursor < reader->line_end && *reader->cursor == '~' && bytes < 6; reader->cursor++)
    bytes = bytes == 1 ? 3 : 6;
  if (reader->line_end - reader->cursor < bytes)
    return permi_reader_fail(reader, "the line ends before the order of the graph: is it whole?");
  for (; bytes; bytes--)
    n = n << 6 | (uint64_t)(*reader->cursor++ - 63);
  if (n > PERM_MATRIX_MAX_ROWS)
    return permi_reader_fail(reader, "a graph of %llu vertices found, at most %d were expected", (unsigned long long)n,
                             PERM_MATRIX_MAX_ROWS);
  reader->kind = PERM_KIND_PATTERN;
  reader->m = reader->n = (int)n;
  reader->again = "; of parallel edges write the number as a weight, with --format edges";
  if (!(mark == ':' ? permi_sparse6_edges(reader, n, &edges) : permi_graph6_pairs(reader, n, mark, &edges)))
    return 0;
  const unsigned long long line = reader->line, more = permi_graph6_line(reader) ? reader->line : 0;
  if (more && !reader->rest)
    return permi_reader_fail(reader, "a second graph found, one was expected; perm FILE takes every line, and so "
                             "does perm_matrix_read_each");
  const permi_rest rest = {more ? reader->cursor : NULL, more - 1, line};
  if (reader->rest)
    *reader->rest = rest;
  reader->line = line;
  if (wanted == PERM_FORMAT_AUTO && more)
    snprintf(reader->note, sizeof reader->note, "%s, each line the adjacency matrix of a graph", reader->taken);
  else if (wanted == PERM_FORMAT_AUTO)
    snprintf(reader->note, sizeof reader->note, "%s, the adjacency matrix of %d vertices and %llu %s", reader->taken,
             reader->n, edges, mark == '&' ? "arcs" : "edges");
  return 1;
}

/* Returns 1 if "p WORD" and a number follow the comments; else it is a header of names. */
static int permi_is_dimacs(const permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end;
  while (permi_next_content(&look, 1) && permi_next_word(&look, &begin, &end) && end == begin + 1) {
    if (*begin == 'p')
      return permi_next_word(&look, &begin, &end) && permi_next_word(&look, &begin, &end) &&
             (permi_is_digit(*begin) || *begin == '-');
    if (*begin != 'c')
      return 0;
  }
  return 0;
}

static int permi_dimacs_whole(permi_reader *reader, const char *what, int64_t least, int64_t most, int64_t *value)
{
  const char *begin, *end;
  if (!permi_next_word(reader, &begin, &end))
    return permi_reader_fail(reader, "the line ends before the %s, a whole number was expected", what);
  return (permi_field_whole(begin, end, most, value) && *value >= least) ||
         permi_reader_fail(reader, "%s found as the %s, a whole number from %lld to %lld was expected",
                           permi_quoted(begin, end).text, what, (long long)least, (long long)most);
}

static int permi_read_dimacs(permi_reader *reader, perm_format wanted)
{
  unsigned long long problem = 0, found = 0; /* the line p; edges */
  int64_t vertices = 0, edges = 0; /* announced */
  int all_columns = 2;
  const char *begin, *end;
  reader->kind = PERM_KIND_PATTERN;
  reader->mirrored = 1;
  while (permi_next_content(reader, 1)) {
    permi_entry entry = permi_entry_one();
    int64_t from = 0, to = 0;
    int columns = 2;
    permi_next_word(reader, &begin, &end);
    const char what = end == begin + 1 ? *begin : 0;
    if (what == 'c')
      continue;
    if (what == 'p') {
      if (problem)
        return permi_reader_fail(reader, "a second line p found, the first was line %llu; one graph a file was "
                                 "expected", problem);
      problem = reader->line;
      permi_next_word(reader, &begin, &end);
      if (!permi_same_word(begin, end, "edge") && !permi_same_word(begin, end, "col"))
        return permi_reader_fail(reader, "problem %s found, edge or col (a graph) was expected",
                                 permi_quoted(begin, end).text);
      if (!permi_dimacs_whole(reader, "number of vertices", 0, PERM_MATRIX_MAX_ROWS, &vertices) ||
          !permi_dimacs_whole(reader, "number of edges", 0, INT64_MAX, &edges) ||
          !permi_line_finished(reader, "the numbers of vertices and edges"))
        return 0;
    } else if (!problem) {
      return permi_reader_fail(reader, "%s found, a line 'p edge VERTICES EDGES' was expected",
                               permi_quoted(begin, reader->line_end).text);
    } else if (what == 'e') {
      if (!permi_dimacs_whole(reader, "first vertex", 1, vertices, &from) ||
          !permi_dimacs_whole(reader, "second vertex", 1, vertices, &to))
        return 0;
      if (permi_next_word(reader, &begin, &end)) {
        columns = 3;
        reader->kind = found ? reader->kind : PERM_KIND_INTEGER;
        if (!permi_plain_value(reader, begin, end, &entry) || !permi_line_finished(reader, "the weight"))
          return 0;
      }
      if (found && columns != all_columns)
        return permi_reader_fail(reader, "an edge with%s weight found, after others with%s: all or none were expected",
                                 columns == 3 ? "" : "out", columns == 3 ? "out" : "");
      all_columns = columns;
      found++;
      if (!permi_reader_push(reader, (uint64_t)from - 1, (uint64_t)to - 1, &entry))
        return 0;
    } else if (what != 'n' && what != 'd' && what != 'v' && what != 'x') {
      return permi_reader_fail(reader, "%s found, a line 'e VERTEX VERTEX [WEIGHT]' was expected",
                               permi_quoted(begin, reader->line_end).text);
    }
  }
  if (reader->watch->stopped != PERM_OK)
    return permi_reader_no_memory(reader);
  if (!problem)
    return permi_reader_fail(reader, "no line p found, 'p edge VERTICES EDGES' was expected");
  if (found != (unsigned long long)edges)
    return permi_reader_fail(reader, "%llu edges found, %lld were announced in line %llu: complete the file or correct "
                             "that number", found, (long long)edges, problem);
  reader->m = reader->n = (int)vertices;
  if (wanted == PERM_FORMAT_AUTO)
    snprintf(reader->note, sizeof reader->note, "DIMACS, the adjacency matrix of %llu edges%s", found,
             all_columns == 3 ? ", weights as entries" : "");
  return 1;
}
/* SPDX-License-Identifier: MIT */
