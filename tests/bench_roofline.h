/* What this core can issue of the real kernel's own mix: per row and 2^K settings, 2^K additions with a memory
   operand in the first-level cache and 2^(K+1) fused operations on as many independent chains. Elements/s.
   The memory operands belong to the mix: without them (`loads` = 0) the same operations ran 1.3 times as fast on
   a 2.5 GHz Cascade Lake, because the processor lowers its clock for 512-bit arithmetic fed by 512-bit loads
   (2.4 against 3.1 GHz there; 12.0 cycles a row in both cases). Both figures are printed. */
#ifndef PERM_BENCH_ROOFLINE_H_INCLUDED
#define PERM_BENCH_ROOFLINE_H_INCLUDED

#if defined(__x86_64__)
#include <immintrin.h>

static double roof_table[64] PERMI_ALIGN64;

#define ROOF_EACH8(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define ROOF_EACH4(F) F(0) F(1) F(2) F(3)
#define ROOF_DECLARE(q) V p##q = one, m##q = one;
#define ROOF_LOADED(q)                                                    \
  {                                                                       \
    V y = ADD(x, LOAD(roof_table + (q) * WIDTH));                         \
    p##q = FMA(p##q, y, p##q);                                            \
    m##q = FMS(m##q, y, m##q);                                            \
  }
#define ROOF_REGISTER(q)                                                  \
  {                                                                       \
    V y = ADD(x, one);                                                    \
    __asm__ volatile("" : "+v"(y)); /* or all y would be one */           \
    p##q = FMA(p##q, y, p##q);                                            \
    m##q = FMS(m##q, y, m##q);                                            \
  }
#define ROOF_SINK(q) sink = ADD(sink, ADD(p##q, m##q));

/* 64 rows a product, like a matrix of that size: values stay finite, as in the kernel */
#define ROOF_BODY(EACH, STEP)                                             \
  V one = SET(1.0), x = SET(0.01), sink = SET(0.0);                       \
  double keep[8], start = bench_seconds();                                \
  long r, row;                                                            \
  for (r = 0; r < 1500; r++) {                                            \
    EACH(ROOF_DECLARE)                                                    \
    for (row = 0; row < 64; row++) {                                      \
      __asm__ volatile("" : "+v"(x) : : "memory"); /* a new row */        \
      EACH(STEP)                                                          \
    }                                                                     \
    EACH(ROOF_SINK)                                                       \
  }                                                                       \
  start = bench_seconds() - start;                                        \
  memcpy(keep, &sink, sizeof sink);                                       \
  bench_sink += keep[0];

#define V __m512d
#define WIDTH 8
#define SET _mm512_set1_pd
#define ADD _mm512_add_pd
#define FMA _mm512_fmadd_pd
#define FMS _mm512_fmsub_pd
#define LOAD _mm512_load_pd
__attribute__((target("avx512f"), noinline)) static double roof_avx512(int loads)
{
  if (loads) {
    ROOF_BODY(ROOF_EACH8, ROOF_LOADED)
    return 1500.0 * 64 * 128 / start;
  } else {
    ROOF_BODY(ROOF_EACH8, ROOF_REGISTER)
    return 1500.0 * 64 * 128 / start;
  }
}
#undef V
#undef WIDTH
#undef SET
#undef ADD
#undef FMA
#undef FMS
#undef LOAD
#define V __m256d
#define WIDTH 4
#define SET _mm256_set1_pd
#define ADD _mm256_add_pd
#define FMA _mm256_fmadd_pd
#define FMS _mm256_fmsub_pd
#define LOAD _mm256_load_pd
__attribute__((target("avx2,fma"), noinline)) static double roof_avx2(int loads)
{
  if (loads) {
    ROOF_BODY(ROOF_EACH4, ROOF_LOADED)
    return 1500.0 * 64 * 32 / start;
  } else {
    ROOF_BODY(ROOF_EACH4, ROOF_REGISTER)
    return 1500.0 * 64 * 32 / start;
  }
}
#undef V
#undef WIDTH
#undef SET
#undef ADD
#undef FMA
#undef FMS
#undef LOAD
#endif
#endif
