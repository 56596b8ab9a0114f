"""Permanents on PyPI beside perm.py, one run: seconds and relative errors, as Markdown and as bench.svg.

Run:  make bench-python        (makes build/venv with numpy and the others)
      python3 bench.py [-o FILE.svg] [--limit SECONDS] [--threads 1,2]
      python3 bench.py --calls        # what a small call of perm.py costs, by both of its forms
      python3 bench.py --scenes       # association probabilities of tracking, beside EHM2 of pyehm; needs scipy
      python3 bench.py --photons      # all outputs of interferometers, beside perceval and piquasso

One thread: processor seconds of the process, so that other programs matter less; more: seconds that pass. Times are of
whole calls from Python, least of several. Rivals that are not installed are left out, by name; one whose call took
longer than the limit is not asked for larger matrices. Entries are multiples of 2^-20 (complex: both parts), so that
the exact permanent is an integer over a power of two: computed without rounding by perm, and up to order 10 by sums of
Python's integers, which must agree."""
import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time

ORDERS = list(range(2, 13)) + list(range(14, 25, 2))
SHOWN = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]
KINDS = {"real": "real, U[-1,1]", "complex": "complex, Gaussian",
         "repeated": "complex, every row and column twice (n counts them all)"}
BITS = 20


# ---- one process, one number of threads

def exact_sum(a):
    """The permanent of rows of (real, imaginary) Python ints, over sets of used columns."""
    sums = {0: (1, 0)}
    for row in a:
        following = {}
        for used, (x, y) in sums.items():
            for j, (u, v) in enumerate(row):
                if not used >> j & 1:
                    p, q = following.get(used | 1 << j, (0, 0))
                    following[used | 1 << j] = p + x * u - y * v, q + x * v + y * u
        sums = following
    return sums[(1 << len(a)) - 1]


def matrix(kind, n):
    """The matrix of order n, and what is computed of it with multiplicities 2 (else None)."""
    import numpy as np
    random = np.random.default_rng(1000 + n)
    if kind == "real":
        whole = random.integers(-2**BITS, 2**BITS + 1, (n, n))
    else:
        size = n if kind == "complex" else n // 2
        whole = np.rint(random.normal(size=(size, size, 2)) * 2**(BITS - 1)) @ np.array([1, 1j])
    return whole / 2**BITS


def reference(perm, a, twice):
    """The exact permanent, rounded to a double (complex) once."""
    from fractions import Fraction
    import numpy as np
    size = len(a)
    counts = {"rows": [2] * size, "cols": [2] * size} if twice else {}
    value = perm.permanent((a + 0j) * 2**BITS, precision="exact", **counts)
    n = size * (2 if twice else 1)
    if n <= 10:
        full = np.repeat(np.repeat(a, 2, 0), 2, 1) if twice else a
        rows = [[(int(x.real * 2**BITS), int(x.imag * 2**BITS)) for x in row] for row in full.astype(complex)]
        assert exact_sum(rows) == tuple(value), (n, exact_sum(rows), value)
    return complex(float(Fraction(value.real, 2**(BITS * n))), float(Fraction(value.imag, 2**(BITS * n))))


