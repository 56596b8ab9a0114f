/* What this core can issue of the kernels' own mixes of operations, in elements/s: the same arithmetic on as many
   independent chains, with the memory operands in the first-level cache, and nothing else of a kernel: no tables
   that grow with n, no Gray steps, no sums of terms.
     normalised     a row and setting: 1 addition with a memory operand, 2 fused operations; 2 elements
     registers      the same without memory operands
     pair_complex   a pair of rows and S settings: 4 + 8 S multiplying operations and 2 + 8 S additions, of which
                    2 + 4 S with a memory operand; 4 S elements (S = 4, AVX2: 2)
     split_real     a row and setting, certified: 3 additions, two with a memory operand, 1 product; 1 element
     split_complex  6 additions, four with a memory operand, 4 multiplying operations; 1 element
   The memory operands belong to the mix: without them the real mix ran 1.3 times as fast on a 2.5 GHz Cascade Lake,
   because the processor lowers its clock for 512-bit arithmetic fed by 512-bit loads (2.4 against 3.1 GHz there; 12.0
   cycles a row in both cases). Both figures are printed. The file includes itself, once for each vector width. */
#if !defined(ROOF_WIDTH)

enum { ROOF_NORMALISED, ROOF_REGISTERS, ROOF_PAIR_COMPLEX, ROOF_SPLIT_REAL, ROOF_SPLIT_COMPLEX, ROOF_COUNT };
static const char *const roof_name[] = {"real", "real, operands in registers", "complex", "certify real",
                                        "certify complex"};

#if defined(__x86_64__)
#include <immintrin.h>

static double roof_table[256] PERMI_ALIGN64;

#define ROOF_EACH8(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define ROOF_EACH4(F) F(0) F(1) F(2) F(3)
#define ROOF_EACH2(F) F(0) F(1)

/* 64 rows a product, like a matrix of that size: values stay finite, as in the kernels */
#define ROOF_FUNCTION(name, repeats, elements, declare, row_text, sink_text)                                           \
  ROOF_TARGET static double ROOF_NAME(name)(void)                                                                      \
  {                                                                                                                    \
    V one = SET(1.0), x = SET(0.01), sink = SET(0.0);                                                                  \
    double keep[8], start = bench_seconds();                                                                           \
    int run, row;                                                                                                      \
    for (run = 0; run < repeats; run++) {                                                                              \
      declare                                                                                                          \
      for (row = 0; row < 64; row++) {                                                                                 \
        __asm__ volatile("" : "+v"(x), "+v"(one) : : "memory"); /* a new row */                                        \
        row_text                                                                                                       \
      }                                                                                                                \
      sink_text                                                                                                        \
    }                                                                                                                  \
    start = bench_seconds() - start;                                                                                   \
    memcpy(keep, &sink, sizeof sink);                                                                                  \
    bench_sink += keep[0];                                                                                             \
    return repeats * 64.0 * (elements) * ROOF_WIDTH / start;                                                           \
  }
#define ROOF_TABLE(k) LOAD(roof_table + (k) * ROOF_WIDTH)

#define ROOF_DECLARE(q) V p##q = one, m##q = one;
#define ROOF_LOADED(q)                                                                                                 \
  {                                                                                                                    \
    V y = ADD(x, ROOF_TABLE(q));                                                                                       \
    p##q = FMA(p##q, y, p##q);                                                                                         \
    m##q = FMS(m##q, y, m##q);                                                                                         \
  }
#define ROOF_REGISTER(q)                                                                                               \
  {                                                                                                                    \
    V y = ADD(x, one);                                                                                                 \
    __asm__ volatile("" : "+v"(y)); /* or all y would be one */                                                        \
    p##q = FMA(p##q, y, p##q);                                                                                         \
    m##q = FMS(m##q, y, m##q);                                                                                         \
  }
#define ROOF_SINK(q) sink = ADD(sink, ADD(p##q, m##q));

/* x = 0.01 and table entries to 0.03: products of the pair hold as many factors near 1 as rows */
#define ROOF_DECLARE_COMPLEX(q) V pr##q = one, pi##q = x, mr##q = one, mi##q = x;
#define ROOF_PAIR_FIRST                                                                                                \
  V ur = ADD(x, ROOF_TABLE(0)), ui = ADD(x, ROOF_TABLE(1)), vr = ADD(x, ROOF_TABLE(2)), vi = ADD(x, ROOF_TABLE(3));    \
  V zr = FMA(ur, vr, FNMA(ui, vi, one)), zi = FMA(ur, vi, FMA(ui, vr, x));
#define ROOF_PAIR(q)                                                                                                   \
  {                                                                                                                    \
    V or_ = ADD(x, ROOF_TABLE(4 + 2 * (q))), oi = ADD(x, ROOF_TABLE(5 + 2 * (q)));                                     \
    V er = (q) ? ADD(zr, ROOF_TABLE(16 + 2 * (q))) : zr, ei = (q) ? ADD(zi, ROOF_TABLE(17 + 2 * (q))) : zi;            \
    V ar = ADD(er, or_), ai = ADD(ei, oi), br = SUB(er, or_), bi = SUB(ei, oi), p = pr##q, m = mr##q;                  \
    pr##q = FMS(p, ar, MUL(pi##q, ai));                                                                                \
    pi##q = FMA(p, ai, MUL(pi##q, ar));                                                                                \
    mr##q = FMS(m, br, MUL(mi##q, bi));                                                                                \
    mi##q = FMA(m, bi, MUL(mi##q, br));                                                                                \
  }
#define ROOF_SINK_COMPLEX(q) sink = ADD(sink, ADD(ADD(pr##q, mr##q), ADD(pi##q, mi##q)));

