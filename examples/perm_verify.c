/* perm_verify: checks a proof of a permanent, made by `perm --prove`, without perm and without trust in the file.
       cc -O2 perm_verify.c -lm -o perm_verify && ./perm_verify MATRIX PROOF            SPDX-License-Identifier: MIT
   MATRIX: rows of integers, or a Matrix Market file. If the proof holds: exit status 0, the permanent on a line, then
   the probability that a false proof passes. Else 1: refused, with the reason; 2: a file cannot be read.
   n is the order, h = n / 2, N = 2^h. D_j(t), j < h, is the polynomial that at t = 0 .. N - 1 is the sign of column j,
   -1 where bit j of t is set; S(t) is the product of these signs there. Modulo a prime p (with a root of -1 as i)
       P(t) = S(t) sum_v sign(v) prod_i (sum_{j < h} a_ij D_j(t) + a_ih + sum_{j > h} v_j a_ij),   v: all signs,
   has a degree of at most d = (n + 1)(N - 1), and P(0) + .. + P(N - 1) = 2^(n-1) per(a), which is Glynn's formula. The
   proof is P(0) .. P(d) for some p. A wrong one agrees with P at d points at most: random ones show it. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 44, MOST_PRIMES = 64, LIMBS = 6 * MOST_PRIMES, POINTS = 2, HEAD = 48 };
typedef uint64_t u64;
static int n, parts = 1;
static int64_t entry[MOST_N * MOST_N][2];
static u64 p; /* the modulus, a prime below 2^50 */
static double inverse;
#define BLANKS " \t\r\n,;"
#define DIGITS "0123456789"
#define FAIL(code, ...) (fprintf(stderr, "perm_verify: " __VA_ARGS__), fprintf(stderr, "\n"), exit(code))
#define REFUSE(...) FAIL(1, "refused: " __VA_ARGS__)

/* The bytes of a file, and a 0 after them. */
static unsigned char *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  long end = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
  unsigned char *bytes = end < 0 ? NULL : (unsigned char *)calloc((*size = (size_t)end) + 1, 1);
  if (!bytes || fseek(file, 0, SEEK_SET) || fread(bytes, 1, *size, file) != *size || fclose(file))
    FAIL(2, "%s: cannot read it", path);
  return bytes;
}

/* A residue of a b, |a b| <= p^2, at most 7/8 p in size: doubles have a b / p but for 3/8, and 1.5 2^52 rounds it. */
static int64_t lazy(int64_t a, int64_t b)
{
  const double quotient = (double)a * (double)b * inverse + 6755399441055744.0 - 6755399441055744.0;
  return (int64_t)((u64)a * (u64)b - (u64)(int64_t)quotient * p);
}

static void modulo(u64 prime) { inverse = 1 / (double)(p = prime); }
static u64 times(u64 a, u64 b) { const int64_t x = lazy((int64_t)a, (int64_t)b); return (u64)x + (x < 0 ? p : 0); }
static u64 plus(u64 a, u64 b) { return a + b - (a + b >= p ? p : 0); }
static u64 minus(u64 a, u64 b) { return a - b + (a < b ? p : 0); }
static u64 residue(int64_t a) { return a < 0 ? minus(0, (0 - (u64)a) % p) : (u64)a % p; }
static u64 power(u64 a, u64 e) { return e ? times(power(times(a, a), e / 2), e & 1 ? a : 1) : 1; }

/* Is p, odd and above 37, prime? Miller and Rabin's test to these bases is certain below 2^64 (Sorenson, Webster). */
static int is_prime(void)
{
  static const u64 base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  u64 odd, x;
  int k, s, twos = 0;
  for (odd = p - 1; !(odd & 1); odd /= 2)
    twos++;
  for (k = 0; k < 12; k++)
    for (x = power(base[k], odd), s = x != 1; s && x != p - 1; x = times(x, x))
      if (s++ == twos)
        return 0;
  return 1;
}

