/* ===================================================================================== >>text_signs
   The kernel of the sign search, see perm_gpu_signs. A warp walks the tree: lane l has word l of the counts and a word
   of the living patterns, of block 0 in lanes 0 to 15, of block 1 above; both signs of a column are tried at once.
   Leaves, most with few patterns, wait in shared memory until they fill the lanes: a lane takes a pattern and
   multiplies its block's own rows, then pairs of patterns. Small row sums are digits of 4 bits; products +-2^s 3^t are
   codes that are added: s + 129 t, the sign in bit 31. Sums are modulo 2^192.

   Functions are of a warp: they loop over S::LANES lanes, of which a GPU's thread has one, the twin 32. What lanes tell
   each other stands between such loops.

   Trees below prefixes differ by factors of hundreds. So the warps of all blocks take tasks from one counter of the
   launch; when there are none, busy warps give away the largest trees that they have not begun. Which block adds a
   chunk's terms depends on time; the sum of a launch does not. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(signs,
/* Half sums from -4 to 4, plus 8, in 4 bits. */
template <int SMALL>
struct permi_digits {
  typedef unsigned value;
  enum { BITS = 4, MASK = 15 };
  static PERMI_BOTH unsigned lacking(unsigned x) /* not 0 if a digit is 0 */
  {
    x |= x >> 2;
    return ~(x | x >> 1) & 0x11111111u;
  }
  static PERMI_BOTH value one(unsigned minus) { return minus << 31; }
  static PERMI_BOTH value times(value a, value b) { return a + b; }
  template <int COUNT>
  static PERMI_BOTH value product(const unsigned *c, int words, const unsigned *)
  {
    unsigned code = 0, signs = 0;
    PERMI_UNROLL
    for (int w = 0; w < COUNT; w++)
      if (w < words) {
        const unsigned digits = c[w] & 0x77777777u; /* modulo 8: of 0 .. 4 and -4 .. -1 */
        signs ^= c[w];
        code = permi_bytes_sum(permi_bytes_of(0x81010000u, 0x00018102u, digits), code);
        code = permi_bytes_sum(permi_bytes_of(0x81010000u, 0x00018102u, digits >> 16), code);
      }
    return code + ((unsigned)permi_ones(signs & 0x88888888u) << 31);
  }
  static PERMI_BOTH void add(const unsigned *power, unsigned *sum, value rest, value a, value b, value c)
  {
    const unsigned code = rest + a + b + c;
    const unsigned minus = (unsigned)((int)code >> 31);
    const unsigned threes = (code & 0x7fffffffu) * 32514u >> 22;
    unsigned twos = (code & 0x7fffffffu) - 129u * threes;
    const uint4 p = ((const uint4 *)power)[threes];
    unsigned x[6] = {p.x, p.y, p.z, p.w, 0, 0};
    for (; twos >= 32; twos -= 32) {
      PERMI_UNROLL
      for (int k = 5; k > 0; k--)
        x[k] = x[k - 1];
      x[0] = 0;
    }
    PERMI_UNROLL
    for (int k = 5; k > 0; k--)
      x[k] = permi_funnel(x[k - 1], x[k], twos) ^ minus;
    x[0] = x[0] << twos ^ minus;
    permi_words_add(sum, x, minus);
  }
};

