/* twins.h: the generated kernels of perm_sparse.h (methods hybrid and codegen) on the CPU, operation by
   operation, with the same bits. */
typedef struct cuda_number {
  double v, e; /* value and error, or real and imaginary part */
  double w, f; /* of complex double-doubles: the imaginary part's */
} cuda_number;

static double cuda_product(double a, double b)
{
  double p = a * b;
  PERMI_KEEP_DOUBLE(p); /* not to be contracted with a later sum */
  return p;
}

static double cuda_two_sum(double a, double b, double *error)
{
  const permi_dd sum = permi_two_sum(a, b);
  *error = sum.lo;
  return sum.hi;
}

/* The tree over the 128 threads of a chunk: value and imaginary part as hi and lo, moduli. */
static void cuda_fold(double room[5][128], double *sums)
{
  int half, t, k;
  for (half = 64; half; half /= 2)
    for (t = 0; t < half; t++) {
      for (k = 0; k < 4; k += 2) {
        double e, low;
        const double s = cuda_two_sum(room[k][t], room[k][t + half], &e);
        low = e + (room[k + 1][t] + room[k + 1][t + half]);
        room[k][t] = s + low;
        room[k + 1][t] = low - (room[k][t] - s);
      }
      room[4][t] += room[4][t + half];
    }
  for (k = 0; k < 5; k++)
    sums[k] = room[k][0];
}

/* ---- hybrid */
static cuda_number cuda_settle(permi_hybrid_algebra algebra, cuda_number a) /* |a.v| >= |a.e|, or they cancel */
{
  const cuda_number b = a;
  if (permi_hybrid_is_doubled(algebra)) {
    a.v = b.v + b.e;
    a.e = b.e - (a.v - b.v);
  }
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
    a.w = b.w + b.f;
    a.f = b.f - (a.w - b.w);
  }
  return a;
}

static double cuda_quotient(double x, double inverse)
{
  return fma(x, inverse, 6755399441055744.0) - 6755399441055744.0;
}

static double cuda_long_times(double a, double b, const double *prime) /* prime: minus it, its inverse */
{
  const double high = cuda_product(a, b), low = fma(a, b, -high);
  return low + fma(cuda_quotient(high, prime[1]), prime[0], high);
}

static double cuda_long_cross(double a, double b, double c, double d, const double *prime)
{
  const double grid = 1.5 * ldexp(1, 98), first = fma(a, b, grid), both = fma(-c, d, first), high = both - grid;
  const double low = fma(a, b, grid - first) - fma(c, d, both - first);
  return low + fma(cuda_quotient(high, prime[1]), prime[0], high);
}

/* Of one part: value and error. */
static cuda_number cuda_pair_times(double a_v, double a_e, double b_v, double b_e)
{
  cuda_number r = {0, 0, 0, 0};
  r.v = cuda_product(a_v, b_v);
  r.e = fma(a_v, b_e, fma(a_e, b_v, fma(a_v, b_v, -r.v)));
  return r;
}

static cuda_number cuda_pair_sum(double a_v, double a_e, double b_v, double b_e)
{
  cuda_number r = {0, 0, 0, 0};
  r.v = cuda_two_sum(a_v, b_v, &r.e);
  r.e = r.e + (a_e + b_e);
  return r;
}

static cuda_number cuda_times(permi_hybrid_algebra algebra, cuda_number a, cuda_number b)
{
  cuda_number r = {0, 0, 0, 0};
  if (algebra == PERMI_HYBRID_COMPLEX) {
    r.v = fma(-a.e, b.e, cuda_product(a.v, b.v));
    r.e = fma(a.v, b.e, cuda_product(a.e, b.v));
  } else if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
    const cuda_number x = cuda_pair_times(a.v, a.e, b.v, b.e), y = cuda_pair_times(a.w, a.f, b.w, b.f);
    const cuda_number z = cuda_pair_times(a.v, a.e, b.w, b.f), u = cuda_pair_times(a.w, a.f, b.v, b.e);
    cuda_number imaginary;
    r = cuda_pair_sum(x.v, x.e, -y.v, -y.e);
    imaginary.v = cuda_two_sum(z.v, u.v, &imaginary.e);
    r.w = imaginary.v;
    r.f = z.e + (u.e + imaginary.e);
  } else if (permi_hybrid_is_doubled(algebra)) {
    r = cuda_pair_times(a.v, a.e, b.v, b.e);
  } else {
    r.v = cuda_product(a.v, b.v);
  }
  return r;
}

