# docs/figures.md: every table has above it, in its section, a version, a date, and the command that measures it.
function close_table() {
  if (!table) return
  tables++
  if (text !~ /[Vv]ersion [0-9]+\.[0-9]+/) fault("no version")
  if (text !~ /20[0-9][0-9]-[01][0-9]-[0-3][0-9]/) fault("no date")
  if (text !~ /`[^`]*(make |build\/|sh |python)[^`]*`/) fault("no command")
  table = 0
}
function fault(what) { print FILENAME ":" table ": " what " above this table"; bad = 1 }
/^## / { close_table(); text = ""; next }
/^\|/ { if (!table) table = FNR; next }
{ close_table(); text = text " " $0 }
END { close_table(); if (tables < 10) { print "only " tables + 0 " tables"; bad = 1 }; print tables + 0 " tables"; exit bad }
# SPDX-License-Identifier: MIT
