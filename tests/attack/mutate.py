#!/usr/bin/env python3
"""Mutation testing: does a test notice when a room is wrong?

Usage: tests/attack/mutate.py [--rooms NAME,...] [--count 2000] [--seed 1] [--jobs CORES] [--one NAME] [--show]
                              [-o FILE] [--skip FILE] [--cc COMPILER]
  --rooms   parts of names of rooms (exact/limbs, matrix/); without it all of ROOMS
  --count   seeded mutants, shared among the rooms by their numbers of candidates
  --one     mutants of any seed by the names that the list of survivors has; with --show their text, without a run
  --golden  0: without the golden record
  --tests   these tests alone: what a new test kills of those that lived
  --cc      the compiler, `cc -O0`; -O1 compiles longer and tests faster; what lives may be tried again with the
            sanitizers of make check-sanitize and the same -o
  -o        where results go, a line for each mutant: name, fate, function, old and new text. What an earlier run with
            the same seed wrote there is known: only what lived, and what is missing, is tried again
  --skip    results of an earlier run: what they have is not tried, not even what lived; the table has it all the same

A mutant is one change inside the body of one function: an operator, a constant, a dropped term, a negated condition, a
deleted statement. All mutants of a room are one program: each changed function has its other bodies beside it, and
the environment's PERM_MUTANT says which one runs. So the compiler runs once a room and not once a mutant; mutants that
it refuses are not counted, nor is `return 2;` for `return 1;`: others are drawn for them. What stands outside of
functions (tables, macros) is not mutated.

A mutant meets the room's own tests, those of tests/unit/t_*.c whose opening has the room's tag; then those of
WIDER; then every 16th problem of the golden record. It is killed by a failed check, a crash, or by taking over three
times as long as the right program does. Survivors are listed with place and text, except those of
tests/attack/mutants.txt, which says why no test can tell them from the right program.
The last line is `N passed, N failed, N skipped`: a room passes with 95 % of its mutants killed or explained."""
import argparse
import concurrent.futures
import hashlib
import os
import queue
import re
import resource
import shutil
import subprocess
import sys
import time

ROOMS = ('exact/exact exact/limbs exact/residues exact/small_exact dense/bounds dense/plan job/state '
         'job/checkpoint plan/judge plan/offers sparse/choose formats/read formats/market formats/plain_text '
         'formats/graph formats/numpy matrix/matrix').split()
WIDER = {  # files of tests that rooms of a folder meet beside those that name them
    'exact': '', 'job': '',
    'dense': 't_dense t_dense_complex t_scale t_bounds t_job',
    'plan': 't_dense t_job t_parts t_dense_complex t_arguments t_counts t_counts_rectangular t_exact',
    'sparse': 't_reach t_classes t_arguments t_limits',
    'matrix': 't_io t_formats t_matrix',
    'formats': 't_io t_formats t_matrix',
}
SLOW = '''t_exact_every_number_of_limbs t_exact_long_products t_exact_matches_the_oracle
          t_planar_long_integers t_last_chunk_at_orders_63_and_64 t_job_range t_another_scheduler
          t_checkpoint_faults_of_runs t_cancelled_rerun_keeps_the_result t_every_kernel_matches_double_double
          t_splits_of_every_form_give_the_same_bits t_sparse_long_permanents_modulo t_sparse_bcsstk01
          t_proof_matches_other_engines'''.split()  # seconds each at -O0: a room's own come last, others not at all
LEAST = 95  # per cent
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|0[xX][0-9a-fA-F]+[uUlL]*|'
                   r'(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[uUlLfF]*|[A-Za-z_]\w*|->|\+\+|--|<<=|>>=|<<|>>|'
                   r'[-+*/%&|^<>=!]=|&&|\|\||^\#[^\n]*|\S', re.S | re.M)
OPERATORS = {'+': '-', '-': '+', '*': '/', '/': '*', '%': '/', '<': '<= >=', '>': '>= <=', '<=': '< >', '>=': '> <',
             '==': '!=', '!=': '==', '&&': '||', '||': '&&', '&': '|', '|': '&', '^': '|', '<<': '>>', '>>': '<<',
             '+=': '-= =', '-=': '+= =', '*=': '/=', '/=': '*=', '|=': '= &=', '&=': '= |=', '<<=': '>>=',
             '>>=': '<<=', '++': '--', '--': '++'}
