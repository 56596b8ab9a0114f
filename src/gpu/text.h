/* =========================================================================================== >>text
   The kernels' text: strings for NVRTC, and code for this compiler, which checks it and makes a twin on the host. The
   host's rooms and >>compile write the last lines, which name a kernel's constants.
   Dense sums: a thread walks over 2^(walk + block) sign vectors, row sums x in registers, loops over rows unrolled (N =
   0, any order, is the twin's). The FP64 pipe limits: an fma of three different registers counts 1.5 operations. */
#pragma once

/* X(type, name, parameters, body on a GPU, body on the host). A volatile product is not contracted. permi_byte and
   permi_half return part k, signed, by one instruction where compilers make three. Those below permi_words_add are of a
   warp; the twin has its lanes in arrays. */
#define PERMI_VOCABULARY(X)                                                                                            \
  X(double, permi_add, (double a, double b), return __dadd_rn(a, b);, return a + b;)                                   \
  X(double, permi_mul, (double a, double b), return __dmul_rn(a, b);,                                                  \
    volatile double product = a * b; return product;)                                                                  \
  X(double, permi_fma, (double a, double b, double c), return __fma_rn(a, b, c);, return fma(a, b, c);)                \
  X(float, permi_add_float, (float a, float b), return __fadd_rn(a, b);, return a + b;)                                \
  X(float, permi_mul_float, (float a, float b), return __fmul_rn(a, b);,                                               \
    volatile float product = a * b; return product;)                                                                   \
  X(float, permi_fma_float, (float a, float b, float c), return __fmaf_rn(a, b, c);, return fmaf(a, b, c);)            \
  X(int, permi_ctz, (unsigned x), return __ffs((int)x) - 1;, return __builtin_ctz(x);)                                 \
  X(int, permi_parity, (unsigned long long x), return __popcll(x) & 1;, return __builtin_parityll(x);)                 \
  X(int, permi_byte, (unsigned word, int k),                                                                           \
    int x; asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(word), "r"(0x8880 + 0x1111 * k)); return x;,                  \
    return (int)(signed char)(word >> 8 * k & 255);)                                                                   \
  X(int, permi_half, (unsigned word, int k),                                                                           \
    int x; asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(word), "r"(0x9910 + 0x2222 * k)); return x;,                  \
    return (int)(short)(word >> 16 * k & 65535);)                                                                      \
  X(long long, permi_bits, (double x), return __double_as_longlong(x);,                                                \
    long long bits; memcpy(&bits, &x, sizeof bits); return bits;)                                                      \
  X(double, permi_of_bits, (long long bits), return __longlong_as_double(bits);,                                       \
    double x; memcpy(&x, &bits, sizeof x); return x;)                                                                  \
  X(int, permi_ones, (unsigned x), return __popc(x);, return __builtin_popcount(x);)                                   \
  X(unsigned long long, permi_high, (unsigned long long a, unsigned long long b), return __umul64hi(a, b);,            \
    return (unsigned long long)((unsigned __int128)a * b >> 64);) \
  X(unsigned, permi_high32, (unsigned a, unsigned b), return __umulhi(a, b);,                                          \
    return (unsigned)((unsigned long long)a * b >> 32);)                                                               \
  X(int, permi_last, (unsigned long long x), return 63 - __clzll((long long)x);, return 63 - __builtin_clzll(x);)      \
  X(int, permi_first, (unsigned long long x), return __ffsll((long long)x) - 1;, return __builtin_ctzll(x);)           \
  X(unsigned, permi_funnel, (unsigned low, unsigned high, unsigned k), return __funnelshift_l(low, high, k);,          \
    return (unsigned)(((unsigned long long)high << 32 | low) << k >> 32);)                                             \
  X(unsigned, permi_bytes_of, (unsigned low, unsigned high, unsigned places),                                          \
    return __byte_perm(low, high, places);, const unsigned long long from = (unsigned long long)high << 32 | low;      \
    unsigned bytes = 0; for (int k = 0; k < 4; k++)                                                                    \
      bytes |= (unsigned)(from >> 8 * (places >> 4 * k & 7) & 255) << 8 * k; return bytes;)                            \
  X(unsigned, permi_bytes_sum, (unsigned x, unsigned sum), return __dp4a(x, 0x01010101u, sum);,                        \
    for (int k = 0; k < 32; k += 8) sum += x >> k & 255; return sum;)                                                  \
  X(void, permi_words_add, (unsigned *sum, const unsigned *x, unsigned carry),                                         \
    asm("{.reg .u32 c; add.cc.u32 c,%12,%12; addc.cc.u32 %0,%0,%6; addc.cc.u32 %1,%1,%7; addc.cc.u32 %2,%2,%8;"        \
        "addc.cc.u32 %3,%3,%9; addc.cc.u32 %4,%4,%10; addc.u32 %5,%5,%11;}" : "+r"(sum[0]), "+r"(sum[1]),              \
        "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]),           \
        "r"(x[4]), "r"(x[5]), "r"(carry));,                                                                            \
    unsigned long long s = carry & 1; for (int k = 0; k < 6; k++, s >>= 32)                                            \
      sum[k] = (unsigned)(s += (unsigned long long)sum[k] + x[k]);)                                                    \
  X(int, permi_lane, (int l), return (int)(threadIdx.x & 31u) + l;, return l;)                                         \
  X(unsigned, permi_shuffle, (const unsigned *x, int from), return __shfl_sync(~0u, x[0], from);, return x[from];)     \
  X(unsigned, permi_ballot, (const bool *x), return __ballot_sync(~0u, x[0]);,                                         \
    unsigned set = 0; for (int l = 0; l < 32; l++) set |= (unsigned)x[l] << l; return set;)                            \
  X(void, permi_together, (), __syncwarp();, )                                                                         \
  X(unsigned long long, permi_seen, (const unsigned long long *x), return *(const volatile unsigned long long *)x;,    \
    return *x;)                                                                                                        \
  X(unsigned long long, permi_atomic_add, (unsigned long long *to, unsigned long long x), return atomicAdd(to, x);,    \
    *to += x; return *to - x;)                                                                                         \
  X(unsigned long long, permi_atomic_swap, (unsigned long long *at, unsigned long long from, unsigned long long to),   \
    return atomicCAS(at, from, to);, const unsigned long long was = *at; if (was == from) *at = to; return was;)       \
  X(void, permi_pause, (), __nanosleep(500);, )

#define PERMI_BOTH __host__ __device__ __forceinline__
#if defined(__CUDA_ARCH__)
#define PERMI_UNROLL _Pragma("unroll")
#define PERMI_ROLLED _Pragma("unroll 1")
#define PERMI_WORD(type, name, parameters, device, host) PERMI_BOTH type name parameters { device }
#else
#define PERMI_UNROLL
#define PERMI_ROLLED
#define PERMI_WORD(type, name, parameters, device, host) PERMI_BOTH type name parameters { host }
#endif
#define PERMI_WORD_TEXT(type, name, parameters, device, host) \
  "PERMI_BOTH " #type " " #name #parameters " { " #device " }\n"
PERMI_VOCABULARY(PERMI_WORD)
static const char permi_vocabulary[] = "#define PERMI_UNROLL _Pragma(\"unroll\")\n"
                                       "#define PERMI_ROLLED _Pragma(\"unroll 1\")\n"
                                       "#define PERMI_BOTH __device__ __forceinline__\n"
                                       PERMI_VOCABULARY(PERMI_WORD_TEXT);

#define PERMI_TEXT(name, ...)                                                                                          \
  __VA_ARGS__                                                                                                          \
  static const char permi_text_##name[] = #__VA_ARGS__;

/* clang-format off */
PERMI_TEXT(dense,
/* Makes s + e = a + b, exactly. */
PERMI_BOTH void permi_two_sum(double &s, double &e, double a, double b)
{
  const double sum = permi_add(a, b), with = permi_add(sum, -a);
  e = permi_add(permi_add(a, -permi_add(sum, -with)), permi_add(b, -with));
  s = sum;
}

/* The same for |a| >= |b|, or for a multiple of b's last place a. */
PERMI_BOTH void permi_fast_two_sum(double &s, double &e, double a, double b)
{
  const double sum = permi_add(a, b);
  e = permi_add(b, -permi_add(sum, -a));
  s = sum;
}

PERMI_BOTH void permi_two_product(double &p, double &e, double a, double b)
{
  p = permi_mul(a, b);
  e = permi_fma(a, b, -p);
}

/* Multiplies p by x. */
template <int PARTS>
PERMI_BOTH void permi_number_times(double *p, const double *x)
{
  if (PARTS == 1) {
    p[0] = permi_mul(p[0], x[0]);
  } else {
    const double re = permi_fma(-p[1], x[1], permi_mul(p[0], x[0]));
    p[1] = permi_fma(p[0], x[1], permi_mul(p[1], x[0]));
    p[0] = re;
  }
}

/* Returns true if a term enters the sum of |terms|; hashed, since a matrix may favour fixed signs. */
PERMI_BOTH bool permi_sampled(unsigned key, unsigned mask)
{
  key = (key ^ key >> 16) * 0x7feb352du;
  return !(key >> 24 & mask);
}

PERMI_BOTH unsigned permi_term_key(unsigned long long chunk, unsigned round, unsigned term)
{
  return ((unsigned)chunk + round * 0x85ebca6bu) ^ term * 0x9e3779b9u;
}

/* Returns the row of a walk's table that leads from term m to the next. */
PERMI_BOTH int permi_walk_row(unsigned m)
{
  const int j = permi_ctz(m + 1);
  return 2 * j + (int)((m + 1) >> (j + 1) & 1);
}

/* Multiplies p + c by a row, y + l: PERM_GPU_ROUNDED (1) or PERM_GPU_DOUBLED (2). */
template <int PARTS, int PRODUCT, int LOW>
PERMI_BOTH void permi_row(double *p, double *c, const double *y_given, const double *l_given, int first)
{
  double y[2], l[2];
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    y[part] = y_given[part];
    l[part] = l_given[part];
    if (PRODUCT == 1)
      y[part] = permi_add(y[part], l[part]);
    if (PRODUCT == 2)
      permi_fast_two_sum(y[part], l[part], y[part], l[part]);
  }
  if (first) {
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++) {
      p[part] = y[part];
      c[part] = l[part];
    }
  } else if (PRODUCT == 1) {
    permi_number_times<PARTS>(p, y);
  } else if (PARTS == 1) {
    double h = 0, e = 0;
    permi_two_product(h, e, p[0], y[0]);
    e = permi_fma(c[0], y[0], LOW ? permi_fma(p[0], l[0], e) : e);
    permi_fast_two_sum(p[0], c[0], h, e);
  } else { /* differences of products cancel and need TwoSum */
    double rr = 0, rr_e = 0, ii = 0, ii_e = 0, ri = 0, ri_e = 0, ir = 0, ir_e = 0, hr = 0;
    double hr_e = 0, hi = 0, hi_e = 0;
    permi_two_product(rr, rr_e, p[0], y[0]);
    permi_two_product(ii, ii_e, p[1], y[1]);
    permi_two_product(ri, ri_e, p[0], y[1]);
    permi_two_product(ir, ir_e, p[1], y[0]);
    permi_two_sum(hr, hr_e, rr, -ii);
    permi_two_sum(hi, hi_e, ri, ir);
    hr_e = permi_add(hr_e, permi_add(rr_e, -ii_e));
    hi_e = permi_add(hi_e, permi_add(ri_e, ir_e));
    if (LOW) {
      hr_e = permi_fma(-p[1], l[1], permi_fma(p[0], l[0], hr_e));
      hi_e = permi_fma(p[1], l[0], permi_fma(p[0], l[1], hi_e));
    }
    hr_e = permi_fma(-c[1], y[1], permi_fma(c[0], y[0], hr_e));
    hi_e = permi_fma(c[1], y[0], permi_fma(c[0], y[1], hi_e));
    permi_two_sum(p[0], c[0], hr, hr_e);
    permi_two_sum(p[1], c[1], hi, hi_e);
  }
}

/* Multiplies a row of PERM_GPU_PIVOT: p times x + c, q times x - c; c = 1 unless `plain`. */
template <int PARTS>
PERMI_BOTH void permi_row_pivot(double *p, double *q, const double *x, const double *c, int plain, int first)
{
  if (plain || first) {
    double plus[2] = {permi_add(x[0], plain ? c[0] : 1.0), 0};
    double minus[2] = {permi_add(x[0], plain ? -c[0] : -1.0), 0};
    if (PARTS == 2) {
      plus[1] = plain ? permi_add(x[1], c[1]) : x[1];
      minus[1] = plain ? permi_add(x[1], -c[1]) : x[1];
    }
    if (first) {
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        p[part] = plus[part];
        q[part] = minus[part];
      }
    } else {
      permi_number_times<PARTS>(p, plus);
      permi_number_times<PARTS>(q, minus);
    }
  } else if (PARTS == 1) {
    p[0] = permi_fma(p[0], x[0], p[0]);
    q[0] = permi_fma(q[0], x[0], -q[0]);
  } else {
    const double p_re = permi_fma(-p[1], x[1], permi_fma(p[0], x[0], p[0]));
    const double q_re = permi_fma(-q[1], x[1], permi_fma(q[0], x[0], -q[0]));
    p[1] = permi_fma(p[0], x[1], permi_fma(p[1], x[0], p[1]));
    q[1] = permi_fma(q[0], x[1], permi_fma(q[1], x[0], -q[1]));
    p[0] = p_re;
    q[0] = q_re;
  }
}

