/* >>cpu, >>kernels */
/* Which family of kernels a processor gets, processors with features hidden, and the loop over families that
   the other tests use. */

/* The families that this program may use, one after another, then 0:

     for (isa = isa_first(); isa; isa = isa_next(isa))

   Each has random numbers of its own, and so has what follows the loop: the data of a test depend on the test, the
   place in it and the family, not on which other families there are. isa_next(PERM_ISA_COUNT) ends a loop early. */
static struct { uint64_t seed; int open; } isa_loop;

static void isa_seed(int isa)
{
  test_seed(isa_loop.seed + (uint64_t)isa * UINT64_C(0xd1342543de82ef95));
}

static int isa_first(void)
{
  if (isa_loop.open++) { /* an inner loop would give the outer one's families other numbers */
    printf("%s: a loop over families inside another, or left early\n", test_now.name);
    abort();
  }
  isa_loop.seed = test_random() >> 1;
  isa_seed(PERM_ISA_PLAIN);
  return PERM_ISA_PLAIN;
}

static int isa_next(int isa)
{
  do
    isa = isa >= PERM_ISA_COUNT - 1 ? 0 : isa + 1;
  while (isa && !permi_isa_here((perm_isa)isa));
  isa_seed(isa);
  isa_loop.open = isa != 0;
  return isa;
}

/* What can be hidden, by name, and the best that is left on a processor that has everything else. */
typedef struct isa_feature { const char *name; int word, bit; perm_isa left; } isa_feature;
enum { ISA_LEAF_1_ECX, ISA_LEAF_7_EBX, ISA_LEAF_7_ECX, ISA_SAVED };
static const isa_feature isa_features[] = {
    {"avx512ifma", ISA_LEAF_7_EBX, 21, PERM_ISA_AVX512},  {"avx512vl", ISA_LEAF_7_EBX, 31, PERM_ISA_AVX512},
    {"avx512vbmi", ISA_LEAF_7_ECX, 1, PERM_ISA_AVX512},   {"avx512vbmi2", ISA_LEAF_7_ECX, 6, PERM_ISA_AVX512},
    {"avx512", ISA_LEAF_7_EBX, 16, PERM_ISA_AVX2},        {"avx512dq", ISA_LEAF_7_EBX, 17, PERM_ISA_AVX2},
    {"avx512bw", ISA_LEAF_7_EBX, 30, PERM_ISA_AVX2},      {"zmm-saved", ISA_SAVED, 6, PERM_ISA_AVX2},
    {"masks-saved", ISA_SAVED, 5, PERM_ISA_AVX2},         {"upper-zmm-saved", ISA_SAVED, 7, PERM_ISA_AVX2},
    {"avx2", ISA_LEAF_7_EBX, 5, PERM_ISA_PLAIN},          {"avx", ISA_LEAF_1_ECX, 28, PERM_ISA_PLAIN},
    {"fma", ISA_LEAF_1_ECX, 12, PERM_ISA_PLAIN},          {"popcnt", ISA_LEAF_1_ECX, 23, PERM_ISA_PLAIN},
    {"ymm-saved", ISA_SAVED, 2, PERM_ISA_PLAIN},          {"xmm-saved", ISA_SAVED, 1, PERM_ISA_PLAIN}};
#define ISA_FEATURES ((int)(sizeof isa_features / sizeof isa_features[0]))

static const isa_feature *isa_hidden; /* NULL, or what --hide names */

__attribute__((unused)) static int isa_hide(const char *name)
{
  int k;
  for (k = 0; k < ISA_FEATURES; k++)
    if (!strcmp(name, isa_features[k].name)) {
      isa_hidden = &isa_features[k];
      test_hidden = isa_hidden->name;
      return 1;
    }
  return 0;
}

#if PERMI_X86
static unsigned *isa_word(permi_cpu *cpu, const isa_feature *feature)
{
  return feature->word == ISA_LEAF_1_ECX   ? &cpu->leaf_1_ecx
         : feature->word == ISA_LEAF_7_EBX ? &cpu->leaf_7_ebx
         : feature->word == ISA_LEAF_7_ECX ? &cpu->leaf_7_ecx
                                           : &cpu->saved;
}

static void test_hide(permi_cpu *cpu)
{
  if (isa_hidden)
    *isa_word(cpu, isa_hidden) &= ~(1u << isa_hidden->bit);
}

