"""Checks a proof of a permanent, made by `perm --prove`: python3 perm_verify.py MATRIX PROOF

MATRIX: rows of integers as text, or Matrix Market but complex. Prints the permanent and the probability that a false
proof passes, or why it is refused. What P is: perm_verify.c. Less than a second at n = 20; nothing of perm is used.
"""
import decimal, itertools, math, secrets, struct, sys  # SPDX-License-Identifier: MIT
BASES, SIGNS = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37), {"general": 0, "symmetric": 1, "skew-symmetric": -1}

def require(condition, why):
    return condition or sys.exit("perm_verify: refused: " + why)

def whole(word):
    require(not (x := decimal.Decimal(word)) or -2**63 <= x < 2**63 and x == int(x), "no integer below 2^63: " + word)
    return int(x or 0)

def read(name):
    lines = [line.lower().replace(",", " ").replace(";", " ").split() for line in open(name, encoding="utf-8-sig")]
    size, *items = [line for line in lines if line and line[0][0] not in "%#"]
    if lines[0][:1] != ["%%matrixmarket"]:
        return [[whole(x) for x in row] for row in [size, *items]]
    orders, (kind, layout, field, symmetry), sign = range(int(size[0])), lines[0][1:], SIGNS[lines[0][-1]]
    words = {"matrix": 0}[kind] + {"array": 0, "coordinate": 2}[layout] + {"pattern": 0, "integer": 1, "real": 1}[field]
    a = dict.fromkeys((i, j) for j in orders for i in orders if not sign or i - j >= (sign < 0))  # as arrays list them
    require(len(items) == int([*size, len(a)][2]) and size[1] == size[0], "it has not the entries of a square matrix")
    for place, item in zip([(int(x[0]) - 1, int(x[1]) - 1) for x in items] if words > 1 else list(a), items):
        require(a.get(place, 0) is None and len(item) == words, "an entry outside or twice: " + " ".join(item))
        a[place] = 1 if field == "pattern" else whole(item[-1])
    return [[a[i, j] or 0 if (i, j) in a else sign * (a.get((j, i)) or 0) for j in orders] for i in orders]

def mix(words, h=14695981039346656037):
    for x in words:
        y = (h ^ x & 2**64 - 1) * 0x9e3779b97f4a7c15 & 2**64 - 1
        h = y ^ y >> 29
    return h

def is_prime(p):
    chains = ([pow(b, p - 1 >> k, p) for k in range((p - 1 & 1 - p).bit_length() - 1, -1, -1)] for b in BASES)
    return p > 37 and p % 2 == 1 and all(c[0] == 1 or p - 1 in c[:-1] for c in chains)

def lagrange(t, last, p):  # the weights at t of values at 0 .. last
    before, after, under = (list(itertools.accumulate(x, lambda y, z: y * z % p, initial=1)) for x in (
        (t - k for k in range(last)), (t - k for k in range(last, 0, -1)), (pow(k, -1, p) for k in range(1, last + 1))))
    return [(-1)**(last - k) * before[k] * after[last - k] * under[k] * under[last - k] % p for k in range(last + 1)]

def by_formula(a, t, p):
    n, h, weight = len(a), len(a) // 2, lagrange(t, 2**(len(a) // 2) - 1, p)
    d = [sum(-w if s >> j & 1 else w for s, w in enumerate(weight)) % p for j in range(h)]
    signs = sum(-w if bin(s).count("1") & 1 else w for s, w in enumerate(weight)) % p
    rows = [((sum(x * y for x, y in zip(row, d)) + row[h]) % p, row[h + 1:]) for row in a]
    return signs * sum(math.prod(v) * math.prod(x + sum(y * s for y, s in zip(row, v)) for x, row in rows) % p
                       for v in itertools.product((1, -1), repeat=n - h - 1)) % p

def main(matrix, proof):
    a, data, value, product = read(matrix), open(proof, "rb").read(), 0, 1
    require((n := len(a)) and all(len(row) == n for row in a), "the matrix is not square")
    require(len(data) % 8 == 0 and len(data) >= 56 and data[:8] == b"\x89PROOF\r\n", "no proof, or cut short")
    word = struct.unpack(f"<{len(data) // 8}Q", data)
    count, primes, d = word[4] >> 32, word[6:6 + (word[4] >> 32)], (n + 1) * (2**(n // 2) - 1)
    require(word[1] == 1 | n << 32 and word[4] & 2**32 - 1 == 1, "not of format 1, or of another order of matrix")
    require(word[2] == len(data) and len(word) == 7 + count * (d + 2) and word[5] == d + 1, "cut short or extended")
    require(word[-1] == mix(word[:-1]), "damaged: its checksum is wrong")
    require(word[3] == mix([4 * n + 1] + [x for row in a for x in row]), "of another matrix")
    require(len(set(primes)) == count and all(2**40 < p < 2**50 and is_prime(p) for p in primes), "not distinct primes")
    require(math.prod(primes) > 2 * min(math.prod(sum(map(abs, x)) for x in b) for b in (a, zip(*a))), "too few primes")
    for k, p in enumerate(primes):
        listed = word[6 + count + k * (d + 1):][:d + 1]
        require(max(listed) < p, "a value is not below its modulus")
        for t in (secrets.randbelow(p), secrets.randbelow(p)):
            at = sum(w * x for w, x in zip(lagrange(t, d, p), listed)) % p
            require(at == by_formula([[x % p for x in row] for row in a], t, p), f"a value modulo {p} is wrong")
        value += product * ((sum(listed[:2**(n // 2)]) * pow(2**(n - 1), -1, p) - value) * pow(product, -1, p) % p)
        product *= p
    print(value - product if 2 * value > product else value)
    print(f"a false proof passes with a probability of at most {(d / min(primes))**2:.1e}")

if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except (ValueError, OSError, TypeError, LookupError, ArithmeticError) as error:
        sys.exit(f"perm_verify: {error}; MATRIX: integer rows, Matrix Market but complex, which perm_verify.c reads")