ENDS = {'+': '+ - < > <= >= == != & | ^ && || ? : , ; << >> =', '&&': '&& || ? : , ;', '||': '|| ? : , ;',
        'statement': '; <= >= == != += -= *= /= %= &= |= ^= <<= >>='}
ENDS['-'] = ENDS['+']
OPEN, CLOSE = '([{', ')]}'


class Mutant:
    """The room's text with [begin, end) replaced; line and function say where."""

    def __init__(self, room, number, function, text, begin, end, new):
        self.room, self.number, self.function = room, number, function
        self.begin, self.end, self.new = begin, end, new
        self.line = text.count('\n', 0, begin) + 1
        first, last = text.rfind('\n', 0, begin) + 1, text.find('\n', end)
        self.old_text = ' '.join(text[first:last].split())
        self.new_text = ' '.join((text[first:begin] + new + text[end:last]).split())
        self.name = '%s:%d' % (room, number)
        self.key = '\t'.join((room, function, self.old_text, self.new_text))
        self.same = text[first:begin].split()[-1:] == ['return'] and text[begin:end + 1] == '1;' and new == '2'
        self.fate = None

    def __str__(self):
        return '%s  src/%s.h:%d %s\n    - %s\n    + %s' % (self.name, self.room, self.line, self.function,
                                                          self.old_text, self.new_text)


def functions(text):
    """Name, is it void, begin and end of the body of every function: between a { and a } in column 1."""
    for match in re.finditer(r'^\{\n(.*?)^\}$', text, re.S | re.M):
        head = text[:match.start()].rstrip('\n')
        head = head[max(head.rfind('\n\n'), head.rfind('\n}'), head.rfind('*/\n'), head.rfind('\n#'), 0):]
        head = re.sub(r'\A\n*#[^\n]*\n', '', head)
        name = re.search(r'([a-z_]\w*) ?\(', re.sub(r'__attribute__ ?\(\(.*?\)\)', '', head)).group(1)
        yield name, bool(re.search(r'\bvoid ' + name + r'\b', head)), match.start(1), match.end(1)


def tokens_of(text, begin, end):
    """(text, begin, end) of the body's tokens, without comments; a preprocessor's line is one token."""
    found = [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(text[:end], begin)]
    return [t for t in found if not t[0].startswith(('/*', '//'))]


def number_and(number, step):
    """A constant's neighbours; twice a fraction."""
    match = re.fullmatch(r'(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)', number)
    if not match:
        return '(2 * %s)' % number if step > 0 else None
    value = int(match.group(1), 0) + step
    return '%d%s' % (value, match.group(2)) if value >= 0 else None


def matching(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(tokens)):
        depth += (tokens[k][0] in OPEN) - (tokens[k][0] in CLOSE)
        if depth == 0:
            return k
    raise ValueError('brackets do not match')


def term_end(tokens, at, ends):
    """The index after the operand that begins at `at`."""
    k = at
    while k < len(tokens):
        word = tokens[k][0]
        if word in OPEN:
            k = matching(tokens, k)
        elif word in CLOSE or (k > at and (word in ends)):
            return k
        k += 1
    return k


def declares(tokens, at):
    """Does the statement that begins there declare?"""
    word, after = tokens[at][0], [t[0] for t in tokens[at + 1:at + 4]] + [''] * 3
    if word in ('static', 'const', 'unsigned', 'struct', 'typedef'):
        return True
    if not re.match(r'[a-z_]\w*$', word) or word in ('return', 'else', 'goto', 'case', 'do'):
        return False
    return bool(re.match(r'[a-z_]\w*$', after[0]) or (after[0] == '*' and re.match(r'[*a-z_]', after[1]) and
                                                     after[2] in ('=', ',', ';', '[', '*') and '_' in word + 'double'))