/* Any sums below 128 in modulus, of which one half, plus 128, in 8 bits. */
template <>
struct permi_digits<0> {
  typedef long long value;
  enum { BITS = 8, MASK = 255 };
  static PERMI_BOTH unsigned lacking(unsigned x)
  {
    x |= x >> 4;
    x |= x >> 2;
    return ~(x | x >> 1) & 0x01010101u;
  }
  static PERMI_BOTH value one(unsigned minus) { return 1 - 2 * (value)minus; }
  static PERMI_BOTH value times(value a, value b) { return a * b; }
  template <int COUNT>
  static PERMI_BOTH value product(const unsigned *c, int words, const unsigned *odd)
  {
    value all = 1;
    PERMI_UNROLL
    for (int w = 0; w < COUNT; w++)
      if (w < words) {
        PERMI_UNROLL
        for (int k = 0; k < 32; k += 8) {
          const int half = (int)(c[w] >> k & 255u) - 128, o = (int)(odd[w] >> k & 1u);
          all *= (half << o) + o;
        }
      }
    return all;
  }
  static PERMI_BOTH void add(const unsigned *, unsigned *sum, value rest, value a, value b, value c)
  {
    const value factor[3] = {rest, b, c};
    const unsigned long long sign = (unsigned long long)((rest ^ a ^ b ^ c) >> 63);
    unsigned long long y[3] = {a < 0 ? 0 - (unsigned long long)a : (unsigned long long)a, 0, 0};
    unsigned x[6];
    for (int k = 0; k < 3; k++) {
      const value f = factor[k];
      const unsigned long long m = f < 0 ? 0 - (unsigned long long)f : (unsigned long long)f;
      const unsigned long long carry = permi_high(y[0], m);
      y[2] = y[2] * m + permi_high(y[1], m);
      y[1] = y[1] * m + carry;
      y[2] += y[1] < carry ? 1 : 0;
      y[0] *= m;
    }
    for (int k = 0; k < 6; k++)
      x[k] = (unsigned)((y[k / 2] ^ sign) >> 32 * (k & 1));
    permi_words_add(sum, x, (unsigned)sign);
  }
};

/* What a warp keeps. In shared memory: values of leaves; patterns, then their values; leaves' counts and ranges; what
   patterns add to rows of both blocks. */
template <class S>
struct permi_signs_warp {
  typedef typename permi_digits<S::SMALL>::value value;
  enum { LANES = S::LANES, MOST = 128 }; /* patterns of a block that wait */
  const unsigned *table, *power;
  value *rest, *product;
  unsigned *leaf, *both, *range;
  unsigned long long *queue;
  unsigned slots;
  unsigned sum[LANES][6];
  int leaves, items[2];
};

/* The queue of a launch is what its blocks put out, 8 words each, which come with all bits set: 3 words of a sum; a
   tree that is given away, path and how many signs << 58; of block 0 four counters, from -1 on. */
enum { PERMI_SIGNS_OUT = 8, PERMI_SIGNS_GIVEN = 3, PERMI_SIGNS_TASKS, PERMI_SIGNS_WARPS, PERMI_SIGNS_IDLE,
       PERMI_SIGNS_OFFERED };

PERMI_BOTH unsigned permi_signs_counter(const unsigned long long *queue, int which)
{
  return (unsigned)permi_seen(queue + which) + 1u;
}

/* Adds x to a counter; returns what it was before, in all lanes. */
template <class S>
PERMI_BOTH unsigned permi_signs_count(const S &, unsigned long long *queue, int which, int x)
{
  unsigned was[S::LANES];
  for (int l = 0; l < S::LANES; l++)
    was[l] = permi_lane(l) ? 0u : (unsigned)permi_atomic_add(queue + which, (unsigned long long)(long long)x) + 1u;
  return permi_shuffle(was, 0);
}

/* Returns a tree that was given away; ~0: none. */
template <class S>
PERMI_BOTH unsigned long long permi_signs_receive(const S &shape, permi_signs_warp<S> &w)
{
  unsigned low[S::LANES], high[S::LANES];
  bool full[S::LANES];
  PERMI_ROLLED
  for (unsigned first = 0; first < w.slots; first += 32) {
    for (int l = 0; l < S::LANES; l++) {
      const unsigned i = first + (unsigned)permi_lane(l);
      full[l] = i < w.slots && permi_seen(w.queue + PERMI_SIGNS_OUT * i + PERMI_SIGNS_GIVEN) != ~0ull;
    }
    unsigned set = permi_ballot(full);
    PERMI_ROLLED
    for (; set; set &= set - 1) {
      unsigned long long *at = w.queue + PERMI_SIGNS_OUT * (first + (unsigned)permi_ctz(set)) + PERMI_SIGNS_GIVEN;
      for (int l = 0; l < S::LANES; l++) {
        unsigned long long tree = ~0ull;
        if (permi_lane(l) == 0) {
          tree = permi_seen(at);
          tree = tree == ~0ull || permi_atomic_swap(at, tree, ~0ull) != tree ? ~0ull : tree;
        }
        low[l] = (unsigned)tree;
        high[l] = (unsigned)(tree >> 32);
      }
      const unsigned long long tree = permi_shuffle(low, 0) | (unsigned long long)permi_shuffle(high, 0) << 32;
      if (tree != ~0ull) {
        permi_signs_count(shape, w.queue, PERMI_SIGNS_OFFERED, -1);
        return tree;
      }
    }
  }
  return ~0ull;
}

