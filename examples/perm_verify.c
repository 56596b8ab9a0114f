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
static int n, parts = 1, market; /* the matrix: its order, 2 if complex, 1 for Matrix Market */
static int64_t entry[MOST_N * MOST_N][2];
static u64 p; /* the modulus, a prime below 2^50 */
static double inverse;
static char *rest, *word[MOST_N + 2]; /* of the matrix: what is not yet read, and the last line */
static const char *mark;              /* between its words; NULL: the next line shows it */
#define BLANKS " \t"
#define DIGITS "0123456789"
#define FAIL(code, ...) (fprintf(stderr, "perm_verify: " __VA_ARGS__), fprintf(stderr, "\n"), exit(code))
#define REQUIRE(condition, ...) ((condition) ? (void)0 : (void)FAIL(1, "refused: " __VA_ARGS__))

/* The bytes of a file, and zeros after them, a proof's head at least. */
static unsigned char *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  long end = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
  unsigned char *bytes = end < 0 ? NULL : (unsigned char *)calloc((*size = (size_t)end) + HEAD, 1);
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

static int64_t number(char *text, int real, int bits) /* whole, below 2^bits, such as -7; if real, 2.0 and 1e3 */
{
  const u64 most = (UINT64_C(1) << bits) - (bits < 63 || *text != '-');
  char *s = text + (*text == '-' || *text == '+'), *const point = s + strspn(s, DIGITS);
  char *last = point + (real && *point == '.'), *end = last += strspn(last, DIGITS);
  double tens = real && *end == 'e' && isdigit(end[1 + strspn(end + 1, "+-")]) ? (double)strtol(end + 1, &end, 10) : 0;
  u64 x = isdigit(s[*s == '.']) ? 0 : most + 1; /* which stands for all that is larger */
  while (last > s && (last[-1] == '0' || last[-1] == '.'))
    last--; /* what is left ends with another digit */
  for (tens += (double)(point - last) + (last > point); s < last; s++)
    x = s == point ? x : x > (most - (u64)(*s - '0')) / 10 ? most + 1 : 10 * x + (u64)(*s - '0');
  for (; x && x <= most && tens > 0; tens--)
    x = x > most / 10 ? most + 1 : 10 * x;
  REQUIRE(x <= most && (!x || tens >= 0) && !end[strspn(end, BLANKS)], "no integer below 2^%d: %.20s", bits, text);
  return (int64_t)(*text == '-' ? 0 - x : x);
}

/* Takes the next line that is neither empty nor a comment: how many words it has, at most MOST_N + 1; 0 at the end. */
static int next_line(void)
{
  char *line, *end;
  int words = 0, more = 1;
  do {
    if (!*rest)
      return 0;
    line = rest + strspn(rest, BLANKS), end = rest + strcspn(rest, "\n");
    rest = end + (*end == '\n'), end -= end > line && end[-1] == '\r', *end = 0;
    REQUIRE(market || !strchr("%#", *line) || !(strstr(line, "matrix") || strstr(line, "market")),
            "a comment with \"matrix\" or \"market\" may be a banner, which has to be in line 1");
  } while (strchr(market ? "%" : "%#", *line)); /* or 0 */
  mark = mark ? mark : strchr(line, ';') ? ";" : strchr(line, ',') ? "," : BLANKS;
  for (; more && (*line || *mark != *BLANKS) && words <= MOST_N; line += more, line += strspn(line, BLANKS))
    word[words++] = line, line += strcspn(line, mark), more = *line != 0, *line = 0;
  word[words] = line; /* "" */
  return words;
}