def changes(text, begin, end):
    """(begin, end, new text) of all mutants of a body."""
    tokens = tokens_of(text, begin, end)
    last = max([k for k, t in enumerate(tokens) if t[0] == 'return'] or [-1])
    starts, declared, in_brackets, in_head = True, False, 0, 0
    for k, (word, first, after) in enumerate(tokens):
        before = tokens[k - 1][0] if k else ';'
        operand = bool(re.match(r'[\w"\')\]]', before)) and before not in ('return', 'case')  # a binary operator here
        if starts:
            declared = declares(tokens, k)
        if starts and not declared and (re.match(r'[a-z_]\w*$|[*(]|\+\+|--', word)) and word not in (
                'if', 'for', 'while', 'do', 'switch', 'case', 'default', 'else') and k != last:
            stop = term_end(tokens, k, ENDS['statement'].split())
            if stop < len(tokens) and tokens[stop][0] == ';' and tokens[k + 1][0] != 'void':
                yield first, tokens[stop][1], ''
        if word in ('if', 'while') and not (word == 'while' and before == '}'):
            close = matching(tokens, k + 1)
            yield tokens[k + 1][2], tokens[close][1], '!(%s)' % text[tokens[k + 1][2]:tokens[close][1]]
        if word in OPERATORS and (operand or word in ('++', '--')):
            for new in OPERATORS[word].split():
                yield first, after, new
            if word in ENDS:
                stop = term_end(tokens, k + 1, ENDS[word].split())
                yield first, tokens[stop - 1][2], ''
        elif word in ('!', '-', '~') and not operand:
            yield first, after, ''
        elif word[0].isdigit() and not (declared and in_brackets):
            for step in (1, -1):
                new = number_and(word, step)
                if new is not None:
                    yield first, after, new
        in_brackets += (word == '[') - (word == ']')
        in_head += (word == '(') - (word == ')')
        starts = in_head == 0 and (word in ';{}' or word in ('else', 'do') or (word == ':' and label(tokens, k)) or
                                   (word == ')' and starts_after_head(tokens, k)))


def starts_after_head(tokens, at):
    """Does this ) close the head of an if, for, while or switch?"""
    depth = 0
    for k in range(at, -1, -1):
        depth += (tokens[k][0] == ')') - (tokens[k][0] == '(')
        if depth == 0:
            return k > 0 and tokens[k - 1][0] in ('if', 'for', 'while', 'switch')
    return False


def label(tokens, at):
    """Does this : end a case?"""
    for k in range(at - 1, -1, -1):
        if tokens[k][0] in ';{}?':
            return False
        if tokens[k][0] in ('case', 'default'):
            return True
    return False


def mutants_of(room):
    """All mutants of a room, numbered in the order of its text."""
    with open('%s/src/%s.h' % (ROOT, room)) as file:
        text = file.read()
    found = []
    for name, _, begin, end in functions(text):
        for first, last, new in sorted(set(changes(text, begin, end))):
            found.append(Mutant(room, len(found) + 1, name, text, first, last, new))
    return found


def woven(room, mutants):
    """The room's text with all these mutants, of which PERM_MUTANT chooses one."""
    with open('%s/src/%s.h' % (ROOT, room)) as file:
        text = file.read()
    parts, done = [], 0
    for _, is_void, begin, end in functions(text):
        here = [m for m in mutants if begin <= m.begin < end]
        if here:
            parts.append(text[done:begin] + '  switch (permi_mutant) {\n')
            for m in here:
                parts.append('  case %d: {\n#line 1 "mutant-%d"\n%s%s%s  }\n#line 1 "right"\n  %s;\n' % (
                    m.number, m.number, text[begin:m.begin], m.new, text[m.end:end],
                    'return' if is_void else '__builtin_trap()'))
            parts.append('  default: break;\n  }\n')
            done = begin
    return ''.join(parts) + text[done:]


def own_tests(room):
    """Files of tests whose opening has the room's tag."""
    tags, files = {'>>' + room, '>>' + room.split('/')[1]}, []
    for name in sorted(os.listdir(ROOT + '/tests/unit')):
        if re.match(r't_\w+\.c$', name):
            with open('%s/tests/unit/%s' % (ROOT, name)) as file:
                opening = file.read().split('*/')[0:2]
            if tags & set(re.findall(r'>>[a-z_/]+', '*/'.join(opening))):
                files.append(name[:-2])
    return files