/* A kernel's arguments; constants: block columns twice, pivots of plain rows. */
template <int COUNT, class T = double>
struct permi_arguments {
  const double *table;
  double *out;
  unsigned long long first;
  int n, plain, block, walk, high;
  unsigned mask;
  T constant[COUNT];
};

/* A thread's registers. `kept` has, STEP places apart, value hi, lo, imaginary hi, lo, and the sum of sampled |terms|.
   */
template <int ROOM, int STEP>
struct permi_registers {
  double x[ROOM];
  double inner[2];
  const double *row; /* of the walk's next step */
  double *kept;
  bool odd, sampled;
};

template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM, int STEP>
PERMI_BOTH void permi_state(const permi_arguments<COUNT> &a, permi_registers<ROOM, STEP> &o, int s)
{
  enum { WORDS = PARTS * (1 + LOW), PIVOT = PRODUCT == 0, ROUNDED = PRODUCT < 2 };
  const int n = N ? N : a.n, block = N ? K : a.block, plain = N ? PLAIN : a.plain;
  const int column = s ? permi_ctz((unsigned)s) : 0;
  const bool down = (s ^ s >> 1) >> column & 1;
  double p[2] = {0, 0}, q[2] = {0, 0};
  double2 pair = {0, 0};
  PERMI_UNROLL
  for (int r = 0; r < n; r++) {
    double y[2] = {0, 0}, l[2] = {0, 0};
    PERMI_UNROLL
    for (int w = 0; w < WORDS; w++) {
      const int i = r * WORDS + w;
      if (s == 0) {
        if (!(i & 1))
          pair = ((const double2 *)o.row)[i / 2];
        o.x[i] = permi_add(o.x[i], i & 1 ? pair.y : pair.x);
      } else {
        const double twice = a.constant[column * n * WORDS + i];
        o.x[i] = permi_add(o.x[i], down ? -twice : twice);
      }
      if (LOW && (w & 1))
        l[w / 2] = o.x[i];
      else
        y[LOW ? w / 2 : w] = o.x[i];
    }
    if (PIVOT)
      permi_row_pivot<PARTS>(p, q, y, a.constant + (r < n - plain ? 0 : block * n * WORDS + (r - n + plain) * PARTS),
                             r >= n - plain, r == 0);
    else
      permi_row<PARTS, PRODUCT, LOW>(p, q, y, l, r == 0);
  }
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    if (SAMPLED == 2 ? o.sampled : SAMPLED == 1) {
      double *absolute = o.kept + 4 * STEP;
      *absolute = permi_add(*absolute, fabs(p[part]));
      if (PIVOT)
        *absolute = permi_add(*absolute, fabs(q[part]));
    }
    if (ROUNDED) {
      const double term = PIVOT ? permi_add(p[part], -q[part]) : p[part];
      o.inner[part] = s == 0 ? term : permi_add(o.inner[part], s & 1 ? -term : term);
    } else {
      const bool minus = o.odd != (bool)(s & 1);
      double *hi = o.kept + 2 * STEP * part;
      double *lo = hi + STEP;
      double error;
      permi_two_sum(*hi, error, *hi, minus ? -p[part] : p[part]);
      *lo = permi_add(*lo, permi_add(error, minus ? -q[part] : q[part]));
    }
  }
}