def programs(threads):
    """{name: {kind: function of (matrix, repeated)}}, and what is missing."""
    import numpy as np
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import perm
    table, missing = {}, []
    twice = lambda a: np.full(len(a), 2, np.int32)
    full = lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)
    double = lambda a: perm.permanent(a, precision="dd")
    table["perm"] = {"real": perm.permanent, "complex": perm.permanent,
                     "repeated": lambda a: perm.permanent(a, rows=twice(a), cols=twice(a))}
    table["perm, dd"] = {"real": double, "complex": double}

    def rival(distribution, module, *forms):
        try:
            package = importlib.import_module(module)
            table.update((name, form(package)) for name, form in forms)
        except (ImportError, AttributeError) as error:
            missing.append("%s (%s)" % (distribution, error))
    rival("thewalrus", "thewalrus", ("The Walrus", lambda walrus: {
        "real": walrus.perm, "complex": walrus.perm,
        "repeated": lambda a: walrus.permanent_repeated(a, twice(a).tolist())}), ("The Walrus, Ryser", lambda walrus: {
            **dict.fromkeys(("real", "complex"), lambda a: walrus.perm(a, method="ryser")),
            "repeated": lambda a: walrus.perm(full(a))}))
    once = lambda a: np.ones(len(a), np.int32)
    rival("piquasso", "piquasso._math.permanent", ("Piquasso", lambda piquasso: {
        "complex": lambda a: piquasso.permanent(a, once(a), once(a)),
        "repeated": lambda a: piquasso.permanent(a, twice(a), twice(a))}))
    rival("perceval-quandela", "exqalibur", ("Perceval (exqalibur)", lambda exqalibur: {
        "real": exqalibur.permanent_fl, "complex": exqalibur.permanent_cx,
        "repeated": lambda a: exqalibur.permanent_cx(full(a))}))
    if "exqalibur" in sys.modules:
        sys.modules["exqalibur"].Config.compute_max_thread_count = threads  # the others read the environment
    rival("qc-permanent", "permanent", ("qc-permanent", lambda permanent: {
        "real": permanent.opt, "complex": permanent.opt, "repeated": lambda a: permanent.opt(full(a))}))
    return perm, table, missing


def seconds_of(function, a, limit, clock):
    """Least seconds of a call, over a twentieth of a second of them or three; and the value."""
    begin = clock()
    value = function(a)
    least, total, calls = clock() - begin, 0.0, 1
    while (total < 0.05 and calls < 10**5) or (calls < 3 and least < limit / 5):
        repeats = max(1, int(0.01 / max(least, 1e-7)))
        begin = clock()
        for _ in range(repeats):
            function(a)
        now = clock() - begin
        least, total, calls = min(least, now / repeats), total + now, calls + repeats
    return least, value


def measure(kind, n, functions, known, limit, clock, exact):
    """Adds to known[kind, n, name], or lowers its seconds; True: longer than the limit, or it failed."""
    over = set()
    a = matrix(kind, n)
    for name, function in functions.items():
        try:
            seconds, value = seconds_of(function, a, limit, clock)
        except Exception as error:
            print("%s, %s, n = %d: %r" % (name, kind, n, error), file=sys.stderr)
            over.add(name)
            continue
        one = known.setdefault((kind, n, name), {"kind": kind, "n": n, "name": name, "seconds": seconds,
                                                 "error": abs(complex(value) - exact) / abs(exact)})
        one["seconds"] = min(one["seconds"], seconds)
        if seconds > limit:
            over.add(name)
    return over