def names_in(files):
    """The tests in these files."""
    names = []
    for name in files:
        with open('%s/tests/unit/%s.c' % (ROOT, name)) as file:
            names += re.findall(r'^TEST\((\w+)\)', file.read(), re.M)
    return names


class Room:
    """A room's program: its mutants, how to compile and how to try one."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments
        self.at = '%s/%s' % (arguments.scratch, name.replace('/', '_'))
        self.candidates, self.chosen, self.tried, self.stages = mutants_of(name), [], [], []
        self.broken = False

    def choose(self, wanted, known):
        """The mutants of the table: `wanted` names, or a number of them by the seed. Compiles those to be tried: all
        but those whose fate is known."""
        spare, count = [], 0
        if isinstance(wanted, int):
            seed = str(self.arguments.seed)  # order by what a mutant says: an edit of the room replaces few of them
            spare, count = sorted(self.candidates, key=lambda m: hashlib.sha256((seed + m.key).encode()).digest()), wanted
        else:
            self.chosen = [m for m in self.candidates if m.name in wanted]
        for mutant in self.candidates:
            mutant.fate = 'refused' if mutant.same else known.get(mutant.key)
        furnish(self.at)
        shutil.copytree(ROOT + '/src', self.at + '/src')
        with open(self.at + '/mutant.h', 'w') as file:
            file.write('char *getenv(const char *);\nint atoi(const char *);\nstatic int permi_mutant;\n'
                       'static void __attribute__((constructor)) permi_mutant_choose(void)\n'
                       '{\n  const char *name = getenv("PERM_MUTANT");\n  permi_mutant = name ? atoi(name) : 0;\n}\n')
        while True:
            self.chosen = [m for m in self.chosen if m.fate != 'refused']
            while spare and len(self.chosen) < count:
                self.chosen += [m for m in (spare.pop(0),) if m.fate != 'refused']
            self.tried = [m for m in self.chosen if not m.fate]
            if not self.tried or not self.compile():
                return

    def compile(self):
        """Weaves and compiles what is chosen. Returns whether some of it was refused."""
        with open('%s/src/%s.h' % (self.at, self.name), 'w') as file:
            file.write(woven(self.name, sorted(self.tried, key=lambda m: m.number)))
        subprocess.run(['sh', 'src/join.sh'], cwd=self.at, check=True)
        flags = self.arguments.cc.split() + ['-w', '-I.', '-include', 'mutant.h']
        tests = flags + ['-std=gnu11', 'tests/unit/all.c', '-o', 'all', '-lm']
        for last in (['-fsyntax-only'], []): # what is refused is found in a second
            log = subprocess.run(tests + last, cwd=self.at, stderr=subprocess.PIPE, universal_newlines=True)
            if log.returncode:
                break
        bad = {int(n) for n in re.findall(r'\bmutant-(\d+)\b', log.stderr)} if log.returncode else set()
        if log.returncode and not bad:
            raise RuntimeError('%s does not compile:\n%s' % (self.name, log.stderr[:2000]))
        for mutant in self.tried:
            if mutant.number in bad:
                mutant.fate = 'refused'
        if not bad and self.arguments.golden and not self.arguments.tests:
            golden = flags + ['-std=c99', '-ffp-contract=off']
            subprocess.run(golden + ['-c', 'tests/golden/golden_library.c', '-o', 'golden.o'], cwd=self.at, check=True)
            golden += ['tests/golden/golden.c', 'golden.o', '-o', 'golden', '-lm']
            subprocess.run(golden, cwd=self.at, check=True)
        return bad

    def right(self, place):
        """The stages that the right program passes, with the seconds that each takes."""
        own, folder = own_tests(self.name), self.name.split('/')[0]
        wider = names_in(t for t in WIDER[folder].split() if t not in own)
        own = names_in(own)
        if self.arguments.tests:
            own, wider = self.arguments.tests.split(','), []
        for stage, names in (('own', [name for name in own if name not in SLOW]),
                             ('wider', [name for name in wider if name not in SLOW]),
                             ('own', [name for name in own if name in SLOW and not self.arguments.tests])):
            if not names:
                continue
            log = self.run(['all', '-q'] + names, 0, place, 600)
            bad = set(re.findall(r'repeat: build/tests (\w+)', log.output))
            if bad:
                say('%s: left out, as they fail in the right program: %s' % (self.name, ' '.join(sorted(bad))))
            names = [name for name in names if name not in bad]
            if names:
                self.add_stage(stage, ['all', '-x', '-q'] + names, place)
        if self.arguments.tests or not self.arguments.golden:
            return
        record = ['golden', '--sample', '16', '--compare', 'tests/golden/record.txt']
        family = self.run(['golden', '--class', 'layout'], 0, place, 60)
        name = re.search(r'family (\w+)', family.output)
        if name and os.path.exists('%s/tests/golden/%s.txt' % (ROOT, name.group(1))):
            record.append('tests/golden/%s.txt' % name.group(1))
        self.add_stage('golden', record, place)

    def add_stage(self, stage, command, place):
        """A stage, if the right program passes it."""
        begin = time.time()
        log = self.run(command, 0, place, 600)
        if log.code:
            raise RuntimeError('%s: the right program fails its %s tests:\n%s' % (self.name, stage, log.output[-2000:]))
        self.stages.append((stage, command, time.time() - begin))

    def run(self, command, number, place, seconds):
        """Runs a program of this room in a place of its own; .code is not 0 if the mutant is noticed."""
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
            if 'sanitize' not in self.arguments.cc:
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        process = subprocess.Popen(['%s/%s' % (self.at, command[0])] + command[1:], cwd=place, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limits,
                                   env=dict(os.environ, PERM_MUTANT=str(number)))
        try:
            process.output = process.communicate(timeout=20 * seconds + 60)[0].decode('utf-8', 'replace')
        except subprocess.TimeoutExpired:
            process.kill()
            process.output = process.communicate()[0].decode('utf-8', 'replace')
        process.code = process.returncode
        return process

    def test(self, mutant, place):
        """Sets the mutant's fate: the stage that kills it and how, or `lives`."""
        for stage, command, seconds in self.stages:
            log = self.run(command, mutant.number, place, 3 * seconds + 2)
            if log.code:
                test = re.search(r'repeat: build/tests (\w+)', log.output)
                how = ('time' if log.code in (-24, -9) else 'signal %d' % -log.code if log.code < 0 else
                       test.group(1) if test else 'record')
                mutant.fate = stage + ' ' + how
                return
        mutant.fate = 'lives'