static u64 append(u64 x, int digit, u64 most) { return x > (most - (u64)digit) / 10 ? most + 1 : 10 * x + (u64)digit; }
static int shown(const char *text) { int k = 0; while (k < 20 && text[k] > ' ' && text[k] < 127) k++; return k; }
static int64_t number(char **text) /* whole, of 64 bits, such as 7, -2.0 or 1e3; *text moves behind it */
{
  char *const from = *text + strspn(*text, BLANKS), *s = from + (*from == '-' || *from == '+');
  char *const point = s + strspn(s, DIGITS), *last = point + (*point == '.'), *end = last += strspn(last, DIGITS);
  const int power_of_10 = *end == 'e' && isdigit((unsigned char)end[1 + (end[1] == '-' || end[1] == '+')]);
  const u64 most = (UINT64_C(1) << 63) - (*from != '-');
  double tens = power_of_10 ? (double)strtol(end + 1, &end, 10) : 0; /* no integer, which may overflow */
  u64 x = isdigit((unsigned char)s[*s == '.']) ? 0 : most + 1;
  while (last > s && (last[-1] == '0' || last[-1] == '.'))
    last--; /* what is left ends with another digit */
  for (tens += (double)(point - last) + (last > point); s < last; s++)
    x = s == point ? x : append(x, *s - '0', most);
  for (; x && x <= most && tens > 0; tens--)
    x = append(x, 0, most);
  if (x > most || (x && tens < 0) || (*end && !strchr(BLANKS, *end)))
    REFUSE("no integer below 2^63: %.*s%s; rows of them or Matrix Market, as of `perm --write`", shown(from), from,
           shown(from) ? "" : *from ? "bytes that are no ASCII text" : "the end of the file");
  return *text = end, (int64_t)(*from == '-' ? 0 - x : x);
}

/* Rows of numbers, as many as in the first line; or Matrix Market. Comments are lines that begin with % or #. */
static void read_matrix(char *text, const char *over)
{
  char seen[MOST_N * MOST_N] = {0}, word[4][16] = {"matrix", "array", "integer", "general"}, *line;
  int64_t size[3] = {0, 0, 0}, *at, *mirror, k, i, j;
  int market, array, pattern, half, turned[2], part;
  for (line = text += strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3; *line; line++) /* behind a byte order mark */
    *line = (char)tolower((unsigned char)*line);
  market = !strncmp(text, "%%matrixmarket", 14);
  sscanf(market ? text : "", "%*s %15s %15s %15s %15s", word[0], word[1], word[2], word[3]);
  array = !strcmp(word[1], "array"), pattern = !strcmp(word[2], "pattern"), parts = 1 + !strcmp(word[2], "complex");
  turned[0] = !strcmp(word[3], "skew-symmetric"), turned[1] = turned[0] || !strcmp(word[3], "hermitian");
  half = turned[1] || !strcmp(word[3], "symmetric");
  if (strcmp(word[0], "matrix") || (!array && strcmp(word[1], "coordinate")) || (!half && strcmp(word[3], "general")) ||
      (parts == 1 && !pattern && strcmp(word[2], "integer") && strcmp(word[2], "real")))
    REFUSE("Matrix Market %s %s %s %s is not read here", word[0], word[1], word[2], word[3]);
  for (line = text; *(line += strspn(line, BLANKS)); line += strcspn(line, "\n"))
    memset(line, ' ', *line == '%' || *line == '#' ? strcspn(line, "\n") : 0);
  for (line = text += strspn(text, BLANKS); !market && *line && *line != '\n'; line += strspn(line, " \t\r,;"))
    number(&line), size[1] = ++size[0];
  for (k = 0; market && k < 3 - array; k++)
    size[k] = number(&text);
  if (size[0] != size[1] || size[0] < 1 || size[0] > MOST_N)
    REFUSE("the matrix is not square of order 1 to %d; rows of numbers or Matrix Market, as of `perm --write`", MOST_N);
  n = (int)size[0];
  for (k = 0, i = 1 + (array && turned[0]), j = 1; array ? i <= n && j <= n : k < size[2]; k++) {
    i = array ? i : number(&text), j = array ? j : number(&text);
    if (i < 1 || j < 1 || i > n || j > n || (half && j > i) || seen[i * n + j - n - 1]++)
      REFUSE("the matrix has an entry outside, or twice");
    for (part = 0; part < parts; part++) {
      mirror = &entry[j * n + i - n - 1][part], at = market ? &entry[i * n + j - n - 1][part] : mirror;
      *at = pattern ? 1 : number(&text);
      if (turned[part] && (*at == INT64_MIN || (*at && i == j)))
        REFUSE("the matrix is not %s", word[3]);
      *(half ? mirror : at) = turned[part] ? -*at : *at;
    }
    if (array && i++ == n)
      j++, i = half ? j + turned[0] : 1;
  }
  if (text + strspn(text, BLANKS) != over)
    REFUSE("the matrix has more than its entries");
}

/* log2 of a bound on the permanent: the product of the sums of lines, rounded up. */
static double bound_log2(int line, int along)
{
  double bits = 0, sum;
  int i, j;
  for (i = 0; i < n; bits += sum > 0 ? log2(sum) + 1e-9 : 0, i++)
    for (sum = 0, j = 0; j < n; j++)
      sum += fabs((double)entry[i * line + j * along][0]) + fabs((double)entry[i * line + j * along][1]);
  return bits;
}

static u64 hash(u64 h, u64 x) { return h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15), h ^ h >> 29; }
static u64 get(const unsigned char *b, int size) { u64 x = 0; while (size--) x = x << 8 | b[size]; return x; }