template <class S>
PERMI_BOTH void permi_signs_begin(const S &shape, permi_signs_warp<S> &w, const unsigned *table, unsigned *shared,
                                  int warp)
{
  typedef permi_signs_warp<S> W;
  w.table = table;
  w.power = shared;
  w.range = shared + 260 + shape.room() * warp;
  w.rest = (typename W::value *)(w.range + 128);
  w.product = w.rest + 32;
  w.leaf = (unsigned *)(w.product + 2 * W::MOST);
  w.both = w.leaf + 33 * (shape.words() + 1);
  w.leaves = w.items[0] = w.items[1] = 0;
  for (int l = 0; l < W::LANES; l++)
    for (int k = 0; k < 6; k++)
      w.sum[l][k] = 0;
}

/* Makes lane l the sum over the lanes up to it, of `width`. */
template <int LANES>
PERMI_BOTH void permi_signs_scan(unsigned *x, int width)
{
  unsigned before[LANES];
  PERMI_UNROLL
  for (int k = 1; k < width; k *= 2) {
    for (int l = 0; l < LANES; l++)
      before[l] = permi_shuffle(x, (permi_lane(l) - k) & 31);
    for (int l = 0; l < LANES; l++)
      x[l] += (permi_lane(l) & (width - 1)) >= k ? before[l] : 0;
  }
}

/* Replaces pattern i by its value, and writes what it adds to the rows of both. */
template <class S, int BLOCK>
PERMI_BOTH void permi_signs_item(const S &shape, permi_signs_warp<S> &w, int i)
{
  typedef permi_digits<S::SMALL> D;
  const int begin = shape.word(1 + BLOCK), own = shape.word(2 + BLOCK) - begin, shared = shape.word(1);
  const int rows = (own + 3) / 4 + (shared + 3) / 4;
  const unsigned item = (unsigned)w.product[128 * BLOCK + i];
  const unsigned z = item & 511u, slot = item >> 9;
  const uint4 *pattern = (const uint4 *)(w.table + (BLOCK ? shape.pattern1() : shape.pattern0()));
  const uint4 *high = pattern + rows * (32 + (int)(z >> 5));
  unsigned c[8 * S::MOST_FOURS];
  pattern += rows * (int)(z & 31u);
  PERMI_UNROLL
  for (int k = 0; k < 2 * S::MOST_FOURS; k++)
    if (k < rows) {
      c[4 * k] = pattern[k].x + high[k].x;
      c[4 * k + 1] = pattern[k].y + high[k].y;
      c[4 * k + 2] = pattern[k].z + high[k].z;
      c[4 * k + 3] = pattern[k].w + high[k].w;
    }
  PERMI_UNROLL
  for (int k = 0; k < 4 * S::MOST_FOURS; k++)
    if (k < shared)
      w.both[128 * (BLOCK * shared + k) + i] = c[(own + 3) / 4 * 4 + k] + (BLOCK ? 0 : w.leaf[33 * k + (int)slot]);
  PERMI_UNROLL
  for (int k = 0; k < 4 * S::MOST_FOURS; k++)
    if (k < own)
      c[k] += w.leaf[33 * (begin + k) + (int)slot];
  w.product[128 * BLOCK + i] = D::times(D::one((unsigned)permi_ones(z) & 1u),
                                        D::template product<4 * S::MOST_FOURS>(c, own, w.table + shape.odd() + begin));
}