/* A processor with every feature but one, and processors that were sold. */
TEST(t_isa_of_processors)
{
#define ISA_YMM " xmm-saved ymm-saved "
#define ISA_ZMM ISA_YMM "masks-saved zmm-saved upper-zmm-saved "
  static const struct { const char *name, *has; perm_isa isa; } sold[] = {
      {"Nehalem", " popcnt ", PERM_ISA_PLAIN},
      {"Sandy Bridge", " popcnt avx " ISA_YMM, PERM_ISA_PLAIN},
      {"Piledriver", " popcnt avx fma " ISA_YMM, PERM_ISA_PLAIN},
      {"Haswell", " popcnt avx fma avx2 " ISA_YMM, PERM_ISA_AVX2},
      {"Knights Landing", " popcnt avx fma avx2 avx512 " ISA_ZMM, PERM_ISA_AVX2},
      {"Skylake server", " popcnt avx fma avx2 avx512 avx512dq avx512bw avx512vl " ISA_ZMM, PERM_ISA_AVX512},
      {"Cannon Lake", " popcnt avx fma avx2 avx512 avx512dq avx512bw avx512vl avx512ifma avx512vbmi " ISA_ZMM,
       PERM_ISA_AVX512},
      {"Ice Lake, Zen 4",
       " popcnt avx fma avx2 avx512 avx512dq avx512bw avx512vl avx512ifma avx512vbmi avx512vbmi2 " ISA_ZMM,
       PERM_ISA_AVX512IFMA},
      {"Zen 4, a system that saves 256 bits",
       " popcnt avx fma avx2 avx512 avx512dq avx512bw avx512vl avx512ifma avx512vbmi avx512vbmi2 " ISA_YMM,
       PERM_ISA_AVX2}};
  static const permi_cpu none = {0, 0, 0, 0};
  size_t s;
  int k;
  CHECK(permi_isa_of(&none) == PERM_ISA_PLAIN);
  for (k = 0; k < ISA_FEATURES; k++) {
    permi_cpu cpu = {~0u, ~0u, ~0u, ~0u};
    CHECK(permi_isa_of(&cpu) == PERM_ISA_AVX512IFMA);
    *isa_word(&cpu, &isa_features[k]) &= ~(1u << isa_features[k].bit);
    CHECK_SHOW(permi_isa_of(&cpu) == isa_features[k].left, "without %s: %s", isa_features[k].name,
               perm_name("isa", permi_isa_of(&cpu)));
  }
  for (s = 0; s < sizeof sold / sizeof sold[0]; s++) {
    permi_cpu cpu = none;
    for (k = 0; k < ISA_FEATURES; k++) {
      char word[32];
      snprintf(word, sizeof word, " %s ", isa_features[k].name);
      if (strstr(sold[s].has, word))
        *isa_word(&cpu, &isa_features[k]) |= 1u << isa_features[k].bit;
    }
    CHECK_SHOW(permi_isa_of(&cpu) == sold[s].isa, "%s: %s", sold[s].name, perm_name("isa", permi_isa_of(&cpu)));
  }
}
#endif

/* --hide hides: no better family is planned, taken or accepted than the processor without the feature would have. */
TEST(t_isa_hidden_is_not_there)
{
  double a[20 * 20];
  int isa, i, families = 0;
  const perm_isa most = isa_hidden ? isa_hidden->left : PERM_ISA_COUNT;
  permi_dense_plan plan;
  for (isa = isa_first(); isa; isa = isa_next(isa)) {
    CHECK((perm_isa)isa <= most);
    families++;
  }
  CHECK(perm_isa_best() <= most);
  CHECK(families >= 1);
  if (test_verbose)
    printf("     %d families, the best is %s\n", families, perm_name("isa", perm_isa_best()));
  for (i = 0; i < 400; i++)
    a[i] = test_uniform();
  CHECK(inside_plan_real(20, 20, a, 20, NULL, &plan, NULL) == PERM_OK);
  CHECK(plan.isa <= most && plan.isa >= PERM_ISA_PLAIN);
  for (isa = PERM_ISA_PLAIN; isa < PERM_ISA_CUDA; isa++) {
    perm_options options;
    memset(&options, 0, sizeof options);
    options.isa = (perm_isa)isa;
    CHECK((inside_plan_real(20, 20, a, 20, &options, &plan, NULL) == PERM_OK) == permi_isa_here((perm_isa)isa));
  }
}

/* What a family draws does not depend on the others, nor does what is drawn after them. */
TEST(t_isa_loops_draw_the_same_numbers)
{
  uint64_t first[2] = {0, 0}, after[2] = {0, 0}, seen[PERM_ISA_COUNT + 1];
  int pass, isa, i, k, count = 0;
  for (pass = 0; pass < 2; pass++) { /* all families, then one alone, which draws more */
    test_seed(5);
    for (isa = isa_first(); isa; isa = isa_next(pass ? PERM_ISA_COUNT : isa)) {
      const uint64_t number = test_random();
      if (isa == PERM_ISA_PLAIN)
        first[pass] = number;
      if (!pass)
        seen[count++] = number;
      for (i = 0; i < 3 * isa + pass; i++)
        test_random();
    }
    after[pass] = test_random();
  }
  CHECK(first[0] == first[1] && after[0] == after[1]);
  seen[count++] = after[0];
  for (i = 0; i < count; i++)
    for (k = 0; k < i; k++)
      CHECK(seen[i] != seen[k]);
}
/* SPDX-License-Identifier: MIT */