def child(threads, limit):
    """Calls of less than a hundredth of a second are measured four times, far apart: other programs come and go."""
    perm, table, missing = programs(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    known = {}
    for again in range(4):
        for kind in KINDS:
            functions = {name: forms[kind] for name, forms in table.items() if kind in forms}
            for function in functions.values():
                function(matrix(kind, 4))  # what is compiled at the first call is not counted
            for n in (n for n in ORDERS if kind != "repeated" or n % 2 == 0):
                if again:
                    functions = {name: function for name, function in functions.items()
                                 if (kind, n, name) in known and known[kind, n, name]["seconds"] < 0.01}
                exact = 1 if again else reference(perm, matrix(kind, n), kind == "repeated")
                for name in measure(kind, n, functions, known, limit, clock, exact):
                    del functions[name]
                print("%d thread%s, %s, n = %d" % (threads, "s"[:threads - 1], kind, n), file=sys.stderr)
    measured = list(known.values())
    versions = {}
    from importlib import metadata
    for package in ("numpy", "thewalrus", "numba", "piquasso", "perceval-quandela", "exqalibur", "qc-permanent"):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            pass
    json.dump({"measured": measured, "missing": missing, "versions": versions}, sys.stdout)


# ---- small calls

CALLS = {**dict.fromkeys(("array", "transposed", "memoryview", "complex", "list of lists", "integers",
                          "list of integers", "threads=1", "certify=True", "precision='dd'", "compute",
                          "stack of 100, each", "integers, stack of 100, each"), lambda perm, a: perm.permanent(a)),
         "transposed": lambda perm, a: perm.permanent(a.T),
         "memoryview": lambda perm, a, view=memoryview: perm.permanent(view(a)),
         "threads=1": lambda perm, a: perm.permanent(a, threads=1),
         "certify=True": lambda perm, a: perm.permanent(a, certify=True),
         "precision='dd'": lambda perm, a: perm.permanent(a, precision="dd"),
         "compute": lambda perm, a: perm.compute(a),
         "integers, loop over a stack of 100, each": lambda perm, a: [perm.permanent(one) for one in a]}


IMPORT = "import sys, time; %s; begin = time.process_time(); import perm; print(time.process_time() - begin)"


def child_calls():
    """Microseconds a call, medians of 21 batches that take a millisecond or so."""
    import statistics
    import numpy as np
    import perm
    measured = {}
    for name, function in CALLS.items():
        for n in (2, 4, 6, 8):
            a = np.random.default_rng(n).uniform(-1, 1, (n, n))
            a = np.rint(9 * a).astype(int) if "integers" in name else a
            a = a + 1j * a.T if name == "complex" else a.tolist() if "list" in name else a
            if "stack" in name:
                a = np.stack([a] * 100)
            begin = time.perf_counter()
            function(perm, a)
            calls, batches = max(1, int(1e-3 / max(time.perf_counter() - begin, 1e-6))), []
            for _ in range(21):
                begin = time.perf_counter()
                for _ in range(calls):
                    function(perm, a)
                batches.append((time.perf_counter() - begin) / calls)
            measured["%s %d" % (name, n)] = statistics.median(batches) * 1e6 / (100 if "stack" in name else 1)
    json.dump({"library": perm.LIBRARY, "measured": measured}, sys.stdout)


def calls():
    """A table of both forms: the extension module, and ctypes over the library in that file. Each call's least time in
    seven processes of its form, for other programs come and go."""
    forms = {}
    for form in ("extension", "ctypes") * 7:
        left_out = ("PERM_LIBRARY", "PYTHONDONTWRITEBYTECODE")  # modules have bytecode where they are installed
        environment = {**{n: v for n, v in os.environ.items() if n not in left_out}, "OMP_NUM_THREADS": "1"}
        if form == "ctypes" and forms:
            environment["PERM_LIBRARY"] = forms["extension"]["library"]
        run = subprocess.run([sys.executable, os.path.abspath(__file__), "--child-calls"], env=environment,
                             stdout=subprocess.PIPE, check=True)
        data = json.loads(run.stdout)
        least = forms.setdefault(form, data)["measured"]
        least.update((name, min(value, least[name])) for name, value in data["measured"].items())
    if "_perm" not in os.path.basename(forms["extension"]["library"]):
        print("no extension module: run `make python`; both columns are by ctypes")
    print("%s; Python %s; load average before %.1f, after %.1f\n" % (
        processor(), platform.python_version(), LOAD, os.getloadavg()[0]))
    print("| microseconds a call: extension (ctypes) | n = 2 | 4 | 6 | 8 |\n|---|---|---|---|---|")
    for name in CALLS:
        print("| %s | %s |" % (name, " | ".join("%.3g (%.3g)" % tuple(
            forms[form]["measured"]["%s %d" % (name, n)] for form in forms) for n in (2, 4, 6, 8))))
    for first in "sys.modules['numpy'] = None", "import numpy":
        print("\n%s; import perm: %.2g s of a processor" % (first, min(float(subprocess.check_output(
            [sys.executable, "-c", IMPORT % first], cwd=sys.path[0], env=environment)) for _ in range(7))))
    return 0


# ---- association probabilities of tracking: scenes

SCENES = [(20, 20), (30, 20), (40, 20), (60, 30), (100, 60), (30, 12), (40, 12), (50, 12), (1000, 160)]


def scene(targets, side, seed):
    """Weights of targets x measurements in a square, over clutter's, and of a miss."""
    import numpy as np
    random, seen, gate, clutter = np.random.default_rng(seed), 0.9, 3, 0.05
    places = random.uniform(0, side, (targets, 2))
    found = [place + random.normal(size=2) for place in places if random.random() < seen]
    found = np.array(found + [random.uniform(0, side, 2) for _ in range(random.poisson(clutter * side * side))])
    square = ((places[:, None] - found) ** 2).sum(-1)
    return np.where(square < gate * gate, seen * np.exp(-square / 2) / (2 * np.pi * clutter), 0), 1 - seen


def timed(function, times, limit=float("inf")):
    """Seconds of calls, none after one beyond the limit, and what the last returns."""
    seconds = []
    while len(seconds) < times and max(seconds, default=0) <= limit:
        begin = time.perf_counter()
        value = function()
        seconds.append(time.perf_counter() - begin)
    return seconds, value


def scenes(limit):
    """All marginals of scenes: perm's whole call from Python beside EHM2 of pyehm, if it is here; seeds 1 to 3."""
    import statistics
    import numpy as np
    import scipy.sparse
    import perm
    try:
        from pyehm.core import EHM2
    except ImportError:
        EHM2 = None

    print("%s; load average before %.1f%s\n" % (processor(), LOAD, "" if EHM2 else "; not here: pyehm"))
    print("| targets x measurements, seed | entries | first call | median of 9 | EHM2 | ratio | largest difference |\n"
          "|---|---|---|---|---|---|---|")
    dropped = set()
    for targets, side in SCENES:
        for seed in (1, 2, 3):
            weight, miss = scene(targets, side, seed)
            a = scipy.sparse.csr_matrix(np.hstack([weight, miss * np.eye(targets)]))
            first, _ = timed(lambda: perm.marginals(a), 1)
            warm, chance = timed(lambda: perm.marginals(a), 9)
            row = ["-"] * 3
            if EHM2 and side not in dropped:
                every = np.hstack([np.full((targets, 1), miss), weight])
                theirs, value = timed(lambda: EHM2().run((every > 0).astype(np.int32), every), 3, limit)
                if theirs[0] > limit:
                    dropped.add(side)  # the next would take minutes or hours
                ours = chance.toarray()
                ours = np.hstack([ours[:, len(weight[0]):].sum(1)[:, None], ours[:, :len(weight[0])]])
                row = [duration(min(theirs)), "%.3g" % (min(theirs) / statistics.median(warm)),
                       "%.1e" % abs(ours - value).max()]
            print("| %d x %d, %d | %d | %s | %s | %s |" % (*weight.shape, seed, a.nnz, duration(first[0]),
                  duration(statistics.median(warm)), " | ".join(row)), flush=True)
    return 0


# ---- all outputs of an interferometer

def photons(limit):
    """All probabilities: whole calls of perm from Python beside those of perceval and piquasso that are here."""
    import statistics
    import numpy as np
    import perm
    rivals = {}
    try:
        import perceval
        for name in ("SLOS", "SLAP"):
            def theirs(u, n, backend=getattr(perceval, name + "Backend")()):  # one: it keeps its graph of states
                backend.set_circuit(perceval.Unitary(perceval.Matrix(u)))
                backend.set_input_state(perceval.BasicState([1] * n + [0] * (len(u) - n)))
                return backend.all_prob()
            rivals["%s of perceval %s" % (name, perceval.__version__)] = theirs
    except ImportError:
        pass
    try:
        import piquasso

        def passive(u, n):
            with piquasso.Program() as program:
                piquasso.Q() | piquasso.NumberState([1] * n + [0] * (len(u) - n))
                piquasso.Q() | piquasso.Interferometer(u)
            simulator = piquasso.PassiveSimulator(d=len(u), config=piquasso.Config(cutoff=n + 1))
            return simulator.execute(program).state.fock_probabilities
        rivals["piquasso %s" % piquasso.__version__] = passive
    except ImportError:
        pass
    print("%s; load average before %.1f; one thread; medians of 5\n" % (processor(), LOAD))
    print("| photons/modes | outputs | perm | %s |\n|---|---|---%s|" % (" | ".join(rivals), "|---" * len(rivals)))
    dropped = set()
    for n, m in ((8, 8), (8, 16), (10, 10), (12, 12)):
        random = np.random.default_rng(m)
        u, upper = np.linalg.qr(random.normal(size=(m, m)) + 1j * random.normal(size=(m, m)))
        u = u * (np.diag(upper) / abs(np.diag(upper)))
        ours = lambda: perm.amplitudes(u[:, :n], probabilities=True, threads=1)
        first, warm, row = ours(), statistics.median(timed(ours, 5)[0]), []
        for name in rivals if len(dropped) < len(rivals) else ():
            if name in dropped:
                row.append("-")
                continue
            seconds, value = timed(lambda: rivals[name](u, n), 6, limit)  # the first is not counted
            dropped.update([name] * (seconds[0] > limit))
            value = np.asarray(value, float)[-len(first):]  # piquasso has those of fewer photons before
            median = statistics.median(seconds[1:] or seconds)
            row.append("%s: %.3g times; off %.0e" % (duration(median), median / warm,
                                                     abs(np.sort(value) - np.sort(first)).max()))
        print("| %d/%d | %d | %s | %s |" % (n, m, len(first), duration(warm), " | ".join(row)), flush=True)
    return 0


# ---- tables and picture

def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= size:
            return "%.3g %s" % (seconds / size, unit)
    return "0"


def tables(threads, measured):
    for kind, title in KINDS.items():
        of = {(m["name"], m["n"]): m for m in measured if m["kind"] == kind}
        names = list(dict.fromkeys(name for name, _ in of))
        print("\n| %s; %d thread%s | %s |" % (title, threads, "s"[:threads - 1], " | ".join(
            "n = %d" % n for n in SHOWN)))
        print("|---" * (len(SHOWN) + 1) + "|")
        for name in names:
            print("| %s | %s |" % (name, " | ".join(duration(of[name, n]["seconds"]) if (name, n) in of else ""
                                                    for n in SHOWN)))
            print("| &nbsp; error | %s |" % " | ".join("%.0e" % of[name, n]["error"] if (name, n) in of else ""
                                                         for n in SHOWN))


# Okabe and Ito's, which the colour-blind tell apart; perm is thick, its double-double dashed
COLOURS = ["#0072b2", "#0072b2", "#d55e00", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"]


def picture(file, measured, names, note=""):
    """Seconds against n, logarithmic, a panel a kind."""
    from math import ceil, log10
    from xml.sax.saxutils import escape
    width, height, left, top, apart = 280, 360, 80, 96, 36
    times = [log10(m["seconds"]) for m in measured]
    low, high = min(times) - 0.2, max(times) + 0.2
    x = lambda panel, n: left + panel * (width + apart) + (n - 2) * width / 22
    y = lambda seconds: top + (high - log10(seconds)) * height / (high - low)
    line = lambda k, name: 'stroke="%s" stroke-width="%g"%s' % (
        COLOURS[k % len(COLOURS)], 3.6 if name == "perm" else 2.2,
        ' stroke-dasharray="8 7"' if name.startswith("perm,") else "")
    text = lambda at_x, at_y, style, words: out.append('<text x="%.1f" y="%.1f" %s>%s</text>' % (
        at_x, at_y, style, escape(str(words))))
    bottom, end = top + height, left + len(KINDS) * (width + apart)
    tall = bottom + 92 + 26 * ((len(names) + 3) // 4) + (22 if note else 0)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="15" fill="#333333">' % (
               end, tall, end, tall), '<rect width="100%" height="100%" fill="#ffffff"/>']
    text(20, 34, 'font-size="19" font-weight="bold" fill="#222222"',
         "Permanents from Python: time of a call, one thread")
    out.append('<g transform="translate(24,%g) rotate(-90)">' % (top + height / 2))
    text(0, 0, 'text-anchor="middle" font-size="16"', "time of a call")
    out.append("</g>")
    for panel, (kind, title) in enumerate(KINDS.items()):
        text(x(panel, 2), top - 10, 'font-size="16" font-weight="bold" fill="#222222"',
             title.split(" (")[0].replace("complex, every", "every"))
        for power in range(ceil(low), ceil(high)):
            out.append('<path d="M%.1f %.1fH%.1f" stroke="#dddddd"/>' % (x(panel, 2), y(10**power), x(panel, 24)))
            if panel == 0 and power % 3 == 0:
                text(x(panel, 2) - 7, y(10**power) + 5, 'text-anchor="end"', duration(10**power).replace("u", "\u00b5"))
        for n in range(4, 25, 4):
            out.append('<path d="M%.1f %.1fV%.1f" stroke="#dddddd"/>' % (x(panel, n), top, bottom))
            text(x(panel, n), bottom + 21, 'text-anchor="middle"', n)
        text(x(panel, 13), bottom + 45, 'text-anchor="middle" font-size="16"', "order n of the matrix")
        for k, name in reversed(list(enumerate(names))):
            points = [(x(panel, m["n"]), y(m["seconds"])) for m in measured if m["kind"] == kind and m["name"] == name]
            out.append('<polyline fill="none" stroke-linejoin="round" %s points="%s"/>' % (
                line(k, name), " ".join("%.1f,%.1f" % p for p in points)))
        out.append('<rect x="%.1f" y="%d" width="%d" height="%d" fill="none" stroke="#777777"/>' % (
            x(panel, 2), top, width, height))
    for k, name in enumerate(names):
        at = left + (end - left) // 4 * (k % 4), bottom + 82 + 26 * (k // 4)
        out.append('<path d="M%g %gh30" %s/>' % (at[0], at[1], line(k, name)))
        text(at[0] + 38, at[1] + 5, 'fill="#222222"', name)
    if note:
        text(20, tall - 14, 'font-size="14" fill="#555555"', note)
    with open(file, "w", encoding="utf-8") as stream:
        stream.write("\n".join(out + ["</svg>"]) + "\n")


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            return next(line.split(":")[1].strip() for line in stream if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "bench.svg"))
    parser.add_argument("--limit", type=float, default=1, help="seconds a call after which a rival is dropped")
    parser.add_argument("--threads", default="1,%d" % (os.cpu_count() or 1), help="numbers of threads, the first drawn")
    parser.add_argument("--calls", action="store_true", help="only what small calls of perm.py cost, by both forms")
    parser.add_argument("--scenes", action="store_true", help="only association probabilities, beside EHM2")
    parser.add_argument("--photons", action="store_true", help="only all outputs of interferometers, beside SLOS")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--child-calls", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.calls or options.child_calls:
        return calls() if options.calls else child_calls()
    if options.scenes:
        return scenes(options.limit)
    if options.photons:
        return photons(options.limit)
    if options.child:
        return child(options.child, options.limit)
    for k, threads in enumerate(dict.fromkeys(int(word) for word in options.threads.split(","))):
        environment = dict(os.environ)
        for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[name] = str(threads)
        run = subprocess.run([sys.executable, os.path.abspath(__file__), "--child", str(threads), "--limit",
                              str(options.limit)], env=environment, stdout=subprocess.PIPE, check=True)
        data = json.loads(run.stdout)
        if k == 0:
            print("%s; Python %s; %s; load average before %.1f, after %.1f" % (
                processor(), platform.python_version(), ", ".join("%s %s" % pair for pair in data["versions"].items()),
                LOAD, os.getloadavg()[0]))
            for name in data["missing"]:
                print("not here: " + name)
            names = list(dict.fromkeys(m["name"] for m in data["measured"]))
            picture(options.output, data["measured"], names, "%s, %s; make bench-python" % (
                processor(), time.strftime("%Y-%m-%d", time.gmtime())))
        tables(threads, data["measured"])
        sys.stdout.flush()
    return 0


LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
