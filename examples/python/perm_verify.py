"""Checks a proof of a permanent, made by `perm --prove`: python3 perm_verify.py MATRIX PROOF
MATRIX: rows of integers, or Matrix Market as of `perm --write`, not complex. Prints the permanent and the probability
that a false proof passes, or why it is refused. What P is: perm_verify.c. Nothing of perm is used."""
import decimal, itertools, math, re, secrets, struct, sys  # SPDX-License-Identifier: MIT
BASES, REAL = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37), r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,15})?"
KIND = "matrixmarket matrix coordinate (integer|pattern) general".replace(" ", "[ \t]+")

def require(condition, why):
    return condition or sys.exit("perm_verify: refused: " + why)

def whole(word, pattern):
    x = decimal.Decimal(word) if re.fullmatch(pattern, word) else 0.5
    return int(require(not x or -2**63 <= x < 2**63 and x == int(x), "no 64-bit integer: " + word[:20]) and (x or 0))

def read(name):
    text = re.sub(rb"\A\xef\xbb\xbf", b"", open(name, "rb").read()).lower().lstrip(b" \t").decode("latin-1")
    require(re.fullmatch("[\t\n\r -~]*", text), "the matrix is no ASCII text")
    market = text.startswith("%%matrix")
    require(market or not re.search("(?m)^[ \t]*[%#].*(matrix|market)", text), "a comment that may be a banner")
    lines = re.findall(f"(?m)^[ \t]*(?![%{'#'[market:]}]|\r?$)([^ \t].*?)[ \t]*\r?$", text[2 * market:])
    mark = next((f"[ \t]*{x}[ \t]*" for x in ";," if not market and x in "".join(lines[:1])), "[ \t]+")
    kind = market and re.fullmatch(KIND, lines[0])
    require(kind or not market, "coordinate integer or pattern general only, as of `perm --write`; see perm_verify.c")
    a = [[whole(x, "[+-]?[0-9]+" if market else REAL) for x in re.split(mark, line)] for line in lines[market:]]
    if market:
        given = {(x[0], x[1]): [*x, 1][2] for x in a[1:] if len(x) == 2 + (kind[1] == "integer")}
        require(a and len(a[0]) == 3 and 0 < (n := a[0][0]) == a[0][1] < 45, "not square of order 1 to 44")
        require(len(given) == len(a) - 1 == a[0][2] and all(0 < i <= n for x in given for i in x), "outside or twice")
        return [[given.get((i, j), 0) for j in range(1, n + 1)] for i in range(1, n + 1)]
    require(0 < len(a) < 45 and all(len(row) == len(a) for row in a), "not n lines of n numbers each, n = 1 to 44")
    sizes = len(a) == 3 and a[0][2] == 2 and all(0 <= x <= y for row in a[1:] for x, y in zip(row, a[0][:2]))
    return require(not sizes, "3 rows, or coordinates of 2 entries? `perm --write` makes it Matrix Market") and a

def mix(words, h=14695981039346656037):
    for x in words:
        h = (y := (h ^ x & 2**64 - 1) * 0x9e3779b97f4a7c15 & 2**64 - 1) ^ y >> 29
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
    require(len(data) % 8 == 0 and len(data) >= 56 and data[:8] == b"\x89PROOF\r\n", "no proof, or cut short")
    word, n, d = struct.unpack(f"<{len(data) // 8}Q", data), len(a), (len(a) + 1) * (2**(len(a) // 2) - 1)
    count, primes = word[4] >> 32, word[6:6 + (word[4] >> 32)]
    require(word[-1] == mix(word[:-1]), "damaged: its checksum is wrong")
    head = (1 | n << 32, len(data), mix([4 * n + 1, *itertools.chain(*a)]), 1 | count << 32, d + 1)
    require(word[1:6] == head and 0 < count < 65 and len(word) == 7 + count * (d + 2), "of another matrix, or extended")
    require(all(2**40 < p < q and is_prime(p) for p, q in zip(primes, (2**50, *primes))), "not falling primes")
    require(math.prod(primes) > 2 * min(math.prod(sum(map(abs, x)) for x in b) for b in (a, zip(*a))), "too few primes")
    for k, p in enumerate(primes):
        require(max(listed := word[6 + count + k * (d + 1):][:d + 1]) < p, "a value is not below its modulus")
        for t in (secrets.randbelow(p), secrets.randbelow(p)):
            at = sum(w * x for w, x in zip(lagrange(t, d, p), listed)) % p
            require(at == by_formula([[x % p for x in row] for row in a], t, p), f"a value modulo {p} is wrong")
        value += product * ((sum(listed[:2**(n // 2)]) * pow(2**(n - 1), -1, p) - value) * pow(product, -1, p) % p)
        product *= p
    print(value - product if 2 * value > product else value)
    print(f"a false proof passes with a probability of at most {(d / min(primes))**2:.1e}")

if __name__ == "__main__":
    try:
        main(*require(len(sys.argv) == 3 and sys.argv[1:], "usage: perm_verify.py MATRIX PROOF"))
    except OSError as error:
        sys.exit(f"perm_verify: {error.filename}: {error.strerror}")