#define ROOF_DECLARE_SPLIT(q) V p##q = one;
#define ROOF_SPLIT(q) p##q = MUL(p##q, ADD(ADD(one, ROOF_TABLE(q)), ADD(x, ROOF_TABLE(8 + (q)))));
#define ROOF_SINK_SPLIT(q) sink = ADD(sink, p##q);
#define ROOF_DECLARE_SPLIT_COMPLEX(q) V pr##q = one, pi##q = x;
#define ROOF_SPLIT_COMPLEX_ROW(q)                                                                                      \
  {                                                                                                                    \
    V sr = ADD(ADD(one, ROOF_TABLE(q)), ADD(x, ROOF_TABLE(8 + (q)))), p = pr##q;                                       \
    V si = ADD(ADD(x, ROOF_TABLE(16 + (q))), ADD(x, ROOF_TABLE(24 + (q))));                                            \
    pr##q = FMS(p, sr, MUL(pi##q, si));                                                                                \
    pi##q = FMA(p, si, MUL(pi##q, sr));                                                                                \
  }
#define ROOF_SINK_SPLIT_COMPLEX(q) sink = ADD(sink, ADD(pr##q, pi##q));

#define ROOF_WIDTH 8
#include "bench_roofline.h"
#define ROOF_WIDTH 4
#include "bench_roofline.h"

static double (*const roof_functions[2][ROOF_COUNT])(void) = {
    {roof_normalised_8, roof_registers_8, roof_pair_complex_8, roof_split_real_8, roof_split_complex_8},
    {roof_normalised_4, roof_registers_4, roof_pair_complex_4, roof_split_real_4, roof_split_complex_4}};
#endif

/* Elements/s; 0 where none is measured. */
static double bench_roofline(perm_isa isa, int kind)
{
#if defined(__x86_64__)
  if (kind >= 0 && permi_isa_here(isa) && (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)) {
    if (roof_table[0] == 0) {
      int i;
      for (i = 0; i < 256; i++)
        roof_table[i] = 0.01 * (i % 7) - 0.03;
    }
    return roof_functions[isa == PERM_ISA_AVX2][kind]();
  }
#endif
  (void)isa;
  (void)kind;
  return 0;
}

#else /* one width */
#if ROOF_WIDTH == 8
#define ROOF_TARGET __attribute__((target("avx512f"), noinline))
#define ROOF_NAME(name) roof_##name##_8
#define ROOF_EACH ROOF_EACH8          /* settings of the real kernel */
#define ROOF_EACH_PAIR ROOF_EACH4     /* of the complex one */
#define ROOF_EACH_COMPLEX ROOF_EACH8  /* of the certified complex one */
#define ROOF_HALVES 2
#define V __m512d
#define SET _mm512_set1_pd
#define ADD _mm512_add_pd
#define SUB _mm512_sub_pd
#define MUL _mm512_mul_pd
#define FMA _mm512_fmadd_pd
#define FMS _mm512_fmsub_pd
#define FNMA _mm512_fnmadd_pd
#define LOAD _mm512_load_pd
#else
#define ROOF_TARGET __attribute__((target("avx2,fma"), noinline))
#define ROOF_NAME(name) roof_##name##_4
#define ROOF_EACH ROOF_EACH4
#define ROOF_EACH_PAIR ROOF_EACH2
#define ROOF_EACH_COMPLEX ROOF_EACH4
#define ROOF_HALVES 1
#define V __m256d
#define SET _mm256_set1_pd
#define ADD _mm256_add_pd
#define SUB _mm256_sub_pd
#define MUL _mm256_mul_pd
#define FMA _mm256_fmadd_pd
#define FMS _mm256_fmsub_pd
#define FNMA _mm256_fnmadd_pd
#define LOAD _mm256_load_pd
#endif

ROOF_FUNCTION(normalised, 1500, 8 * ROOF_HALVES, ROOF_EACH(ROOF_DECLARE), ROOF_EACH(ROOF_LOADED),
              ROOF_EACH(ROOF_SINK))
ROOF_FUNCTION(registers, 1500, 8 * ROOF_HALVES, ROOF_EACH(ROOF_DECLARE), ROOF_EACH(ROOF_REGISTER),
              ROOF_EACH(ROOF_SINK))
ROOF_FUNCTION(pair_complex, 600, 8 * ROOF_HALVES, ROOF_EACH_PAIR(ROOF_DECLARE_COMPLEX),
              ROOF_PAIR_FIRST ROOF_EACH_PAIR(ROOF_PAIR), ROOF_EACH_PAIR(ROOF_SINK_COMPLEX))
ROOF_FUNCTION(split_real, 1200, 8, ROOF_EACH8(ROOF_DECLARE_SPLIT), ROOF_EACH8(ROOF_SPLIT),
              ROOF_EACH8(ROOF_SINK_SPLIT))
ROOF_FUNCTION(split_complex, 500, 4 * ROOF_HALVES, ROOF_EACH_COMPLEX(ROOF_DECLARE_SPLIT_COMPLEX),
              ROOF_EACH_COMPLEX(ROOF_SPLIT_COMPLEX_ROW), ROOF_EACH_COMPLEX(ROOF_SINK_SPLIT_COMPLEX))

#undef ROOF_WIDTH
#undef ROOF_TARGET
#undef ROOF_NAME
#undef ROOF_EACH
#undef ROOF_EACH_PAIR
#undef ROOF_EACH_COMPLEX
#undef ROOF_HALVES
#undef V
#undef SET
#undef ADD
#undef SUB
#undef MUL
#undef FMA
#undef FMS
#undef FNMA
#undef LOAD
#endif
/* SPDX-License-Identifier: MIT */
