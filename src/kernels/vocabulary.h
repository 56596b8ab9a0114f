/* ===================================================================================== >>vocabulary
   Read once for each instruction set (PERMI_FAMILY; PERMI_FAMILY_WIDTH doubles a vector): these words, then the
   kernels, always inlined with constant arguments, their instances by full name at the foot. PERMI_NAME(dense) is
   permi_dense_avx512. Small arrays of vectors live in registers once unrolled (PERMI_UNROLL):
     - inside a single-turn loop clang unrolls too late (0.9 of the speed);
     - with needless loop levels gcc misses the hot one (0.95);
     - clang may fuse a * b + c in one expression: a product to be rounded has its own statement.
   FMA(a, b, c) = ab + c, FMS = ab - c, FNMA = c - ab; FMS_EXACT, TIMES_PLUS(p, y) = p (y + 1) and TIMES_MINUS round
   once in every family; LARGER = max(|a|, |b|); LOAD_ANY: unaligned; KEEP hides a product from gcc, which contracts
   even intrinsics. LEAVE clears upper register halves, as gcc -O2 does not: SSE code after it ran at half speed
   (planning n = 20: 22 us, not 10). */

#define PERMI_WIDTH PERMI_FAMILY_WIDTH
#define PERMI_JOIN_(name, family) permi_##name##_##family
#define PERMI_JOIN(name, family) PERMI_JOIN_(name, family)
#define PERMI_NAME(name) PERMI_JOIN(name, PERMI_FAMILY)
#if PERMI_WIDTH == 8
#define PERMI_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,popcnt")))
#define PERMI_LEAVE() _mm256_zeroupper()
#define PERMI_V __m512d
#define PERMI_LOAD(p) _mm512_load_pd(p)
#define PERMI_LOAD_ANY(p) _mm512_loadu_pd(p)
#define PERMI_STORE(p, v) _mm512_store_pd(p, v)
#define PERMI_STORE_ANY(p, v) _mm512_storeu_pd(p, v)
#define PERMI_SET(x) _mm512_set1_pd(x)
#define PERMI_ADD(a, b) _mm512_add_pd(a, b)
#define PERMI_SUB(a, b) _mm512_sub_pd(a, b)
#define PERMI_MUL(a, b) _mm512_mul_pd(a, b)
#define PERMI_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define PERMI_FMS(a, b, c) _mm512_fmsub_pd(a, b, c)
#define PERMI_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#define PERMI_FMS_EXACT(a, b, c) _mm512_fmsub_pd(a, b, c)
#define PERMI_KEEP(v) __asm__("" : "+v"(v))
#define PERMI_ABS(a) _mm512_range_pd(a, a, 11)
#define PERMI_LARGER(a, b) _mm512_range_pd(a, b, 11)
#define PERMI_LESSER(a, b) _mm512_min_pd(a, b)
#define PERMI_ROOT(a) _mm512_sqrt_pd(a)
/* max(|a + b|, |a - b|): shares the sum or difference */
#define PERMI_ABS_SUM(a, b) _mm512_range_pd(_mm512_add_pd(a, b), _mm512_sub_pd(a, b), 11)
#define PERMI_I __m512i
#define PERMI_I_LOAD(p) _mm512_load_si512((const void *)(p))
#define PERMI_I_STORE(p, v) _mm512_store_si512((void *)(p), v)
#define PERMI_I_SET(x) _mm512_set1_epi32((int)(x))
#define PERMI_I_ADD16(a, b) _mm512_add_epi16(a, b)
#define PERMI_I_SUB16(a, b) _mm512_sub_epi16(a, b)
#define PERMI_I_MUL16(a, b) _mm512_mullo_epi16(a, b)
#define PERMI_I_PAIRS16(a, b) _mm512_madd_epi16(a, b)
#define PERMI_I_MUL32(a, b) _mm512_mullo_epi32(a, b)
#define PERMI_I_EVEN32(a, b) _mm512_mul_epi32(a, b)
#define PERMI_I_HIGH32(a) _mm512_srli_epi64(a, 32)
#define PERMI_I_AND(a, b) _mm512_and_si512(a, b)
#define PERMI_I_ADD64(a, b) _mm512_add_epi64(a, b)
#define PERMI_I_DOUBLES(a) _mm512_cvtepi64_pd(a)
#define PERMI_I_BITS(v) _mm512_castpd_si512(v)
#define PERMI_I_LOAD_ANY(p) _mm512_loadu_si512((const void *)(p))
#define PERMI_I_STORE_ANY(p, v) _mm512_storeu_si512((void *)(p), v)
#define PERMI_I_TABLE(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PERMI_I_LOOKUP(table, v) _mm512_shuffle_epi8(table, v)
#define PERMI_I_ADD8(a, b) _mm512_add_epi8(a, b)
#define PERMI_I_SUB8(a, b) _mm512_sub_epi8(a, b)
#define PERMI_I_LEAST8(a, b) _mm512_min_epu8(a, b)
#define PERMI_I_NONZERO8(a) _mm512_test_epi8_mask(a, a)
#define PERMI_COUNT(bits) __builtin_popcountll(bits)
#define PERMI_I_OR(a, b) _mm512_or_si512(a, b)
#define PERMI_I_XOR(a, b) _mm512_xor_si512(a, b)
#define PERMI_I_SHL16(a, k) _mm512_slli_epi16(a, k)
#define PERMI_I_SHR16(a, k) _mm512_srli_epi16(a, k)
#define PERMI_I_SAR16(a, k) _mm512_srai_epi16(a, k)
#define PERMI_XOR(a, b) _mm512_xor_pd(a, b)
#elif PERMI_WIDTH == 4
#define PERMI_TARGET __attribute__((target("avx2,fma,popcnt")))
#define PERMI_LEAVE() _mm256_zeroupper()
#define PERMI_V __m256d
#define PERMI_LOAD(p) _mm256_load_pd(p)
#define PERMI_LOAD_ANY(p) _mm256_loadu_pd(p)
#define PERMI_STORE(p, v) _mm256_store_pd(p, v)
#define PERMI_STORE_ANY(p, v) _mm256_storeu_pd(p, v)
#define PERMI_SET(x) _mm256_set1_pd(x)
#define PERMI_ADD(a, b) _mm256_add_pd(a, b)
#define PERMI_SUB(a, b) _mm256_sub_pd(a, b)
#define PERMI_MUL(a, b) _mm256_mul_pd(a, b)
#define PERMI_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define PERMI_FMS(a, b, c) _mm256_fmsub_pd(a, b, c)
#define PERMI_FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)
#define PERMI_FMS_EXACT(a, b, c) _mm256_fmsub_pd(a, b, c)
#define PERMI_KEEP(v) __asm__("" : "+x"(v))
#define PERMI_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define PERMI_ROOT(a) _mm256_sqrt_pd(a)
#define PERMI_LARGER(a, b) _mm256_max_pd(PERMI_ABS(a), PERMI_ABS(b))
#define PERMI_LESSER(a, b) _mm256_min_pd(a, b)
#define PERMI_GREATER(a, b) _mm256_max_pd(a, b)
#define PERMI_UNLESS_ZERO(a, b) _mm256_blendv_pd(a, b, _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_EQ_OQ))
#define PERMI_ELEMENT(v, k) (v)[k]
#define PERMI_ABS_SUM(a, b) _mm256_add_pd(PERMI_ABS(a), PERMI_ABS(b))
#define PERMI_I __m256i
#define PERMI_I_LOAD(p) _mm256_load_si256((const __m256i *)(const void *)(p))
#define PERMI_I_STORE(p, v) _mm256_store_si256((__m256i *)(void *)(p), v)
#define PERMI_I_SET(x) _mm256_set1_epi32((int)(x))
#define PERMI_I_ADD16(a, b) _mm256_add_epi16(a, b)
#define PERMI_I_SUB16(a, b) _mm256_sub_epi16(a, b)
#define PERMI_I_MUL16(a, b) _mm256_mullo_epi16(a, b)
#define PERMI_I_PAIRS16(a, b) _mm256_madd_epi16(a, b)
#define PERMI_I_MUL32(a, b) _mm256_mullo_epi32(a, b)
#define PERMI_I_EVEN32(a, b) _mm256_mul_epi32(a, b)
#define PERMI_I_HIGH32(a) _mm256_srli_epi64(a, 32)
#define PERMI_I_AND(a, b) _mm256_and_si256(a, b)
#define PERMI_I_ADD64(a, b) _mm256_add_epi64(a, b)
/* |a| < 2^51: in the binade of 1.5 * 2^52 bits count ones */
#define PERMI_I_DOUBLES(a)                                                                                             \
  _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(a, _mm256_set1_epi64x(0x4338000000000000))),                     \
                _mm256_set1_pd(6755399441055744.0))