/* P(t) by its formula; a: the matrix modulo p. */
static u64 by_formula(u64 (*a)[MOST_N], u64 t)
{
  const u64 last = (UINT64_C(1) << n / 2) - 1;
  static u64 weight[1 << MOST_N / 2];
  u64 d[MOST_N] = {0}, sum[MOST_N], signs = 0, total = 0, s, g, x, step;
  int64_t of[4];
  int h = n / 2, i, j, parity;
  /* +-prod_{r != s} (t - r) / (s! (last - s)!): those below s, those above, and last!^2 below both */
  for (s = 0, x = 1; s <= last; x = times(x, times(minus(t, s), last - s)), s++)
    weight[s] = x;
  for (s = last + 1, x = g = 1; s-- > 0; x = times(x, times(minus(t, s), s)), g = times(g, s ? s : 1))
    weight[s] = times(weight[s], x);
  g = power(times(g, g), p - 2);
  for (s = 0; s <= last; s++) {
    x = times(weight[s], (last - s) & 1 ? minus(0, g) : g);
    for (j = parity = 0; j < h; parity ^= (int)(s >> j++ & 1))
      d[j] = s >> j & 1 ? minus(d[j], x) : plus(d[j], x);
    signs = parity ? minus(signs, x) : plus(signs, x);
  }
  for (i = 0; i < n; i++)
    for (sum[i] = 0, j = 0; j < n; j++)
      sum[i] = plus(sum[i], j < h ? times(a[i][j], d[j]) : a[i][j]);
  for (g = 0;;) { /* the Gray code of v */
    for (i = 0, of[0] = of[1] = of[2] = of[3] = 1; i < n; i++) /* four products at once */
      of[i & 3] = lazy(of[i & 3], (int64_t)sum[i]);
    x = residue(lazy(lazy(of[0], of[1]), lazy(of[2], of[3])));
    total = g & 1 ? minus(total, x) : plus(total, x);
    if (++g >> (n - h - 1))
      return times(total, signs);
    for (j = 0; !(g >> j & 1);)
      j++;
    for (i = 0; i < n; sum[i] = (g ^ g >> 1) >> j & 1 ? minus(sum[i], step) : plus(sum[i], step), i++)
      step = plus(a[i][h + 1 + j], a[i][h + 1 + j]);
  }
}

/* The permanent modulo p, if the d + 1 values are P, whose matrix has i = root. */
static u64 check(const unsigned char *value, u64 d, u64 root)
{
  u64 a[MOST_N][MOST_N], t[POINTS], sum = 0, k, x;
  int64_t at[POINTS], before[POINTS], factorial = 1, less; /* |at| <= 2 p */
  FILE *entropy = fopen("/dev/urandom", "rb"); /* the file has been read */
  int i, q;
  for (q = 0; q < POINTS; q++, at[q - 1] = 0, before[q - 1] = 1)
    do
      if (!entropy || fread(&t[q], sizeof t[q], 1, entropy) != 1)
        FAIL(2, "/dev/urandom gives no random numbers");
    while ((t[q] >>= 14) >= p);
  fclose(entropy);
  /* Lagrange: d!^2 P(t) is the sum of P(k) (-1)^(d-k) prod_{i < k} (t - i)(d - i) prod_{i > k} (t - i) i */
  for (k = 0; k <= d; k++) {
    if ((x = get(value + 8 * k, 8)) >= p)
      REFUSE("value %" PRIu64 " is not below its modulus", k);
    sum = k >> n / 2 ? sum : plus(sum, x);
    factorial = k ? lazy(factorial, (int64_t)k) : 1;
    for (q = 0; q < POINTS; q++) {
      less = (int64_t)t[q] - (int64_t)k;
      at[q] = lazy(at[q], lazy(less, (int64_t)k)) + lazy((d - k) & 1 ? -(int64_t)x : (int64_t)x, before[q]);
      before[q] = lazy(before[q], lazy(less, (int64_t)(d - k)));
    }
  }
  for (i = 0; i < n * n; i++)
    a[i / n][i % n] = plus(residue(entry[i][0]), times(residue(entry[i][1]), root));
  for (q = 0; q < POINTS; q++)
    if (times(times(by_formula(a, t[q]), residue(factorial)), residue(factorial)) != residue(at[q]))
      REFUSE("a value is wrong: the polynomial modulo %" PRIu64 " is not the matrix's", p);
  return times(sum, power(power(2, (u64)n - 1), p - 2));
}

