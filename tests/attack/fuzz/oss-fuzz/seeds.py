#!/usr/bin/env python3
"""Seeds for the reader's fuzzer: matrices that `perm --generate` makes, in every format that perm reads.

    seeds.py PERM DIRECTORY
"""
import os
import struct
import subprocess
import sys
import tempfile

SPECS = ["ones:3", "uniform:4", "symmetric-uniform:3", "complex-gauss:3", "bernoulli:4", "er:5:0.5", "regular:8:3", "band:7:2",
         "grid:2:4", "derangements:5", "projective:2", "tree:6"]


def entries_of(perm, spec, seed):
    """(m, n, field, {(row, column): text}), or None where this perm has no such generator."""
    with tempfile.TemporaryDirectory() as room:
        path = os.path.join(room, "a.mtx")
        done = subprocess.run([perm, "--generate", spec, "--seed", str(seed), "--write", path], capture_output=True)
        if done.returncode or not os.path.exists(path):
            return None
        lines = [line for line in open(path) if not line.startswith("%") or line.startswith("%%")]
    field = lines[0].split()[3]
    m, n = (int(x) for x in lines[1].split()[:2])
    a = {}
    for line in lines[2:]:
        words = line.split()
        a[int(words[0]) - 1, int(words[1]) - 1] = " ".join(words[2:]) or "1"
    return m, n, field, a


def six_bits(bits):
    bits = bits + [0] * (-len(bits) % 6)
    return bytes(63 + int("".join(map(str, bits[k:k + 6])), 2) for k in range(0, len(bits), 6))


def npy(m, n, descr, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (descr, m, n)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + values


def formats_of(m, n, field, a):
    """Name and bytes of the same matrix, or of its pattern, in each format."""
    rows = [[a.get((i, j), "0") for j in range(n)] for i in range(m)]
    if field == "complex":
        rows = [[x.replace(" ", "+").replace("+-", "-") + "j" if " " in x else x for x in row] for row in rows]
    yield "rows.txt", "".join(" ".join(row) + "\n" for row in rows).encode()
    yield "rows.csv", "".join(",".join(row) + "\n" for row in rows).encode()
    yield "coordinates.txt", ("%d %d %d\n" % (m, n, len(a)) +
                              "".join("%d %d %s\n" % (i + 1, j + 1, x) for (i, j), x in a.items())).encode()
    yield "market.mtx", ("%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n" % (field, m, n, len(a)) +
                         "".join("%d %d %s\n" % (i + 1, j + 1, "" if field == "pattern" else x)
                                 for (i, j), x in a.items())).encode()
    names = ["c%d" % j for j in range(n)]
    yield "header.csv", (",".join(names) + "\n" + "".join(",".join(row) + "\n" for row in rows)).encode()
    yield "index.csv", ("," + ",".join(names) + "\n" +
                        "".join("%d,%s\n" % (i, ",".join(row)) for i, row in enumerate(rows))).encode()
    yield "names.txt", ("".join('"%s" ' % x for x in names) + "\n" +
                        "".join('"r %d" %s\n' % (i, " ".join(row)) for i, row in enumerate(rows))).encode()
    yield "units.txt", (" ".join("ij"[j % 2] for j in range(n)) + "\n" +
                        "".join(" ".join(row) + "\n" for row in rows)).encode()
    if field == "complex":
        values = [[float(x) for x in (a.get((i, j), "0 0") + " 0").split()[:2]] for i in range(m) for j in range(n)]
        yield "c16.npy", npy(m, n, "<c16", b"".join(struct.pack("<dd", *x) for x in values))
        return
    values = [float(a.get((i, j), "0")) for i in range(m) for j in range(n)]
    yield "f8.npy", npy(m, n, "<f8", struct.pack("<%dd" % len(values), *values))
    yield "f4.npy", npy(m, n, ">f4", struct.pack(">%df" % len(values), *values))
    yield "fractions.txt", "".join(" ".join("%d/%d" % (x * 1024, 3 + j) for j, x in enumerate(values[i * n:(i + 1) * n])) +
                                   "\n" for i in range(m)).encode()
    if m != n or n > 62:
        return
    at = [[int((i, j) in a) for j in range(n)] for i in range(n)]
    yield "graph.g6", bytes([63 + n]) + six_bits([at[i][j] | at[j][i] for j in range(n) for i in range(j)]) + b"\n"
    yield "graph.d6", b"&" + bytes([63 + n]) + six_bits([x for row in at for x in row]) + b"\n"
    k, bits, v = max(1, (n - 1).bit_length()), [], 0
    for j in range(n):
        for i in range(j + 1):
            if at[i][j] | at[j][i]:
                numbers = [(0, i)] if v == j else [(1, i)] if v == j - 1 else [(1, j), (0, i)]
                v = j
                for b, x in numbers:
                    bits += [b] + [x >> s & 1 for s in range(k - 1, -1, -1)]
    yield "graph.s6", b":" + bytes([63 + n]) + six_bits(bits + [1] * (-len(bits) % 6)) + b"\n"
    edges = [(i, j) for j in range(n) for i in range(j) if at[i][j] | at[j][i]]
    yield "graph.col", ("c seed\np edge %d %d\n" % (n, len(edges)) +
                        "".join("e %d %d\n" % (i + 1, j + 1) for i, j in edges)).encode()


def main():
    perm, directory = sys.argv[1:]
    written = 0
    for number, spec in enumerate(SPECS):
        made = entries_of(perm, spec, number + 1)
        for name, data in formats_of(*made) if made else ():
            with open(os.path.join(directory, "%s-%s" % (spec.replace(":", "_"), name)), "wb") as file:
                file.write(data)
            written += 1
    if written < 40:
        sys.exit("only %d seeds" % written)


main()
# SPDX-License-Identifier: MIT