/* Adds terms S to END. Recursive, since compilers would unroll less. */
template <int S, int END, int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM,
          int STEP>
struct permi_states {
  static PERMI_BOTH void run(const permi_arguments<COUNT> &a, permi_registers<ROOM, STEP> &o)
  {
    permi_state<N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>(a, o, S);
    permi_states<S + 1, END, N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>::run(a, o);
  }
};

template <int END, int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM, int STEP>
struct permi_states<END, END, N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP> {
  static PERMI_BOTH void run(const permi_arguments<COUNT> &, permi_registers<ROOM, STEP> &) {}
};

template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM, int STEP>
PERMI_BOTH void permi_setting(const permi_arguments<COUNT> &a, permi_registers<ROOM, STEP> &o)
{
  if (N)
    permi_states<0, N ? 1 << K : 0, N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>::run(a, o);
  else
    for (int s = 0; s < 1 << a.block; s++)
      permi_state<N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>(a, o, s);
}

/* A thread's sums. Two unrolled columns come twice, without branches between terms: 2 % faster (three: 20 % slower). */
template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int COUNT, int STEP>
PERMI_BOTH void permi_walk(const permi_arguments<COUNT> &a, const double *table, unsigned long long chunk, int thread,
                           double *kept)
{
  enum { WORDS = PARTS * (1 + LOW), ROOM = (N ? N : 64) * WORDS, ROUNDED = PRODUCT < 2, COPIES = K == 2 };
  const int n = N ? N : a.n, block = N ? K : a.block, stride = (n * WORDS + 1) / 2 * 2;
  const unsigned states = 1u << a.walk;
  const unsigned long long number = chunk << 7 | (unsigned long long)thread;
  const unsigned key = ((unsigned)chunk * 4 + (unsigned)(thread >> 5)) * 0x85ebca6bu;
  unsigned group = block < 3 ? 8u >> block : 1;
  double sum[2] = {0, 0};
  permi_registers<ROOM, STEP> o;
  o.row = table + stride * 2 * a.walk;
  o.kept = kept;
  o.sampled = true;
  if (group > states)
    group = states;
  o.inner[0] = o.inner[1] = 0;
  PERMI_UNROLL
  for (int k = 0; k < 5; k++)
    kept[STEP * k] = 0;
  PERMI_UNROLL
  for (int i = 0; i < n * WORDS; i++)
    o.x[i] = a.table[i];
  PERMI_ROLLED
  for (int k = 0; k < a.high; k++) {
    const double minus = -(double)(int)(number >> k & 1);
    const double *step = a.table + stride * (1 + k);
    PERMI_UNROLL
    for (int i = 0; i < n * WORDS; i++)
      o.x[i] = permi_fma(minus, step[i], o.x[i]); /* exact, as all row sums */
  }
  PERMI_ROLLED
  for (unsigned m = 0; m < states; m++) {
    o.odd = m & 1;
    if (a.mask && !(m & (group - 1)))
      o.sampled = permi_sampled(key + m / group * 0x9e3779b9u, a.mask);
    if (!COPIES)
      permi_setting<N, PARTS, PRODUCT, LOW, K, PLAIN, 2, COUNT, ROOM, STEP>(a, o);
    else if (o.sampled)
      permi_setting<N, PARTS, PRODUCT, LOW, K, PLAIN, 1, COUNT, ROOM, STEP>(a, o);
    else
      permi_setting<N, PARTS, PRODUCT, LOW, K, PLAIN, 0, COUNT, ROOM, STEP>(a, o);
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++) {
      if (ROUNDED) {
        const double inner = o.odd ? -o.inner[part] : o.inner[part];
        sum[part] = block < 3 ? permi_add(sum[part], inner) : inner;
      }
      if (block >= 3 || (m & (group - 1)) == group - 1) {
        double *hi = kept + 2 * STEP * part;
        double *lo = hi + STEP;
        double error;
        if (ROUNDED) {
          permi_two_sum(*hi, error, *hi, sum[part]);
          *lo = permi_add(*lo, error);
          sum[part] = 0;
        } else {
          permi_two_sum(*hi, *lo, *hi, *lo);
        }
      }
    }
    o.row = table + stride * permi_walk_row(m);
  }
  if (permi_parity(number)) {
    PERMI_UNROLL
    for (int k = 0; k < 4; k++)
      kept[STEP * k] = -kept[STEP * k];
  }
}