#define PERMI_I_BITS(v) _mm256_castpd_si256(v)
#define PERMI_I_LOAD_ANY(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PERMI_I_STORE_ANY(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define PERMI_I_TABLE(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PERMI_I_LOOKUP(table, v) _mm256_shuffle_epi8(table, v)
#define PERMI_I_ADD8(a, b) _mm256_add_epi8(a, b)
#define PERMI_I_SUB8(a, b) _mm256_sub_epi8(a, b)
#define PERMI_I_LEAST8(a, b) _mm256_min_epu8(a, b)
#define PERMI_I_NONZERO8(a) (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, _mm256_setzero_si256()))
#define PERMI_COUNT(bits) __builtin_popcountll(bits)
#define PERMI_I_OR(a, b) _mm256_or_si256(a, b)
#define PERMI_I_XOR(a, b) _mm256_xor_si256(a, b)
#define PERMI_I_SHL16(a, k) _mm256_slli_epi16(a, k)
#define PERMI_I_SHR16(a, k) _mm256_srli_epi16(a, k)
#define PERMI_I_SAR16(a, k) _mm256_srai_epi16(a, k)
#define PERMI_XOR(a, b) _mm256_xor_pd(a, b)
#elif PERMI_WIDTH == 2
#define PERMI_TARGET
#define PERMI_LEAVE()
#define PERMI_V float64x2_t
#define PERMI_LOAD(p) vld1q_f64(p)
#define PERMI_LOAD_ANY(p) vld1q_f64(p)
#define PERMI_STORE(p, v) vst1q_f64(p, v)
#define PERMI_STORE_ANY(p, v) vst1q_f64(p, v)
#define PERMI_SET(x) vdupq_n_f64(x)
#define PERMI_ADD(a, b) vaddq_f64(a, b)
#define PERMI_SUB(a, b) vsubq_f64(a, b)
#define PERMI_MUL(a, b) vmulq_f64(a, b)
#define PERMI_FMA(a, b, c) vfmaq_f64(c, a, b)
#define PERMI_FMS(a, b, c) vnegq_f64(vfmsq_f64(c, a, b))
#define PERMI_FNMA(a, b, c) vfmsq_f64(c, a, b)
#define PERMI_FMS_EXACT(a, b, c) vnegq_f64(vfmsq_f64(c, a, b))
#define PERMI_KEEP(v) __asm__("" : "+w"(v))
#define PERMI_ABS(a) vabsq_f64(a)
#define PERMI_ROOT(a) vsqrtq_f64(a)
#define PERMI_LARGER(a, b) vmaxq_f64(vabsq_f64(a), vabsq_f64(b))
#define PERMI_LESSER(a, b) vminq_f64(a, b)
#define PERMI_ABS_SUM(a, b) vaddq_f64(vabsq_f64(a), vabsq_f64(b))
#else
#define PERMI_TARGET
#define PERMI_LEAVE()
#define PERMI_V double
#define PERMI_LOAD(p) (*(p))
#define PERMI_LOAD_ANY(p) (*(p))
#define PERMI_STORE(p, v) (*(p) = (v))
#define PERMI_STORE_ANY(p, v) (*(p) = (v))
#define PERMI_SET(x) (x)
#define PERMI_ADD(a, b) ((a) + (b))
#define PERMI_SUB(a, b) ((a) - (b))
#define PERMI_MUL(a, b) ((a) * (b))
#define PERMI_FMA(a, b, c) ((a) * (b) + (c))
#define PERMI_FMS(a, b, c) ((a) * (b) - (c))
#define PERMI_FNMA(a, b, c) ((c) - (a) * (b))
#define PERMI_FMS_EXACT(a, b, c) fma(a, b, -(c))
#define PERMI_TIMES_PLUS(p, y) ((p) * ((y) + 1)) /* the grid holds y + 1 */
#define PERMI_TIMES_MINUS(p, y) ((p) * ((y)-1))
#define PERMI_KEEP(v) PERMI_KEEP_DOUBLE(v)
#define PERMI_ABS(a) fabs(a)
#define PERMI_ROOT(a) sqrt(a)
#define PERMI_LARGER(a, b) (fabs(b) > fabs(a) ? fabs(b) : fabs(a))
#define PERMI_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define PERMI_GREATER(a, b) ((a) > (b) ? (a) : (b))
#define PERMI_UNLESS_ZERO(a, b) ((a) != 0 ? (a) : (b))
#define PERMI_ELEMENT(v, k) (v)
#define PERMI_ABS_SUM(a, b) (fabs(a) + fabs(b))
#endif

#if PERMI_WIDTH > 1
#define PERMI_TIMES_PLUS(p, y) PERMI_FMA(p, y, p)
#define PERMI_TIMES_MINUS(p, y) PERMI_FMS(p, y, p)
#endif
