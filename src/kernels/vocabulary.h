/* ===================================================================================== >>vocabulary
   The words of an instruction set (PERMI_FAMILY; PERMI_FAMILY_WIDTH doubles a vector). Kernels are always inlined with
   constant arguments; PERMI_NAME(setting) is permi_setting_avx512. Small arrays of vectors live in registers once loops
   are unrolled (PERMI_UNROLL):
     - inside a single-turn loop clang unrolls too late (0.9 of the speed);
     - needless loop levels make gcc miss the hot loop (0.95);
     - clang may fuse a * b + c in one expression: a product to be rounded has its own statement.
   FMA(a, b, c) = ab + c, FMS = ab - c, FNMA = c - ab; FMS_EXACT rounds once in every family; LARGER = max(|a|, |b|);
   _ANY: unaligned. KEEP hides a product from gcc, which contracts even intrinsics. LEAVE clears upper register halves
   (docs/engines.md). */

#define PERMI_WIDTH PERMI_FAMILY_WIDTH
#define PERMI_JOIN_(name, family) name##family
#define PERMI_JOIN(name, family) PERMI_JOIN_(name, family)
#define PERMI_NAME(name) PERMI_JOIN(permi_##name##_, PERMI_FAMILY)
#define PERMI_KERNEL PERMI_ALIGN_LOOPS PERMI_TARGET static void
#define PERMI_P PERMI_NAME(prime)
#if PERMI_WIDTH >= 4
#define PERMI_LEAVE() _mm256_zeroupper()
#define PERMI_LOAD(p) PERMI_MM(load_pd)(p)
#define PERMI_LOAD_ANY(p) PERMI_MM(loadu_pd)(p)
#define PERMI_STORE(p, v) PERMI_MM(store_pd)(p, v)
#define PERMI_STORE_ANY(p, v) PERMI_MM(storeu_pd)(p, v)
#define PERMI_SET(x) PERMI_MM(set1_pd)(x)
#define PERMI_FMA(a, b, c) PERMI_MM(fmadd_pd)(a, b, c)
#define PERMI_FMS(a, b, c) PERMI_MM(fmsub_pd)(a, b, c)
#define PERMI_FNMA(a, b, c) PERMI_MM(fnmadd_pd)(a, b, c)
#define PERMI_LESSER(a, b) PERMI_MM(min_pd)(a, b)
#define PERMI_ROOT(a) PERMI_MM(sqrt_pd)(a)
#define PERMI_XOR(a, b) PERMI_MM(xor_pd)(a, b)
#define PERMI_KEEP(v) __asm__("" : "+v"(v))
#define PERMI_I_LOAD(p) (*(const PERMI_I *)(const void *)(p))
#define PERMI_I_STORE(p, v) (*(PERMI_I *)(void *)(p) = (v))
#define PERMI_I_SET(x) PERMI_MM(set1_epi32)((int)(x))
#define PERMI_I_ADD8(a, b) PERMI_MM(add_epi8)(a, b)
#define PERMI_I_SUB8(a, b) PERMI_MM(sub_epi8)(a, b)
#define PERMI_I_LEAST8(a, b) PERMI_MM(min_epu8)(a, b)
#define PERMI_I_LOOKUP(table, v) PERMI_MM(shuffle_epi8)(table, v)
#define PERMI_I_ADD16(a, b) PERMI_MM(add_epi16)(a, b)
#define PERMI_I_SUB16(a, b) PERMI_MM(sub_epi16)(a, b)
#define PERMI_I_MUL16(a, b) PERMI_MM(mullo_epi16)(a, b)
#define PERMI_I_PAIRS16(a, b) PERMI_MM(madd_epi16)(a, b)
#define PERMI_I_SHL16(a, k) PERMI_MM(slli_epi16)(a, k)
#define PERMI_I_SHR16(a, k) PERMI_MM(srli_epi16)(a, k)
#define PERMI_I_SAR16(a, k) PERMI_MM(srai_epi16)(a, k)
#define PERMI_I_MUL32(a, b) PERMI_MM(mullo_epi32)(a, b)
#define PERMI_I_EVEN32(a, b) PERMI_MM(mul_epi32)(a, b)
#define PERMI_I_HIGH32(a) PERMI_MM(srli_epi64)(a, 32)
#define PERMI_I_ADD64(a, b) PERMI_MM(add_epi64)(a, b)
#endif
#if PERMI_WIDTH == 8
#define PERMI_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,popcnt")))
#define PERMI_MM(name) _mm512_##name
#define PERMI_V __m512d
#define PERMI_ABS(a) _mm512_range_pd(a, a, 11)
#define PERMI_EVEN(a, b) _mm512_permutex2var_pd(a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), b)
#define PERMI_ODD(a, b) _mm512_permutex2var_pd(a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), b)
#define PERMI_LARGER(a, b) _mm512_range_pd(a, b, 11)
#define PERMI_ABS_SUM(a, b) _mm512_range_pd((a) + (b), (a) - (b), 11) /* max(|a + b|, |a - b|) */
#define PERMI_I __m512i
#define PERMI_I_LOAD_ANY(p) _mm512_loadu_si512((const void *)(p))
#define PERMI_I_STORE_ANY(p, v) _mm512_storeu_si512((void *)(p), v)
#define PERMI_I_TABLE(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PERMI_I_NONZERO8(a) _mm512_test_epi8_mask(a, a)
#define PERMI_I_DOUBLES(a) _mm512_cvtepi64_pd(a)
#define PERMI_I_BITS(v) _mm512_castpd_si512(v)
#elif PERMI_WIDTH == 4
#define PERMI_TARGET __attribute__((target("avx2,fma,popcnt")))
#define PERMI_MM(name) _mm256_##name
#define PERMI_V __m256d
#define PERMI_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define PERMI_EVEN(a, b) _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8) /* elements 0, 2, .. of both */
#define PERMI_ODD(a, b) _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8)
#define PERMI_LARGER(a, b) _mm256_max_pd(PERMI_ABS(a), PERMI_ABS(b))
#define PERMI_GREATER(a, b) _mm256_max_pd(a, b)
#define PERMI_UNLESS_ZERO(a, b) _mm256_blendv_pd(a, b, _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_EQ_OQ))
#define PERMI_ELEMENT(v, k) (v)[k]
#define PERMI_I __m256i
#define PERMI_I_LOAD_ANY(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PERMI_I_STORE_ANY(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define PERMI_I_TABLE(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PERMI_I_NONZERO8(a) (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, _mm256_setzero_si256()))
/* For |a| < 2^51: in the binade of 1.5 * 2^52 bits count ones. */
#define PERMI_I_DOUBLES(a)                                                                                             \
  _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(a, _mm256_set1_epi64x(0x4338000000000000))),                     \
                _mm256_set1_pd(6755399441055744.0))