/* Finds pair `number` of all, which belongs to a leaf from `leaf` on. */
template <class S>
PERMI_BOTH void permi_signs_pair(const S &shape, permi_signs_warp<S> &w, unsigned number, int &leaf, unsigned *sum)
{
  typedef permi_digits<S::SMALL> D;
  const int shared = shape.word(1);
  uint4 range = ((const uint4 *)w.range)[leaf];
  unsigned c[4 * S::MOST_FOURS];
  unsigned zero = 0;
  while (number >= range.x)
    range = ((const uint4 *)w.range)[++leaf];
  number -= range.y;
  const unsigned row = permi_high32(number + 1, range.z);
  const unsigned a = row + (range.w & 255u), b = number - row * (range.w >> 16) + (range.w >> 8 & 255u);
  PERMI_UNROLL
  for (int k = 0; k < 4 * S::MOST_FOURS; k++)
    if (k < shared) {
      c[k] = w.both[128 * k + (int)a] + w.both[128 * (shared + k) + (int)b];
      zero |= D::lacking(c[k] ^ (S::SMALL ? 0x88888888u : w.table[shape.target() + k]));
    }
  if (!zero)
    D::add(w.power, sum, w.rest[leaf], w.product[a], w.product[128 + b],
           D::template product<4 * S::MOST_FOURS>(c, shared, w.table + shape.odd()));
}

/* Adds the leaves that wait. */
template <class S>
PERMI_BOTH void permi_signs_join(const S &shape, permi_signs_warp<S> &w)
{
  typedef permi_signs_warp<S> W;
  typedef permi_digits<S::SMALL> D;
  const int done = shape.word(3), words = shape.words() - done;
  unsigned pairs[W::LANES], end[W::LANES], size[W::LANES], at[W::LANES];
  int leaf[W::LANES];
  permi_together();
  for (int l = 0; l < W::LANES; l++) {
    const int lane = permi_lane(l);
    const int here = lane < w.leaves;
    unsigned c[4 * S::MOST_FOURS];
    size[l] = here ? w.range[4 * lane] : 0;
    at[l] = here ? w.range[4 * lane + 1] : 0;
    end[l] = pairs[l] = (size[l] & 65535u) * (size[l] >> 16);
    leaf[l] = 0;
    if (here) {
      PERMI_UNROLL
      for (int k = 0; k < 4 * S::MOST_FOURS; k++)
        if (k < words)
          c[k] = w.leaf[33 * (done + k) + lane];
      w.rest[lane] = D::times(D::one(w.leaf[33 * shape.words() + lane] & 1u),
                              D::template product<4 * S::MOST_FOURS>(c, words, w.table + shape.odd() + done));
    }
  }
  permi_signs_scan<W::LANES>(end, 32);
  const unsigned all = permi_shuffle(end, 31);
  for (int l = 0; l < W::LANES; l++) {
    const int lane = permi_lane(l);
    if (lane < w.leaves) { /* a quotient by size b is the high word of (number + 1) (2^32 - 1) / b */
      w.range[4 * lane] = end[l];
      w.range[4 * lane + 1] = end[l] - pairs[l];
      w.range[4 * lane + 2] = 0xffffffffu / (size[l] >> 16);
      w.range[4 * lane + 3] = (at[l] & 255u) | (at[l] >> 16) << 8 | (size[l] >> 16) << 16;
    }
    PERMI_ROLLED
    for (int i = lane; i < w.items[0]; i += 32)
      permi_signs_item<S, 0>(shape, w, i);
    PERMI_ROLLED
    for (int i = lane; i < w.items[1]; i += 32)
      permi_signs_item<S, 1>(shape, w, i);
  }
  permi_together();
  for (int l = 0; l < W::LANES; l++) {
    PERMI_ROLLED
    for (unsigned number = (unsigned)permi_lane(l); number < all; number += 32)
      permi_signs_pair(shape, w, number, leaf[l], w.sum[l]);
  }
  permi_together();
  w.leaves = w.items[0] = w.items[1] = 0;
}