static cuda_number cuda_minus(permi_hybrid_algebra algebra, cuda_number a, cuda_number b)
{
  cuda_number r = {0, 0, 0, 0}, imaginary;
  if (permi_hybrid_is_doubled(algebra)) {
    r = cuda_pair_sum(a.v, a.e, -b.v, -b.e);
    imaginary = cuda_pair_sum(a.w, a.f, -b.w, -b.f);
    r.w = imaginary.v;
    r.f = imaginary.e;
  } else {
    r.v = a.v - b.v;
    r.e = a.e - b.e;
  }
  return r;
}

static cuda_number cuda_cross(permi_hybrid_algebra algebra, cuda_number a, cuda_number b, cuda_number c, cuda_number d)
{
  cuda_number r;
  if (permi_hybrid_is_doubled(algebra))
    return cuda_minus(algebra, cuda_times(algebra, a, b), cuda_times(algebra, c, d));
  if (algebra != PERMI_HYBRID_COMPLEX) {
    r.v = fma(a.v, b.v, -cuda_product(c.v, d.v));
    r.e = 0;
  } else {
    r.v = fma(a.v, b.v, fma(-a.e, b.e, fma(-c.v, d.v, cuda_product(c.e, d.e))));
    r.e = fma(a.v, b.e, fma(a.e, b.v, fma(-c.v, d.e, -cuda_product(c.e, d.v))));
  }
  return r;
}

/* prime: minus it, its inverse, residues.
   Returns the result of statements [begin, end) on bases b, [row][part]. */
static cuda_number cuda_run(const permi_hybrid *hybrid, const double *prime, int begin, int end, const double *b,
                            cuda_number *value)
{
  const permi_code *code = hybrid->code;
  const permi_hybrid_algebra algebra = hybrid->algebra;
  const int parts = hybrid->parts;
  int k;
  for (k = begin; k < end; k++) {
    const permi_code_statement *t = &code->statement[k];
    const double *constant = code->constant + t->b * parts;
    cuda_number *r = &value[k];
    const cuda_number *a = &value[t->a], *c = &value[t->c], *d = &value[t->d];
    const cuda_number *second = t->kind == PERMI_CODE_ADD ? a : &value[t->b];
    const int of_moduli = k >= code->moduli;
    const double sign = t->negative ? -1 : 1;
    switch ((permi_code_kind)t->kind) {
    case PERMI_CODE_BASE:
      r->v = b[t->a * parts];
      r->e = parts > 1 ? b[t->a * parts + 1] : 0;
      r->w = parts == 4 ? b[t->a * 4 + 2] : 0;
      r->f = parts == 4 ? b[t->a * 4 + 3] : 0;
      break;
    case PERMI_CODE_ADD:
      r->v = fma(sign, constant[0], a->v);
      r->e = parts > 1 ? fma(sign, constant[1], a->e) : 0;
      r->w = parts == 4 ? fma(sign, constant[2], a->w) : 0;
      r->f = parts == 4 ? fma(sign, constant[3], a->f) : 0;
      break;
    case PERMI_CODE_TIMES:
      if (of_moduli)
        r->v = cuda_product(a->v, second->v);
      else
        *r = cuda_settle(algebra, cuda_times(algebra, *a, *second));
      break;
    case PERMI_CODE_CROSS:
      if (of_moduli)
        r->v = fma(a->v, second->v, cuda_product(c->v, d->v));
      else
        *r = cuda_settle(algebra, cuda_cross(algebra, *a, *second, *c, *d));
      break;
    case PERMI_CODE_MINUS:
      if (of_moduli)
        r->v = a->v + second->v;
      else
        *r = cuda_settle(algebra, cuda_minus(algebra, *a, *second));
      break;
    case PERMI_CODE_SETTLE:
      r->v = cuda_two_sum(a->v, a->e, &r->e);
      r->w = cuda_two_sum(a->w, a->f, &r->f);
      break;
    case PERMI_CODE_HALF: r->v = a->v / 2; break;
    case PERMI_CODE_REDUCE: r->v = fma(cuda_quotient(a->v, prime[1]), prime[0], a->v); break;
    case PERMI_CODE_RESIDUE:
      r->v = fma(sign, prime[2 + t->b], a->v);
      r->v = fma(cuda_quotient(r->v, prime[1]), prime[0], r->v);
      break;
    case PERMI_CODE_TIMES_LONG: r->v = cuda_long_times(a->v, second->v, prime); break;
    case PERMI_CODE_CROSS_LONG: r->v = cuda_long_cross(a->v, second->v, c->v, d->v, prime); break;
    case PERMI_CODE_TOTAL: return *a;
    case PERMI_CODE_MODULUS:
      r->v = algebra == PERMI_HYBRID_COMPLEX           ? sqrt(fma(a->v, a->v, cuda_product(a->e, a->e)))
             : algebra == PERMI_HYBRID_COMPLEX_DOUBLED ? sqrt(fma(a->v, a->v, cuda_product(a->w, a->w)))
                                                       : fabs(a->v);
      r->v += hybrid->rounding.floor[t->b];
      break;
    }
  }
  return value[code->statement[end - 1].a];
}

