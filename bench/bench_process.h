/* A whole process from start to exit, best of 5 (once where it takes over a second), with its peak memory and what it
   printed: a row of a Markdown table. */
static void bench_process(char **argv)
{
  double best = 1e9;
  long memory = 0;
  char text[2048] = "", *value, *line;
  int run, argc = 0, report[2];
  for (run = 0; run < 5; run++) {
    struct rusage usage;
    double start = bench_seconds();
    ssize_t got;
    size_t used = 0;
    pid_t child;
    if (pipe(report))
      return;
    child = fork();
    if (child == 0) {
      dup2(report[1], 1);
      close(report[0]);
      close(report[1]);
      execv(argv[0], argv);
      _exit(127);
    }
    close(report[1]);
    while (used + 1 < sizeof text && (got = read(report[0], text + used, sizeof text - 1 - used)) > 0)
      used += (size_t)got;
    text[used] = 0;
    close(report[0]);
    wait4(child, NULL, 0, &usage);
    start = bench_seconds() - start;
    best = start < best ? start : best;
    memory = usage.ru_maxrss;
    if (best > 1)
      break;
  }
  while (argv[argc])
    argc++;
  value = strstr(text, "permanent = ");
  value = value ? value + 12 : text;
  line = strchr(value, '\n');
  printf("| ");
  for (run = 1; run < argc; run++)
    if (strncmp(argv[run], "--threads", 9) && strcmp(argv[run], "1") && strcmp(argv[run], "--generate"))
      printf("%s%s", run > 1 ? " " : "", argv[run]);
  printf(" | %.4f | %.1f | %.*s | %.*s |\n", best, (double)memory / 1024, (int)strcspn(value, "\n"), value,
         line ? (int)strcspn(line + 1, "\n") : 0, line ? line + 1 : "");
}
/* SPDX-License-Identifier: MIT */