/* Lets a leaf wait; one with more patterns than there is room for in 16 parts. Returns how many: 0 or 16. */
template <class S>
PERMI_BOTH unsigned permi_signs_leaf(const S &shape, permi_signs_warp<S> &w, const unsigned *count,
                                     const unsigned *alive)
{
  typedef permi_signs_warp<S> W;
  unsigned set[W::LANES], upto[W::LANES];
  int parts = 0;
  PERMI_ROLLED
  for (int part = -1; part < parts; part++) {
    for (int l = 0; l < W::LANES; l++) {
      const int lane = permi_lane(l);
      set[l] = part < 0 || (lane & 15) >> 2 == (lane < 16 ? part & 3 : part >> 2) ? alive[l] : 0;
      upto[l] = (unsigned)permi_ones(set[l]);
    }
    permi_signs_scan<W::LANES>(upto, 16);
    const int size0 = (int)permi_shuffle(upto, 15), size1 = (int)permi_shuffle(upto, 31);
    if (size0 > W::MOST || size1 > W::MOST)
      parts = 16;
    if (size0 == 0 || size1 == 0 || size0 > W::MOST || size1 > W::MOST)
      continue;
    if (w.leaves == 32 || w.items[0] + size0 > W::MOST || w.items[1] + size1 > W::MOST)
      permi_signs_join(shape, w);
    for (int l = 0; l < W::LANES; l++) {
      const int lane = permi_lane(l);
      int at = (lane < 16 ? w.items[0] : W::MOST + w.items[1]) + (int)upto[l] - permi_ones(set[l]);
      for (; set[l]; set[l] &= set[l] - 1)
        w.product[at++] = (typename W::value)(w.leaves << 9 | (lane & 15) << 5 | permi_ctz(set[l]));
      if (lane <= shape.words())
        w.leaf[33 * lane + w.leaves] = count[l];
      if (lane == 0) {
        w.range[4 * w.leaves] = (unsigned)(size0 | size1 << 16);
        w.range[4 * w.leaves + 1] = (unsigned)(w.items[0] | w.items[1] << 16);
      }
    }
    w.leaves++;
    w.items[0] += size0;
    w.items[1] += size1;
  }
  return (unsigned)parts;
}

/* Both signs of column k: count and alive become those of -, next and left those of +; bit b: sign b lives. */
template <class S>
PERMI_BOTH int permi_signs_step(const S &shape, const unsigned *t, int k, const unsigned *count, unsigned *alive,
                                unsigned *next, unsigned *left)
{
  typedef permi_digits<S::SMALL> D;
  const int words = shape.words();
  const unsigned begin = t[shape.start() + k], end = t[shape.start() + k + 1];
  bool zero[2][S::LANES];
  int lives = 3;
  for (int l = 0; l < S::LANES; l++) {
    const int lane = permi_lane(l);
    next[l] = count[l] + (lane <= words ? t[shape.column() + k * (words + 1) + lane] : 0u);
    left[l] = alive[l];
  }
  if (begin & 1u) {
    for (int l = 0; l < S::LANES; l++) {
      const int lane = permi_lane(l);
      const unsigned done = lane < words ? t[shape.done() + k * words + lane] : 0u;
      zero[0][l] = lane < words && D::lacking(count[l] ^ done);
      zero[1][l] = lane < words && D::lacking(next[l] ^ done);
    }
    lives = (permi_ballot(zero[0]) ? 0 : 1) | (permi_ballot(zero[1]) ? 0 : 2);
  }
  PERMI_ROLLED
  for (unsigned i = begin >> 1; i < end >> 1; i++)
    for (int l = 0; l < S::LANES; l++) {
      const int lane = permi_lane(l);
      const uint4 cut = ((const uint4 *)(t + shape.cut()))[2 * i + (lane >> 4)];
      const unsigned digit = permi_shuffle(count, (int)(cut.y >> 8)) >> (cut.y & 31u) & D::MASK;
      const unsigned at = cut.x + cut.z * digit + (lane & 15);
      alive[l] &= t[at];
      left[l] &= t[at + cut.w];
    }
  for (int l = 0; l < S::LANES; l++) {
    zero[0][l] = alive[l] != 0;
    zero[1][l] = left[l] != 0;
  }
  const unsigned any0 = permi_ballot(zero[0]), any1 = permi_ballot(zero[1]);
  return lives & ((any0 & 0xffffu && any0 >> 16 ? 1 : 0) | (any1 & 0xffffu && any1 >> 16 ? 2 : 0));
}