/* Rows of integers, each a line, or Matrix Market: nothing but what perm reads as the same matrix. */
static void read_matrix(char *text, size_t size)
{
  static const char *const known[6][5] = {{"matrixmarket"}, {"matrix"}, {"coordinate", "array"},
    {"pattern", "integer", "real", "complex"}, {"general", "symmetric", "skew-symmetric", "hermitian"}, {""}};
  char seen[MOST_N * MOST_N] = {0}, *const end = text + size;
  int found[6] = {0, 0, 1, 2, 0, 0}, words, array, field, half, skew, lines, i, j, k, w;
  for (rest = text += strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3; rest < end; *rest = (char)tolower(*rest), rest++)
    REQUIRE(*rest == '\t' || *rest == '\n' || *rest == '\r' || (*rest >= ' ' && *rest <= '~'), "no ASCII text");
  rest = text + strspn(text, BLANKS), market = !strncmp(rest, "%%matrix", 8);
  rest += 2 * market, mark = market ? BLANKS : NULL, words = next_line();
  for (k = 0; market && k < 6; k++)
    for (found[k] = 0; strcmp(word[k], known[k][found[k]]); found[k]++)
      REQUIRE(known[k][found[k] + 1], "the banner's word %d, \"%.20s\", is not read here", k + 1, word[k]);
  array = found[2], field = found[3], half = found[4], skew = half == 2, parts = 1 + (field == 3);
  REQUIRE(field ? half < 3 || field == 3 : !array && half < 2, "there is no %s %s %s", word[2], word[3], word[4]);
  REQUIRE(!market || next_line() == 3 - array, "the line of sizes has not %d numbers", 3 - array);
  n = market ? (int)number(word[0], 0, 31) : words, words = market ? (int)number(word[1], 0, 31) : words;
  REQUIRE(words == n && n > 0 && n <= MOST_N, "the matrix is not square of order 1 to %d", MOST_N);
  lines = !market ? n : !array ? (int)number(word[2], 0, 31) : half ? n * (n + 1) / 2 - n * skew : n * n;
  for (i = skew, j = k = 0, words = market ? next_line() : words; k < lines; words = next_line(), k++) {
    REQUIRE(words == (market ? 2 * !array + (field ? parts : 0) : n), "line %d has %d numbers", k + 1, words);
    i = array ? i : (int)number(word[0], 0, 31) - 1, j = array ? j : (int)number(word[1], 0, 31) - 1;
    REQUIRE(j >= 0 && j < n && i >= (half ? j + skew : 0) && i < n && !seen[i * n + j]++, "an entry outside, or twice");
    for (w = 0; w < (market ? parts : n); w++) {
      const int64_t x = field ? number(word[2 * !array + w], field > 1, market && field > 1 ? 53 : 63) : 1;
      const int turned = skew || (half == 3 && w);
      REQUIRE(!turned || (x != INT64_MIN && (i != j || !x)), "the matrix is not %s", known[4][half]);
      if (half)
        entry[j * n + i][w] = turned ? -x : x;
      entry[i * n + j + (market ? 0 : w)][market ? w : 0] = x;
    }
    if (array && ++i == n)
      j++, i = half ? j + skew : 0;
  }
  REQUIRE(!words, "the matrix has more than its entries");
  for (k = 3, w = 0; !market && n == 3 && entry[2][0] == 2 && k < 9; k += 1 + k % 3)
    w += entry[k][0] >= 0 && entry[k][0] <= entry[k % 3][0];
  REQUIRE(w < 4, "3 rows, or coordinates of 2 entries? In Matrix Market, as of `perm --write`, it is clear");
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
      REQUIRE(entropy && fread(&t[q], sizeof t[q], 1, entropy) == 1, "/dev/urandom gives no random numbers");
    while ((t[q] >>= 14) >= p);
  fclose(entropy);
  /* Lagrange: d!^2 P(t) is the sum of P(k) (-1)^(d-k) prod_{i < k} (t - i)(d - i) prod_{i > k} (t - i) i */
  for (k = 0; k <= d; k++) {
    REQUIRE((x = get(value + 8 * k, 8)) < p, "value %" PRIu64 " is not below its modulus", k);
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
    REQUIRE(times(times(by_formula(a, t[q]), residue(factorial)), residue(factorial)) == residue(at[q]),
            "a value is wrong: the polynomial modulo %" PRIu64 " is not the matrix's", p);
  return times(sum, power(power(2, (u64)n - 1), p - 2));
}

/* Prints the integer with the residues x, from its digits of either sign to the bases prime[0], prime[1], ... */
static void print(const u64 *x, const u64 *prime, int primes, const char *sign)
{
  int64_t digit[MOST_PRIMES], limb[LIMBS] = {0}, carry; /* limbs: thousands */
  int k, i, top = 0;
  for (k = 0; k < primes; k++) {
    u64 left = x[k], product = 1;
    for (i = 0, modulo(prime[k]); i < k; product = times(product, prime[i++] % p))
      left = minus(left, times(residue(digit[i]), product));
    left = times(left, power(product, p - 2));
    digit[k] = left > p / 2 ? -(int64_t)(p - left) : (int64_t)left;
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
  double product = 0;
  int primes, i;
  size_t size;
  if (argc != 3)
    FAIL(2, "usage: perm_verify MATRIX PROOF");
  from = read_file(argv[1], &size);
  read_matrix((char *)from, size);
  proof = read_file(argv[2], &size);
  d = (u64)(n + 1) * ((UINT64_C(1) << n / 2) - 1), primes = (int)get(proof + 36, 2);
  REQUIRE(!memcmp(proof, "\211PROOF\r\n\1\0\0", 12) && get(proof + 12, 4) == (u64)n && get(proof + 16, 8) == size &&
          get(proof + 32, 4) == (u64)parts && get(proof + 36, 4) <= MOST_PRIMES && get(proof + 40, 8) == d + 1 &&
          size == HEAD + 8 * (size_t)primes * (1 + (size_t)parts * (size_t)(d + 1)) + 8,
          "it is no proof of format 1 for such a matrix of order %d, or cut short or extended", n);
  for (from = proof; from + 8 < proof + size; from += 8)
    sum = hash(sum, get(from, 8));
  REQUIRE(sum == get(proof + size - 8, 8), "the proof is damaged: its checksum is wrong");
  h = hash(h, (u64)n * 4 + (u64)parts);
  for (i = 0; i < n * n * parts; i++)
    h = hash(h, (u64)entry[i / parts][i % parts]);
  REQUIRE(get(proof + 24, 8) == h, "the proof is of another matrix");
  for (i = 0, from = proof + HEAD + 8 * primes; i < primes; i++, from += 8 * (d + 1)) {
    modulo(prime[i] = get(proof + HEAD + 8 * i, 8));
    REQUIRE(p >> 40 && !(p >> 50) && p & 1 && is_prime(), "%" PRIu64 " is no prime between 2^40 and 2^50", p);
    REQUIRE(!i || p < prime[i - 1], "the modulus %" PRIu64 " is repeated, or not below the one before", p);
    REQUIRE(parts == 1 || p % 4 == 1, "there is no root of -1 modulo %" PRIu64, p);
    product += log2((double)p) - 1e-9;
    for (x = 0, y = 2; parts == 2 && times(x, x) != p - 1; y++)
      x = power(y, p / 4);
    part[0][i] = check(from, d, x = x < p - x ? x : p - x);
    if (parts == 2) { /* r + x s and r - x s give r and s */
      y = check(from += 8 * (d + 1), d, p - x);
      part[1][i] = times(minus(part[0][i], y), power(plus(x, x), p - 2));
      part[0][i] = times(plus(part[0][i], y), power(2, p - 2));
    }
  }
  REQUIRE(product > 1 + fmin(bound_log2(n, 1), bound_log2(1, n)), "too few moduli for a bound on the permanent");
  for (i = 0; i < parts; i++)
    print(part[i], prime, primes, i ? "+" : "");
  printf("%s\na false proof passes with a probability of at most %.1e\n", parts == 2 ? "i" : "",
         pow((double)d / (double)prime[primes - 1], POINTS));
  return 0;
}