PERMI_BOTH void permi_fold(double *room, int t, int half)
{
  PERMI_UNROLL
  for (int k = 0; k < 4; k += 2) {
    double *hi = room + 128 * k + t;
    double *lo = hi + 128;
    double s, e;
    permi_two_sum(s, e, hi[0], hi[half]);
    e = permi_add(e, permi_add(lo[0], lo[half]));
    permi_fast_two_sum(hi[0], lo[0], s, e);
  }
  room[512 + t] = permi_add(room[512 + t], room[512 + t + half]);
}

__device__ __forceinline__ void permi_total(double *room, double *out)
{
  const int t = (int)threadIdx.x;
  for (int half = 64; half; half /= 2) {
    __syncthreads();
    if (t < half)
      permi_fold(room, t, half);
  }
  if (t == 0)
    for (int k = 0; k < 5; k++)
      out[5 * (unsigned long long)blockIdx.x + k] = room[128 * k];
}

__device__ __forceinline__ void permi_finish(double *room, double *out, const double *sum)
{
  __syncthreads();
  for (int k = 0; k < 5; k++)
    room[128 * k + threadIdx.x] = sum[k];
  permi_total(room, out);
}

template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int COUNT>
__device__ __forceinline__ void permi_chunk(const permi_arguments<COUNT> &a)
{
  enum { SHARED = PARTS == 1 && PRODUCT == 0 && N <= 44 };
  extern __shared__ double2 permi_shared[];
  double *room = (double *)permi_shared; /* [5][128], then the walk's table */
  double *table = room + 640;
  const int t = (int)threadIdx.x, stride = (N * PARTS * (1 + LOW) + 1) / 2 * 2;
  for (int i = t; i < stride * (2 * a.walk + 1); i += 128)
    table[i] = a.table[stride * (1 + a.high) + i];
  __syncthreads();
  /* sums in shared memory: 1.3 % faster where registers are scarce, else slower */
  if (SHARED) {
    permi_walk<N, PARTS, PRODUCT, LOW, K, PLAIN, COUNT, 128>(a, table, a.first + blockIdx.x, t, room + t);
    permi_total(room, a.out);
  } else {
    double kept[5];
    permi_walk<N, PARTS, PRODUCT, LOW, K, PLAIN, COUNT, 1>(a, table, a.first + blockIdx.x, t, kept);
    permi_finish(room, a.out, kept);
  }
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