/* Gives away the largest tree if a warp is idle and its slot has room; returns what waits then. */
template <class S>
PERMI_BOTH unsigned long long permi_signs_share(const S &shape, permi_signs_warp<S> &w, unsigned long long waiting,
                                                unsigned long long now)
{
  if (!waiting || permi_first(waiting) + 6 >= shape.prefix() ||
      permi_signs_counter(w.queue, PERMI_SIGNS_IDLE) <= permi_signs_counter(w.queue, PERMI_SIGNS_OFFERED))
    return waiting;
  const int k = permi_first(waiting);
  const unsigned long long path = (now & ((1ull << (k - 1)) - 1)) | 1ull << (k - 1);
  const unsigned long long tree = path | (unsigned long long)k << 58;
  const unsigned slot = (unsigned)(tree * 0x9e3779b97f4a7c15ull >> 32) % w.slots;
  unsigned done[S::LANES];
  for (int l = 0; l < S::LANES; l++)
    done[l] = permi_lane(l) == 0 &&
              permi_atomic_swap(w.queue + PERMI_SIGNS_OUT * slot + PERMI_SIGNS_GIVEN, ~0ull, tree) == ~0ull;
  if (!permi_shuffle(done, 0))
    return waiting;
  permi_signs_count(shape, w.queue, PERMI_SIGNS_OFFERED, 1);
  return waiting ^ 1ull << k;
}

/* Searches below the first `given` signs of path. */
template <class S>
PERMI_BOTH void permi_signs_search(const S &shape, permi_signs_warp<S> &w, unsigned long long path, int given)
{
  enum { LANES = S::LANES };
  unsigned kept[S::MOST_PREFIX][2][LANES]; /* of +, which waits */
  unsigned count[LANES], alive[LANES], next[LANES], left[LANES], of[LANES], set[LANES];
  unsigned long long waiting = 0, now = 0;
  unsigned turns = 0;
  int k = 0;
  for (int l = 0; l < LANES; l++) {
    const int lane = permi_lane(l);
    count[l] = lane <= shape.words() ? w.table[shape.root() + 32 + lane] : 0u;
    alive[l] = w.table[shape.root() + lane];
  }
  PERMI_ROLLED
  for (;;) {
    int lives = permi_signs_step(shape, w.table, k, count, alive, next, left);
    if (k < given)
      lives &= path >> k & 1 ? 2 : 1;
    if (++k == shape.prefix()) {
      PERMI_ROLLED
      for (int sign = 0; sign < 2; sign++)
        if (lives >> sign & 1) {
          for (int l = 0; l < LANES; l++) {
            of[l] = sign ? next[l] : count[l];
            set[l] = sign ? left[l] : alive[l];
          }
          turns += permi_signs_leaf(shape, w, of, set); /* a large one takes long */
        }
      lives = 0;
    }
    if (lives == 3) {
      waiting |= 1ull << k;
      for (int l = 0; l < LANES; l++) {
        kept[k - 1][0][l] = next[l];
        kept[k - 1][1][l] = left[l];
      }
    } else if (lives == 2) {
      now |= 1ull << (k - 1);
      for (int l = 0; l < LANES; l++) {
        count[l] = next[l];
        alive[l] = left[l];
      }
    } else if (lives == 0) {
      if (++turns >= 16) {
        turns = 0;
        waiting = permi_signs_share(shape, w, waiting, now);
      }
      if (!waiting)
        break;
      k = permi_last(waiting);
      waiting ^= 1ull << k;
      now = (now & ((1ull << (k - 1)) - 1)) | 1ull << (k - 1);
      for (int l = 0; l < LANES; l++) {
        count[l] = kept[k - 1][0][l];
        alive[l] = kept[k - 1][1][l];
      }
    }
  }
}