static void cuda_flip(const permi_hybrid *hybrid, double *b, const double *prime, int j, double s)
{
  const permi_code *code = hybrid->code;
  int k, p;
  for (k = code->first_flip[j]; k < code->first_flip[j + 1]; k++)
    for (p = 0; p < hybrid->parts; p++) {
      const int place = code->flip[k].constant * hybrid->parts + p;
      double *at = &b[code->flip[k].row * hybrid->parts + p];
      *at = fma(code->flip[k].negative ? -s : s, code->flip[k].reduced ? prime[2 + place] : code->constant[place], *at);
    }
}

/* The sum of |terms| of a sample of patterns. */
static double cuda_samples(const permi_hybrid *hybrid, unsigned key, double *b, cuda_number *value)
{
  const permi_code *code = hybrid->code;
  double absolute = 0;
  unsigned i;
  int k;
  for (i = 0; i < 1u << code->samples_log2; i++) {
    unsigned h = key + i * 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h = ((h ^ h >> 16) << code->samples_log2 | i) & ((1u << code->walk) - 1);
    for (k = 0; k < code->walk; k++)
      if (h >> k & 1)
        cuda_flip(hybrid, b, NULL, k, -1);
    absolute += cuda_run(hybrid, NULL, code->moduli, code->statements, b, value).v;
    for (k = 0; k < code->walk; k++)
      if (h >> k & 1)
        cuda_flip(hybrid, b, NULL, k, 1);
  }
  return absolute;
}

static void permi_code_twin(const void *context, uint64_t chunk, double *sums)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)context;
  const permi_code *code = hybrid->code;
  const int words = hybrid->n * hybrid->parts, each_log2 = hybrid->high - 7;
  const int whole = hybrid->algebra == PERMI_HYBRID_WHOLE, certify = code->certify;
  const double *table = hybrid->gpu.work.table + (size_t)permi_code_pass(hybrid) * (whole ? chunk >> each_log2 : 0);
  const double *prime = table + words * (1 + hybrid->high);
  const uint64_t within = chunk & ((UINT64_C(1) << each_log2) - 1);
  cuda_number *value = (cuda_number *)calloc((size_t)code->statements + 1, sizeof *value);
  double room[5][128];
  int t, r, k;
  memset(room, 0, sizeof room);
  for (t = 0; t < 128 && value; t++) {
    const uint64_t number = within << 7 | (uint64_t)t;
    const unsigned key = ((unsigned)chunk * 4 + (unsigned)(t >> 5)) * 0x85ebca6bu;
    double b[256], absolute = 0, hi = 0, lo = 0, hi2 = 0, lo2 = 0, e;
    unsigned m;
    for (r = 0; r < words; r++) {
      b[r] = table[r];
      for (k = 0; k < hybrid->high; k++)
        b[r] = fma(-(double)(int)(number >> k & 1), table[words * (1 + k) + r], b[r]);
    }
    absolute = whole || certify ? 0 : cuda_samples(hybrid, key, b, value);
    for (m = 0;;) {
      const cuda_number block = cuda_run(hybrid, prime, 0, code->moduli, b, value);
      const double s = m & 1 ? -1 : 1;
      if (certify)
        absolute += cuda_run(hybrid, NULL, code->moduli, code->statements, b, value).v;
      hi = cuda_two_sum(hi, s * block.v, &e);
      if (permi_hybrid_is_doubled(hybrid->algebra)) {
        cuda_number sum = {hi, lo + fma(s, block.e, e), 0, 0};
        sum.w = cuda_two_sum(hi2, s * block.w, &e);
        sum.f = lo2 + fma(s, block.f, e);
        sum = cuda_settle(PERMI_HYBRID_COMPLEX_DOUBLED, sum);
        hi = sum.v;
        lo = sum.e;
        hi2 = sum.w;
        lo2 = sum.f;
      } else {
        lo += e;
      }
      if (hybrid->algebra == PERMI_HYBRID_COMPLEX) {
        hi2 = cuda_two_sum(hi2, s * block.e, &e);
        lo2 += e;
      }
      if (++m == 1u << code->walk)
        break;
      k = permi_trailing_zeros(m);
      cuda_flip(hybrid, b, prime, k, m >> (k + 1) & 1 ? 1 : -1);
    }
    for (r = 0, k = 0; r < 64; r++)
      k ^= (int)(number >> r & 1);
    e = k ? -1 : 1;
    room[0][t] = e * hi;
    room[1][t] = e * lo;
    room[2][t] = e * hi2;
    room[3][t] = e * lo2;
    room[4][t] = absolute;
  }
  cuda_fold(room, sums);
  sums[0] = value ? sums[0] : (double)NAN;
  free(value);
}

