/* Rows of bench.cu about generated kernels: hybrid, cached and the published code generation. */
/* Kernel: a slice of at most 1.5 s predicted, without compiling, as a whole; process: everything. */
static void bench_sparse(const char *spec, perm_method method, perm_precision precision, int whole)
{
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_partial partial;
  uint64_t chunks;
  double plan, first, kernel;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  options.isa = PERM_ISA_CUDA;
  options.gpus = 1;
  options.tolerance = 1;
  if (perm_generate(spec, 1, NULL, &matrix, &r) != PERM_OK) {
    printf("| %s: %s |\n", spec, r.message);
    return;
  }
  plan = permi_seconds();
  if (perm_sparse_job(&matrix, &options, &job, &r) != PERM_OK || perm_job_leaves(job) != 1 ||
      perm_job_leaf(job, 0, &leaf) != PERM_OK || leaf.isa != PERM_ISA_CUDA) {
    printf("| %s %s: no kernel: %s |\n", spec, perm_method_name(method), r.message);
  } else {
    perm_status status;
    plan = permi_seconds() - plan;
    memset(&partial, 0, sizeof partial);
    first = permi_seconds();
    status = perm_job_run(job, 0, 0, leaf.chunks < 264 ? leaf.chunks : 264, &partial);
    first = permi_seconds() - first;
    chunks = leaf.seconds > 1.5 ? (uint64_t)((double)leaf.chunks * 1.5 / leaf.seconds) : leaf.chunks;
    chunks = chunks < 264 ? 264 : chunks;
    chunks = chunks < leaf.chunks ? chunks : leaf.chunks;
    memset(&partial, 0, sizeof partial);
    kernel = permi_seconds();
    if (status == PERM_OK)
      status = perm_job_run(job, 0, 0, chunks, &partial);
    kernel = (permi_seconds() - kernel) * (double)leaf.chunks / (double)chunks;
    if (status != PERM_OK) {
      printf("| %s %s: %s |\n", spec, perm_method_name(method), perm_status_text(status));
    } else {
      printf("| %s | %s | %s | %.3f | %.3f | %.3f | %.4f%s |", spec, perm_method_name(leaf.method),
             perm_precision_name(precision), plan, leaf.seconds, first, kernel, chunks < leaf.chunks ? " (slice)" : "");
      if (whole && perm_compute_sparse(&matrix, &options, &r) >= 0)
        printf(" %.3f | %.15g | %.2g |\n", r.seconds, r.value, r.estimate / fabs(r.value));
      else
        printf(" | %s | |\n", whole ? r.message : "");
    }
  }
  fflush(stdout);
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

void bench_sparse_table(int whole); /* for bench.cu */
void bench_sparse_table(int whole)
{
  static const char *const specs[] = {"er:40:0.2", "er:40:0.3", "er:40:0.5", "er:45:0.3", "er:48:0.2", "er:48:0.3"};
  size_t k;
  printf("\nGenerated kernels, one GPU; seconds\n\n| matrix | method | precision | plan | predicted, compiler included "
         "| compiler and first chunks | kernel | whole call | value | estimate |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  for (k = 0; k < sizeof specs / sizeof specs[0]; k++)
    bench_sparse(specs[k], PERM_HYBRID, PERM_PRECISION_DEFAULT, whole && k < 3);
  for (k = 0; k < 4; k++)
    bench_sparse(specs[k], PERM_CACHED, PERM_PRECISION_DEFAULT, 0);
  bench_sparse(specs[1], PERM_HYBRID, PERM_PRECISION_ACCURATE, 0);
  for (k = 0; k < 2; k++) {
    bench_sparse(specs[k], PERM_CODEGEN_REGISTERS, PERM_PRECISION_DEFAULT, 0);
    bench_sparse(specs[k], PERM_CODEGEN_MEMORY, PERM_PRECISION_DEFAULT, 0);
  }
}
