"""Checks a proof of a permanent, made by `perm --prove`: python3 perm_verify.py MATRIX PROOF

MATRIX: rows of integers as text. Prints the permanent and the probability that a false proof passes, or exits with why
it is refused. What P is: examples/perm_verify.c. Less than a second at n = 20; nothing of perm is used.
"""
import math, secrets, struct, sys  # SPDX-License-Identifier: MIT
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)

def require(condition, why):
    if not condition:
        sys.exit("perm_verify: refused: " + why)

def mix(words, h=14695981039346656037):
    for x in words:
        y = (h ^ x & 2**64 - 1) * 0x9e3779b97f4a7c15 & 2**64 - 1
        h = y ^ y >> 29
    return h

def is_prime(p):
    chains = ([pow(b, p - 1 >> k, p) for k in range((p - 1 & 1 - p).bit_length() - 1, -1, -1)] for b in BASES)
    return p > 37 and p % 2 == 1 and all(c[0] == 1 or p - 1 in c[:-1] for c in chains)

def lagrange(t, last, p):
    """The weights at t of values at 0 .. last."""
    before, after, factorial = [1], [1], [1]
    for k in range(last):
        before.append(before[-1] * (t - k) % p)
        after.append(after[-1] * (t - last + k) % p)
        factorial.append(factorial[-1] * (k + 1) % p)
    under = [pow(factorial[-1], -1, p)]
    for k in range(last, 0, -1):
        under.append(under[-1] * k % p)  # of (k - 1)!
    under.reverse()
    return [(-1)**(last - k) * before[k] * after[last - k] * under[k] * under[last - k] % p for k in range(last + 1)]

def by_formula(a, t, p):
    n, h, weight, total = len(a), len(a) // 2, lagrange(t, 2**(len(a) // 2) - 1, p), 0
    d = [sum(-w if s >> j & 1 else w for s, w in enumerate(weight)) % p for j in range(h)]
    signs = sum(-w if bin(s).count("1") & 1 else w for s, w in enumerate(weight)) % p
    fixed = [(sum(x * y for x, y in zip(row, d)) + row[h]) % p for row in a]
    for v in range(2**(n - h - 1)):
        plus = [-1 if v >> j & 1 else 1 for j in range(n - h - 1)]
        product = math.prod(plus)
        for x, row in zip(fixed, a):
            product = product * (x + sum(y if s > 0 else -y for s, y in zip(plus, row[h + 1:]))) % p
        total += product
    return total * signs % p

def main(matrix, proof):
    a = [[int(x) for x in line.replace(",", " ").split()] for line in open(matrix) if line.strip()]
    data, n = open(proof, "rb").read(), len(a)
    require(n and all(len(row) == n for row in a), "the matrix is not square")
    require(len(data) % 8 == 0 and len(data) >= 56 and data[:8] == b"\x89PROOF\r\n", "no proof, or cut short")
    word = struct.unpack(f"<{len(data) // 8}Q", data)
    count, d = word[4] >> 32, (n + 1) * (2**(n // 2) - 1)
    require(word[1] == 1 | n << 32 and word[4] & 2**32 - 1 == 1, "not of format 1, or of another order of matrix")
    require(word[2] == len(data) and len(word) == 7 + count * (d + 2) and word[5] == d + 1, "cut short or extended")
    require(word[-1] == mix(word[:-1]), "damaged: its checksum is wrong")
    require(word[3] == mix([4 * n + 1] + [x for row in a for x in row]), "of another matrix")
    primes, value, product = word[6:6 + count], 0, 1
    require(len(set(primes)) == count and all(2**40 < p < 2**50 and is_prime(p) for p in primes), "not distinct primes")
    bound = min(math.prod(sum(map(abs, line)) for line in lines) for lines in (a, zip(*a)))
    require(math.prod(primes) > 2 * bound, "the primes are too few")
    for k, p in enumerate(primes):
        listed = word[6 + count + k * (d + 1):][:d + 1]
        require(max(listed) < p, "a value is not below its modulus")
        for t in (secrets.randbelow(p), secrets.randbelow(p)):
            at = sum(w * x for w, x in zip(lagrange(t, d, p), listed)) % p
            require(at == by_formula([[x % p for x in row] for row in a], t, p), f"a value modulo {p} is wrong")
        part = sum(listed[:2**(n // 2)]) * pow(2**(n - 1), -1, p) % p
        value += product * ((part - value) * pow(product, -1, p) % p)
        product *= p
    print(value - product if 2 * value > product else value)
    print(f"a false proof passes with a probability of at most {(d / min(primes))**2:.1e}")

if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except (ValueError, OSError, TypeError) as error:
        sys.exit(f"perm_verify: {error}; MATRIX is rows of integers as text, perm_verify.c reads Matrix Market too")