/* ---- codegen */
static double cuda_codegen_product(const double *x, int begin, int end)
{
  double p = x[begin];
  for (begin++; begin < end; begin++)
    p = cuda_product(p, x[begin]);
  return p;
}

static void permi_codegen_twin(const void *context, uint64_t chunk, double *sums)
{
  const permi_codegen *codegen = (const permi_codegen *)context;
  const permi_ryser *ryser = &codegen->ryser;
  const double *table = codegen->gpu.work.table;
  const int n = ryser->n, kept = codegen->kept;
  double room[5][128];
  int t, i, j, k;
  memset(room, 0, sizeof room);
  for (t = 0; t < 128; t++) {
    const permi_codegen_launch *launch = codegen->launch;
    double x[PERM_MAX_N], p, rest = 1, e;
    uint64_t begin, left, m;
    for (i = 1; i < codegen->launches; i++)
      if (chunk >= codegen->launch[i].chunk)
        launch = &codegen->launch[i];
    begin = launch->term + (((chunk - launch->chunk) << 7 | (uint64_t)t) << launch->walk);
    left = begin < UINT64_C(1) << ryser->digits ? (UINT64_C(1) << ryser->digits) - begin : 0;
    left = left >> launch->walk ? UINT64_C(1) << launch->walk : left;
    for (i = 0; i < n; i++)
      x[i] = table[i];
    for (j = 0; j < ryser->digits; j++)
      for (i = 0; i < n && (begin ^ begin >> 1) >> j & 1; i++)
        x[i] += table[n * (1 + j) + i];
    for (m = 0; m < left; m++) {
      int seldom = m == 0;
      if (m) {
        j = permi_trailing_zeros(m);
        for (k = ryser->column_start[j]; k < ryser->column_start[j + 1]; k++) {
          i = codegen->place[ryser->touched[k]];
          x[i] += (begin + m) >> (j + 1) & 1 ? -ryser->value[0][k] : ryser->value[0][k];
          seldom |= i >= kept;
        }
      }
      if (seldom && kept < n)
        rest = cuda_codegen_product(x, kept, n);
      p = cuda_codegen_product(x, 0, kept);
      p = kept < n ? cuda_product(p, rest) : p;
      room[0][t] = m ? cuda_two_sum(room[0][t], m & 1 ? -p : p, &e) : p;
      room[1][t] += m ? e : 0;
      room[4][t] += fabs(p);
    }
    room[0][t] = n % 2 ? room[0][t] : -room[0][t];
    room[1][t] = n % 2 ? room[1][t] : -room[1][t];
  }
  cuda_fold(room, sums);
}
/* SPDX-License-Identifier: MIT */