def read_results(path):
    """What a file of results says: keys of mutants, with their fates; later rows replace earlier ones."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return dict(row.rstrip('\n').split('\t', 1)[::-1] for row in file)


def explained():
    """tests/attack/mutants.txt as a dictionary from (room, function, old line) to the new lines that are equivalent."""
    listed, key = {}, None
    with open(ROOT + '/tests/attack/mutants.txt') as file:
        for line in file:
            if re.match(r'[a-z]+/\w+ \w+$', line):
                place = tuple(line.split())
            elif line.startswith('- '):
                key = place + (line[2:].strip(),)
            elif line.startswith('+ '):
                listed.setdefault(key, set()).add(line[2:].strip())
    return listed


def share(rooms, count):
    """Mutants a room: in proportion to its candidates, also where only some rooms are asked for."""
    total = sum(len(mutants_of(name)) for name in ROOMS)
    return {r: min(len(r.candidates), round(count * len(r.candidates) / total)) for r in rooms}


def report(rooms, listed):
    """The table and the survivors; returns the exit status."""
    passed = failed = 0
    sums = [0] * 7
    print('%-20s %10s %7s %5s %6s %7s %9s %6s %7s' % ('room', 'candidates', 'mutants', 'own', 'wider', 'golden',
                                                    'explained', 'lives', '%'))
    for room in rooms:
        for mutant in room.chosen:
            known = listed.get((room.name, mutant.function, mutant.old_text), ())
            if mutant.fate == 'lives' and (mutant.new_text in known or '*' in known):
                mutant.fate = 'explained'
        fates = [m.fate.split()[0] for m in room.chosen]
        row = [len(room.candidates), len(fates)]
        row += [fates.count(fate) for fate in ('own', 'wider', 'golden', 'explained', 'lives')]
        sums = [a + b for a, b in zip(sums, row)]
        good = not room.broken and 100 * row[6] <= (100 - LEAST) * row[1]
        passed, failed = passed + good, failed + (not good)
        line(room.name, row)
    line('all', sums)
    for room in rooms:
        for mutant in room.chosen:
            if mutant.fate == 'lives':
                print(mutant)
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    return failed > 0


def line(name, row):
    print('%-20s %10d %7d %5d %6d %7d %9d %6d %7.1f' % (name, *row, 100 * (row[1] - row[6]) / max(1, row[1])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    for name, value in (('rooms', ''), ('seed', '1'), ('one', ''), ('tests', ''), ('scratch', ROOT + '/build/mutants'),
                        ('cc', os.environ.get('CC', 'cc') + ' -O0')):
        parser.add_argument('--' + name, default=value)
    parser.add_argument('--count', type=int, default=2000)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--golden', type=int, default=1)
    parser.add_argument('--show', action='store_true')
    parser.add_argument('-o', default='')
    parser.add_argument('--skip', default='')
    arguments = parser.parse_args()
    wanted = set(arguments.one.split(',')) - {''}
    results = arguments.o or arguments.scratch + '/results.txt'
    rooms = [Room(n, arguments) for n in ROOMS if any(part in n for part in arguments.rooms.split(','))]
    if wanted:
        rooms = [r for r in rooms if any(w.startswith(r.name + ':') for w in wanted)]
    if arguments.show:
        for mutant in (m for r in rooms for m in r.candidates if not wanted or m.name in wanted):
            print(mutant)
        return 0
    counts = {r: wanted for r in rooms} if wanted else share(rooms, arguments.count)
    places = queue.Queue()
    for k in range(arguments.jobs):
        places.put(arguments.scratch + '/place_%d' % k)
        furnish(arguments.scratch + '/place_%d' % k)

    def in_place(work, *given):
        place = places.get()
        try:
            return work(*given, place)
        finally:
            places.put(place)

    def prepare(room):
        try:
            room.choose(counts[room], known)
            if room.tried:
                in_place(room.right)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            room.chosen, room.tried, room.broken = [], [], True
            print('FAIL %s' % error)
        say('%s: %d mutants, %d to try; %s' % (room.name, len(room.chosen), len(room.tried), ', '.join(
            '%s tests %.1f s' % (stage, seconds) for stage, _, seconds in room.stages)))
        for mutant in room.candidates:
            if mutant.fate == 'refused' and not mutant.same and mutant.key not in known:
                out.write('refused\t%s\n' % mutant.key)
        tasks.extend(pool.submit(attempt, room, mutant) for mutant in room.tried)

    def attempt(room, mutant):
        in_place(room.test, mutant)
        out.write('%s\t%s\n' % (mutant.fate, mutant.key))
        out.flush()
    known = {key: fate for key, fate in read_results(results).items() if fate != 'lives'} if not wanted else {}
    known, tasks = {**read_results(arguments.skip), **known}, []
    with open(results, 'a') as out, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for room in [pool.submit(prepare, room) for room in rooms]:
            room.result()
        for task in tasks: # complete: every room is prepared
            task.result()
    say('all tried')
    return report(rooms, explained())


BEGIN = time.time()


def say(message):
    print('%4.0f s  %s' % (time.time() - BEGIN, message), file=sys.stderr, flush=True)


def furnish(place):
    """A directory that tests may write to."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place + '/build')
    for shared in ('tests', 'examples'):
        os.symlink('%s/%s' % (ROOT, shared), '%s/%s' % (place, shared))


if __name__ == '__main__':
    sys.exit(main())
# SPDX-License-Identifier: MIT
