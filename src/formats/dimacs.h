/* ========================================================================================= >>dimacs
   Reads graphs of DIMACS challenges. Lines that begin with c are comments.
   - "p edge N M" or "p col N M" and M lines "e I J [W]": the symmetric adjacency matrix, with weights if all have one.
     Each edge once, or all in both directions with one weight. Lines n, d, v, x describe vertices: left out
   - "p asn N M", lines "n I" for vertices that are rows, M lines "a I J [W]" from a row to another vertex: the
     bipartite matrix, with the other vertices as columns, both in ascending order. */
#pragma once
#include "plain_text.h"

typedef struct permi_dimacs {
  int64_t vertices, edges; /* announced */
  unsigned long long problem, found;
  int assignment;       /* 1: p asn */
  int columns;          /* of an edge's line */
  permi_entries source; /* keys: vertices of rows */
} permi_dimacs;

/* After comments "p WORD" and a number; else a header of names. */
static int permi_is_dimacs(const permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end;
  look.result = NULL;
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

static int permi_dimacs_lines(permi_reader *reader, permi_dimacs *graph)
{
  const char *begin, *end;
  while (permi_next_content(reader, 1)) {
    permi_entry entry = permi_entry_one();
    int64_t from = 0, to = 0;
    int columns = 2;
    char what = 0;
    permi_next_word(reader, &begin, &end);
    if (end == begin + 1)
      what = *begin;
    if (what == 'c')
      continue;
    if (what == 'p') {
      if (graph->problem)
        return permi_reader_fail(reader, "a second line p found, the first was line %llu; one graph a file was "
                                 "expected", graph->problem);
      graph->problem = reader->line;
      permi_next_word(reader, &begin, &end);
      graph->assignment = permi_same_word(begin, end, "asn");
      if (!graph->assignment && !permi_same_word(begin, end, "edge") && !permi_same_word(begin, end, "col"))
        return permi_reader_fail(reader, "problem %s found, edge or col (a graph) or asn (rows and columns) was "
                                 "expected", permi_quoted(begin, end).text);
      if (!permi_dimacs_whole(reader, "number of vertices", 0, PERM_MATRIX_MAX_ROWS, &graph->vertices) ||
          !permi_dimacs_whole(reader, "number of edges", 0, INT64_MAX, &graph->edges) ||
          !permi_line_finished(reader, "the numbers of vertices and edges"))
        return 0;
    } else if (!graph->problem) {
      return permi_reader_fail(reader, "%s found, a line 'p edge VERTICES EDGES' or 'p asn VERTICES EDGES' was "
                               "expected", permi_quoted(begin, reader->line_end).text);
    } else if (what == (graph->assignment ? 'a' : 'e')) {
      if (!permi_dimacs_whole(reader, "first vertex", 1, graph->vertices, &from) ||
          !permi_dimacs_whole(reader, "second vertex", 1, graph->vertices, &to))
        return 0;
      if (permi_next_word(reader, &begin, &end)) {
        columns = 3;
        reader->kind = graph->found ? reader->kind : PERM_KIND_INTEGER;
        if (!permi_plain_value(reader, begin, end, &entry) || !permi_line_finished(reader, "the weight"))
          return 0;
      }
      if (graph->found && columns != graph->columns)
        return permi_reader_fail(reader, "an edge with%s weight found, after others with%s: all or none were expected",
                                 columns == 3 ? "" : "out", columns == 3 ? "out" : "");
      graph->columns = columns;
      graph->found++;
      if (!permi_reader_push(reader, (uint64_t)from - 1, (uint64_t)to - 1, &entry))
        return 0;
    } else if (what == 'n' && graph->assignment) {
      if (!permi_dimacs_whole(reader, "vertex", 1, graph->vertices, &from) ||
          !permi_line_finished(reader, "the vertex"))
        return 0;
      entry.key = (uint64_t)from - 1;
      entry.line = reader->line;
      if (!permi_entries_push(&graph->source, &entry, &reader->allocator, reader->watch))
        return permi_reader_no_memory(reader);
    } else if (graph->assignment || (what != 'n' && what != 'd' && what != 'v' && what != 'x')) {
      return permi_reader_fail(reader, "%s found, a line '%s' was expected", permi_quoted(begin, reader->line_end).text,
                               graph->assignment ? "n VERTEX' or 'a ROW COLUMN [WEIGHT]" : "e VERTEX VERTEX [WEIGHT]");
    }
  }
  if (reader->watch->stopped != PERM_OK)
    return permi_reader_no_memory(reader);
  if (!graph->problem)
    return permi_reader_fail(reader, "no line p found, 'p edge VERTICES EDGES' or 'p asn VERTICES EDGES' was expected");
  return graph->found == (unsigned long long)graph->edges ||
         permi_reader_fail(reader, "%llu edges found, %lld were announced in line %llu: complete the file or correct "
                           "that number", graph->found, (long long)graph->edges, graph->problem);
}

/* Numbers rows and columns of p asn. */
static int permi_dimacs_relabel(permi_reader *reader, permi_dimacs *graph)
{
  const permi_entry *second;
  permi_entry *entry;
  size_t k, at[2];
  int side, row[2];
  if (!permi_entries_sort(&graph->source, &reader->allocator, reader->watch))
    return permi_reader_no_memory(reader);
  second = permi_entries_duplicate(&graph->source, reader->watch);
  if (second) {
    reader->line = second->line;
    return permi_reader_fail(reader, "vertex %llu found as a row again, first given in line %llu", second->key + 1,
                             second[-1].line);
  }
  for (k = 0; k < reader->entries.count && !permi_watch_step(reader->watch, k, 30); k++) {
    entry = &reader->entries.entry[k];
    for (side = 0; side < 2; side++) {
      const uint64_t vertex = side ? entry->key & 0xffffffff : entry->key >> 32;
      at[side] = permi_entries_find(&graph->source, graph->source.count, vertex);
      row[side] = at[side] < graph->source.count && graph->source.entry[at[side]].key == vertex;
      at[side] = side ? (size_t)vertex - at[side] : at[side];
    }
    reader->line = entry->line;
    if (!row[0] || row[1])
      return permi_reader_fail(reader, "an edge from %s to %s found; from a row (with a line n) to a column was "
                               "expected", row[0] ? "a row" : "a column", row[1] ? "a row" : "a column");
    entry->key = permi_entry_key(at[0], at[1]);
  }
  reader->m = (int)graph->source.count;
  reader->n = (int)graph->vertices - reader->m;
  return 1;
}

static int permi_read_dimacs(permi_reader *reader, perm_format wanted)
{
  permi_dimacs graph;
  int ok;
  memset(&graph, 0, sizeof graph);
  reader->kind = PERM_KIND_PATTERN;
  ok = permi_dimacs_lines(reader, &graph);
  if (ok && graph.assignment) {
    ok = permi_dimacs_relabel(reader, &graph);
  } else if (ok) {
    reader->m = reader->n = (int)graph.vertices;
    reader->mirrored = 1;
  }
  permi_release(&reader->allocator, graph.source.entry);
  if (ok && wanted == PERM_FORMAT_AUTO)
    snprintf(reader->note, sizeof reader->note, "DIMACS, the %s matrix of %llu edges%s",
             graph.assignment ? "bipartite" : "adjacency", graph.found,
             graph.columns == 3 ? ", weights as entries" : "");
  return ok;
}
/* SPDX-License-Identifier: MIT */