/* Does tasks, prefixes from `first` on and the signs of `more` columns, then what others give away, until all idle. */
template <class S>
PERMI_BOTH void permi_signs_work(const S &shape, permi_signs_warp<S> &w, unsigned long long first, unsigned tasks)
{
  const unsigned long long *path = (const unsigned long long *)(w.table + shape.path());
  permi_signs_count(shape, w.queue, PERMI_SIGNS_WARPS, 1);
  PERMI_ROLLED
  for (int idle = 0;;) {
    unsigned long long tree = ~0ull;
    if (!idle) {
      const unsigned i = permi_signs_count(shape, w.queue, PERMI_SIGNS_TASKS, 1);
      if (i < tasks)
        tree = path[first + (i >> shape.more())] |
               (unsigned long long)(i & ((1u << shape.more()) - 1u)) << shape.depth() |
               (unsigned long long)(shape.depth() + shape.more()) << 58;
    }
    if (tree == ~0ull) {
      idle = 1;
      permi_signs_count(shape, w.queue, PERMI_SIGNS_IDLE, 1);
      PERMI_ROLLED
      for (;;) {
        const unsigned waits = permi_signs_counter(w.queue, PERMI_SIGNS_IDLE);
        const unsigned all = permi_signs_counter(w.queue, PERMI_SIGNS_WARPS);
        if (permi_signs_counter(w.queue, PERMI_SIGNS_OFFERED)) {
          permi_signs_count(shape, w.queue, PERMI_SIGNS_IDLE, -1);
          tree = permi_signs_receive(shape, w);
          if (tree != ~0ull)
            break;
          permi_signs_count(shape, w.queue, PERMI_SIGNS_IDLE, 1);
        } else if (waits >= all) {
          break;
        }
        permi_pause();
      }
    }
    if (tree == ~0ull)
      break;
    permi_signs_search(shape, w, tree & ((1ull << 58) - 1), (int)(tree >> 58));
  }
  permi_signs_join(shape, w);
}

/* Makes powers of 3 in 4 words. */
PERMI_BOTH void permi_signs_power(unsigned *power, int k)
{
  unsigned x[4] = {1, 0, 0, 0};
  for (; k > 0; k--) {
    unsigned long long carry = 0;
    for (int i = 0; i < 4; i++) {
      carry += 3ull * x[i];
      x[i] = (unsigned)carry;
      carry >>= 32;
    }
  }
  for (int i = 0; i < 4; i++)
    power[i] = x[i];
}

/* Carries between the words of 32 bits. */
PERMI_BOTH void permi_signs_finish(const unsigned long long *total, double *out)
{
  unsigned long long carry = 0;
  for (int k = 0; k < 6; k += 2) {
    carry += total[k];
    const unsigned long long word = carry & 0xffffffffull;
    carry = (carry >> 32) + total[k + 1];
    out[k / 2] = permi_of_bits((long long)(word | carry << 32));
    carry >>= 32;
  }
}

/* Table: see perm_gpu_signs. */
template <class S>
__device__ __forceinline__ void permi_signs_chunk(const S &shape, const permi_arguments<1> &a)
{
  extern __shared__ double2 permi_shared[];
  __shared__ unsigned long long total[6];
  unsigned *shared = (unsigned *)permi_shared;
  const unsigned *table = (const unsigned *)a.table;
  const unsigned long long *begin = (const unsigned long long *)(table + shape.path()) + shape.paths() + a.first;
  permi_signs_warp<S> w;
  w.queue = (unsigned long long *)a.out;
  w.slots = gridDim.x;
  if (threadIdx.x < 65)
    permi_signs_power(shared + 4 * threadIdx.x, (int)threadIdx.x);
  if (threadIdx.x < 6)
    total[threadIdx.x] = 0;
  __syncthreads();
  permi_signs_begin(shape, w, table, shared, (int)(threadIdx.x >> 5));
  permi_signs_work(shape, w, begin[0], (unsigned)(begin[gridDim.x] - begin[0]) << shape.more());
  PERMI_UNROLL
  for (int k = 0; k < 6; k++)
    if (w.sum[0][k])
      atomicAdd(total + k, (unsigned long long)w.sum[0][k]);
  __syncthreads();
  if (threadIdx.x == 0)
    permi_signs_finish(total, a.out + PERMI_SIGNS_OUT * blockIdx.x);
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