/* Prints the integer with the residues x, from its digits of either sign to the bases prime[0], prime[1], ... */
static void print(const u64 *x, const u64 *prime, int primes, const char *sign)
{
  int64_t digit[MOST_PRIMES], limb[LIMBS] = {0}, carry; /* limbs: thousands */
  int k, i, top = 0;
  for (k = 0; k < primes; k++) {
    u64 rest = x[k], product = 1;
    for (i = 0, modulo(prime[k]); i < k; product = times(product, prime[i++] % p))
      rest = minus(rest, times(residue(digit[i]), product));
    rest = times(rest, power(product, p - 2));
    digit[k] = rest > p / 2 ? -(int64_t)(p - rest) : (int64_t)rest;
    top = digit[k] ? k : top;
  }
  for (k = top; k >= 0; k--)
    for (carry = digit[top] < 0 ? -digit[k] : digit[k], i = 0; i < LIMBS; i++) {
      carry += limb[i] * (int64_t)prime[k];
      limb[i] = (carry % 1000 + 1000) % 1000;
      carry = (carry - limb[i]) / 1000;
    }
  for (i = LIMBS - 1; i > 0 && !limb[i];)
    i--;
  for (printf("%s%d", digit[top] < 0 ? "-" : sign, (int)limb[i]); i > 0;)
    printf("%03d", (int)limb[--i]);
}

int main(int argc, char **argv)
{
  u64 part[2][MOST_PRIMES], prime[MOST_PRIMES], d, x, y, h = UINT64_C(14695981039346656037), sum = h;
  unsigned char *proof, *from;
  double product = 0, passes = 0;
  int primes, i;
  size_t size;
  if (argc != 3)
    FAIL(2, "usage: perm_verify MATRIX PROOF");
  from = read_file(argv[1], &size);
  read_matrix((char *)from, (char *)from + size);
  proof = read_file(argv[2], &size);
  if (size < HEAD + 8 || size % 8 || memcmp(proof, "\211PROOF\r\n", 8) || get(proof + 8, 4) != 1 ||
      get(proof + 16, 8) != size)
    REFUSE("it is no proof of format 1, or cut short or extended");
  for (from = proof; from + 8 < proof + size; from += 8)
    sum = hash(sum, get(from, 8));
  if (sum != get(proof + size - 8, 8))
    REFUSE("the proof is damaged: its checksum is wrong");
  h = hash(h, (u64)n * 4 + (u64)parts);
  for (i = 0; i < n * n * parts; i++)
    h = hash(h, (u64)entry[i / parts][i % parts]);
  if (get(proof + 24, 8) != h || get(proof + 12, 4) != (u64)n || get(proof + 32, 4) != (u64)parts)
    REFUSE("the proof is of another matrix");
  d = (u64)(n + 1) * ((UINT64_C(1) << n / 2) - 1);
  primes = (int)get(proof + 36, 2);
  if (get(proof + 36, 4) > MOST_PRIMES || get(proof + 40, 8) != d + 1 ||
      size != HEAD + 8 * (size_t)primes * (1 + (size_t)parts * (size_t)(d + 1)) + 8)
    REFUSE("the proof has not %" PRIu64 " values a modulus", d + 1);
  for (i = 0; i < primes; i++) {
    modulo(prime[i] = get(proof + HEAD + 8 * i, 8));
    if (!(p >> 40) || p >> 50 || !(p & 1) || !is_prime())
      REFUSE("%" PRIu64 " is no prime between 2^40 and 2^50", p);
    if (i && p >= prime[i - 1])
      REFUSE("the modulus %" PRIu64 " is repeated, or not below the one before", p);
    product += log2((double)p) - 1e-9;
    passes = fmax(passes, pow((double)d / (double)p, POINTS));
  }
  if (product <= 1 + fmin(bound_log2(n, 1), bound_log2(1, n)))
    REFUSE("the product of the moduli is not above twice a bound on the permanent");
  for (i = 0, from = proof + HEAD + 8 * primes; i < primes; i++, from += 8 * (d + 1)) {
    modulo(prime[i]);
    if (parts == 2 && p % 4 != 1)
      REFUSE("there is no root of -1 modulo %" PRIu64, p);
    for (x = 0, y = 2; parts == 2 && times(x, x) != p - 1; y++)
      x = power(y, p / 4);
    part[0][i] = check(from, d, x = x < p - x ? x : p - x);
    if (parts == 2) { /* r + x s and r - x s give r and s */
      y = check(from += 8 * (d + 1), d, p - x);
      part[1][i] = times(minus(part[0][i], y), power(plus(x, x), p - 2));
      part[0][i] = times(plus(part[0][i], y), power(2, p - 2));
    }
  }
  for (i = 0; i < parts; i++)
    print(part[i], prime, primes, i ? "+" : "");
  printf("%s\na false proof passes with a probability of at most %.1e\n", parts == 2 ? "i" : "", passes);
  return 0;
}