#define PERMI_I_BITS(v) _mm256_castpd_si256(v)
#elif PERMI_WIDTH == 2
#define PERMI_V float64x2_t
#define PERMI_LOAD(p) vld1q_f64(p)
#define PERMI_STORE(p, v) vst1q_f64(p, v)
#define PERMI_SET(x) vdupq_n_f64(x)
#define PERMI_FMA(a, b, c) vfmaq_f64(c, a, b)
#define PERMI_FMS(a, b, c) vnegq_f64(vfmsq_f64(c, a, b))
#define PERMI_FNMA(a, b, c) vfmsq_f64(c, a, b)
#define PERMI_KEEP(v) __asm__("" : "+w"(v))
#define PERMI_ABS(a) vabsq_f64(a)
#define PERMI_ROOT(a) vsqrtq_f64(a)
#define PERMI_LARGER(a, b) vmaxq_f64(vabsq_f64(a), vabsq_f64(b))
#define PERMI_LESSER(a, b) vminq_f64(a, b)
#define PERMI_EVEN(a, b) vuzp1q_f64(a, b)
#define PERMI_ODD(a, b) vuzp2q_f64(a, b)
#define PERMI_XOR(a, b) vreinterpretq_f64_u64(vreinterpretq_u64_f64(a) ^ vreinterpretq_u64_f64(b))
#define PERMI_I int64x2_t
#define PERMI_S8(a) vreinterpretq_s8_s64(a)
#define PERMI_U8(a) vreinterpretq_u8_s64(a)
#define PERMI_S16(a) vreinterpretq_s16_s64(a)
#define PERMI_S32(a) vreinterpretq_s32_s64(a)
#define PERMI_U64(a) vreinterpretq_u64_s64(a)
#define PERMI_I_LOAD(p) vreinterpretq_s64_u8(vld1q_u8((const uint8_t *)(const void *)(p)))
#define PERMI_I_STORE(p, v) vst1q_u8((uint8_t *)(void *)(p), PERMI_U8(v))
#define PERMI_I_LOAD_ANY(p) PERMI_I_LOAD(p)
#define PERMI_I_STORE_ANY(p, v) PERMI_I_STORE(p, v)
#define PERMI_I_TABLE(p) PERMI_I_LOAD(p)
#define PERMI_I_SET(x) vreinterpretq_s64_s32(vdupq_n_s32((int32_t)(x)))
#define PERMI_I_ADD8(a, b) vreinterpretq_s64_s8(vaddq_s8(PERMI_S8(a), PERMI_S8(b)))
#define PERMI_I_SUB8(a, b) vreinterpretq_s64_s8(vsubq_s8(PERMI_S8(a), PERMI_S8(b)))
#define PERMI_I_LEAST8(a, b) vreinterpretq_s64_u8(vminq_u8(PERMI_U8(a), PERMI_U8(b)))
#define PERMI_I_LOOKUP(table, v) vreinterpretq_s64_u8(vqtbl1q_u8(PERMI_U8(table), PERMI_U8(v)))
#define PERMI_I_NONZERO8(a) permi_nonzero8_neon(PERMI_U8(a))
#define PERMI_I_ADD16(a, b) vreinterpretq_s64_s16(vaddq_s16(PERMI_S16(a), PERMI_S16(b)))
#define PERMI_I_SUB16(a, b) vreinterpretq_s64_s16(vsubq_s16(PERMI_S16(a), PERMI_S16(b)))
#define PERMI_I_MUL16(a, b) vreinterpretq_s64_s16(vmulq_s16(PERMI_S16(a), PERMI_S16(b)))
#define PERMI_I_PAIRS16(a, b) permi_pairs16_neon(PERMI_S16(a), PERMI_S16(b))
#define PERMI_I_SHL16(a, k) vreinterpretq_s64_s16(vshlq_s16(PERMI_S16(a), vdupq_n_s16((int16_t)(k))))
#define PERMI_I_SHR16(a, k) vreinterpretq_s64_u16(vshlq_u16(vreinterpretq_u16_s64(a), vdupq_n_s16((int16_t)-(k))))
#define PERMI_I_SAR16(a, k) vreinterpretq_s64_s16(vshlq_s16(PERMI_S16(a), vdupq_n_s16((int16_t)-(k))))
#define PERMI_I_MUL32(a, b) vreinterpretq_s64_s32(vmulq_s32(PERMI_S32(a), PERMI_S32(b)))
#define PERMI_I_EVEN32(a, b) vmull_s32(vmovn_s64(a), vmovn_s64(b))
#define PERMI_I_HIGH32(a) vreinterpretq_s64_u64(vshrq_n_u64(PERMI_U64(a), 32))
#define PERMI_I_ADD64(a, b) vaddq_s64(a, b)
#define PERMI_I_DOUBLES(a) vcvtq_f64_s64(a)
#define PERMI_I_BITS(v) vreinterpretq_s64_f64(v)
#else
#define PERMI_V double
#define PERMI_LOAD(p) (*(p))
#define PERMI_STORE(p, v) (*(p) = (v))
#define PERMI_SET(x) (x)
#define PERMI_FMA(a, b, c) ((a) * (b) + (c))
#define PERMI_FMS(a, b, c) ((a) * (b) - (c))
#define PERMI_FNMA(a, b, c) ((c) - (a) * (b))
#define PERMI_FMS_EXACT(a, b, c) permi_times_minus(a, b, c)
#define PERMI_KEEP(v) PERMI_KEEP_DOUBLE(v)
#define PERMI_ABS(a) fabs(a)
#define PERMI_ROOT(a) sqrt(a)
#define PERMI_LARGER(a, b) (fabs(b) > fabs(a) ? fabs(b) : fabs(a))
#define PERMI_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define PERMI_EVEN(a, b) (a)
#define PERMI_ODD(a, b) (b)
#define PERMI_GREATER(a, b) ((a) > (b) ? (a) : (b))
#define PERMI_UNLESS_ZERO(a, b) ((a) != 0 ? (a) : (b))
#define PERMI_ELEMENT(v, k) (v)
#endif

#if !defined(PERMI_FMS_EXACT)
#define PERMI_FMS_EXACT(a, b, c) PERMI_FMS(a, b, c)
#endif
#if PERMI_WIDTH <= 2
#define PERMI_TARGET
#define PERMI_LEAVE()
#define PERMI_LOAD_ANY(p) PERMI_LOAD(p)
#define PERMI_STORE_ANY(p, v) PERMI_STORE(p, v)
#endif
#if PERMI_WIDTH != 8
#define PERMI_ABS_SUM(a, b) ((PERMI_V)(PERMI_ABS(a) + PERMI_ABS(b))) /* gcc: its own type */
#endif
/* SPDX-License-Identifier: MIT */
