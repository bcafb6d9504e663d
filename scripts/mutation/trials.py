"""Runs tests against mutants, those first that are most likely to notice."""
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from mutation.checks import ROOT
from mutation.processes import run

# Of each process, beside five times what the tests take unchanged: an endless loop ends. EVO_MUTANT_CPU_S says another number.
LEAST_CPU_S = float(os.environ.get("EVO_MUTANT_CPU_S", 10))
LEAST_S = 30  # likewise of the clock, beside ten times: whoever waits for ever ends
QUICK_CPU_S = 1  # tests that take no longer, all together, are asked first
PLACES = 1 << 16  # chosen.cpp says the same
NOT_TRIED = "not tried"
# How likely a group of tests is to notice: what noticed a neighbour, quick ones, others that reach the edit, others.
KNOWN, QUICK, SLOW, FAR = range(4)


class Unchanged:
    """What each test of a program takes and reaches, without any edit."""

    def __init__(self, records):
        self.cpu, self.seconds, self.reached, self.between = {}, {}, {}, {}
        self.failed, self.skipped = set(), set()
        for record in records:
            for line in record.read_text().splitlines():
                test, outcome, cpu, seconds, *places = line.split(" ")
                if "*" in test:
                    self.between.setdefault(test, set()).update(map(int, places))
                    continue
                self.cpu[test], self.seconds[test] = float(cpu), float(seconds)
                self.reached[test] = set(map(int, places))
                if outcome != "ok":
                    (self.failed if outcome == "failed" else self.skipped).add(test)

    def asked(self, test):
        """Whether it ran and passed."""
        return test in self.cpu and test not in self.failed and test not in self.skipped

    def reaches(self, test, place):
        return any(place in places for places in (self.reached[test], self.between.get("*", ()),
                                                  self.between.get(test.rpartition(".")[0] + ".*", ())))

    def reached_by_any(self, place):
        return any(place in places for all_places in (self.reached, self.between) for places in all_places.values())


class Trials:
    def __init__(self, programs, checks, spent, deadline=None):
        """`deadline`: by time.monotonic(); runs that have not ended then are ended, and say nothing."""
        self.programs, self.spent, self.deadline = programs, spent, deadline
        self.unchanged, self.listed, self.lock = {}, {}, threading.Lock()
        self.filters = {}  # of a program, by all checks that name it
        for check in checks:
            for name, chosen in check.targets():
                self.filters.setdefault(name, set()).add(chosen or "*")

    def run(self, words, what, longest=None, **more):
        """As processes.run(), in an empty folder for temporary files and caches; property tests see the same values
        each time."""
        left = self.deadline - time.monotonic() if self.deadline else None
        longest = min(filter(None, (longest, left and max(left, 0.1))), default=None)
        folder = tempfile.mkdtemp(prefix="mut")
        try:
            environment = dict(os.environ, RC_PARAMS="seed=2026", TMPDIR=folder, TEST_TMPDIR=folder, XDG_CACHE_HOME=folder + "/cache", **more)
            return run(words, self.spent, what, cwd=ROOT, environment=environment, longest=longest)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def late(self):
        return self.deadline is not None and time.monotonic() >= self.deadline

    def wanted(self, name):
        return "*" if "*" in self.filters[name] else ":".join(sorted(self.filters[name]))

    def list(self, name, chosen):
        """The tests of a filter."""
        if (name, chosen) not in self.listed:
            said = self.run([str(self.programs.program(name)), "--gtest_list_tests", f"--gtest_filter={chosen}"], "list")[1]
            suite, tests = None, []
            for line in said.splitlines():
                if found := re.match(r"(\S+\.)(\s+#.*)?$", line):
                    suite = found[1]
                elif suite and (found := re.match(r"  (\S+)", line)) and "DISABLED_" not in suite + found[1]:
                    tests.append(suite + found[1])
            self.listed[name, chosen] = tests
        return self.listed[name, chosen]

    # -- without an edit ------------------------------------------------------------------------------------------

    def kept(self, name, shard, shards):
        """The record of that part, if it is newer than the programs and has all that is wanted; None if there is none."""
        record = self.programs.records / f"{name}.{shard}of{shards}.record"
        asked = record.with_suffix(".filter")
        made = max(self.programs.program(one).stat().st_mtime_ns for one in (name, *self.programs.starts.get(name, ())))
        if not record.is_file() or record.stat().st_mtime_ns <= made:
            return None
        had, wanted = set(asked.read_text().split(":")), set(self.wanted(name).split(":"))
        return record if "*" in had or wanted <= had else None

    def shards(self, name, jobs):
        """In how many processes a program's tests are recorded: more than one where there are processors for them; as many
        as they were recorded in before."""
        for record in sorted(self.programs.records.glob(f"{name}.0of*.record")):
            shards = int(record.name.split(".")[1].split("of")[1])
            if all(self.kept(name, shard, shards) for shard in range(shards)):
                return shards
        return max(1, min(jobs, len(self.list(name, self.wanted(name))) // 8))

    def record(self, name, shard, shards):
        """Runs that part of a program's tests without an edit, and gives the file that says what they reach; an earlier
        run's, if the programs and the filter are still the same."""
        if known := self.kept(name, shard, shards):
            return known
        wanted, folder = self.wanted(name), self.programs.records
        folder.mkdir(parents=True, exist_ok=True)
        record, asked = (folder / f"{name}.{shard}of{shards}.{end}" for end in ("record", "filter"))
        record.unlink(missing_ok=True)
        partial, reached = record.with_suffix(".partial"), record.with_suffix(".reached")
        partial.unlink(missing_ok=True)
        reached.write_bytes(bytes(PLACES))
        code, said = self.run([str(self.programs.program(name)), f"--gtest_filter={wanted}"], "tests without an edit",
                              EVO_MUTANT_RECORD=str(partial), EVO_MUTANT_REACHED=str(reached), GTEST_TOTAL_SHARDS=str(shards),
                              GTEST_SHARD_INDEX=str(shard), **self.programs.environment(name))
        reached.unlink()
        if code not in (0, 1) or not partial.is_file():
            raise SystemExit(f"{name} does not end without any edit ({code}):\n{said[-1000:]}")
        asked.write_text(wanted)
        return partial.rename(record)

    def recorded(self, name, records):
        self.unchanged[name] = Unchanged(records)
        if failed := self.unchanged[name].failed:
            return f"{name}: fails without any edit, and is not asked: {' '.join(sorted(failed))}"
        return None

    # -- with an edit ---------------------------------------------------------------------------------------------

    def first_failure(self, name, program, tests, mutant, more):
        """Name of the first of the tests that fails, with how; None if all pass. A test says nothing if it fails without
        the edit too, here and now: then it is not asked again."""
        unchanged, environment = self.unchanged[name], {**self.programs.environment(name), **more}
        tests = [test for test in tests if unchanged.asked(test)]
        while tests:
            cpu = int(LEAST_CPU_S + 5 * sum(map(unchanged.cpu.get, tests)))
            longest = LEAST_S + 10 * sum(map(unchanged.seconds.get, tests))

            def ask(which, chosen):
                return self.run(["sh", "-c", f'ulimit -c 0; ulimit -S -t {cpu}; exec "$0" "$@"', str(program), "--gtest_fail_fast",
                                 "--gtest_filter=" + ":".join(which)],
                                "tests with an edit" if chosen else "tests that failed, without", longest,
                                EVO_MUTANT=str(chosen), **environment)

            code, said = ask(tests, mutant)
            if self.late():
                return NOT_TRIED
            if code == 0:
                return None
            running = failed = None
            for line in said.splitlines():
                if match := re.match(r"\[ RUN      \] (\S+)", line):
                    running = match[1]
                elif match := re.match(r"\[  FAILED  \] ([^\s,]+)", line):
                    failed = match[1]
                    break
            blamed = failed or running or tests[0]
            how = "" if failed else f" (no end within {longest:.0f} s)" if code is None else \
                f" (no end within {cpu} CPU s)" if code in (-9, -24) else f" (ends with {code})"
            # A program that has one edit only cannot run without it: what was recorded must do.
            if not mutant or ask([blamed] if blamed in tests else tests, 0)[0] == 0:
                return blamed + how
            if self.late():
                return NOT_TRIED
            print(f"{name}: {blamed} fails without an edit too, in the same place, and is not asked again", file=sys.stderr, flush=True)
            with self.lock:
                unchanged.failed.add(blamed)
            if blamed not in tests:
                return None
            tests = [test for test in tests if unchanged.asked(test)]
        return None

    def groups(self, name, chosen, place, first):
        """(how likely, tests). What does not seem to reach the edit comes last, as a cache of an earlier test may have
        hidden it."""
        unchanged = self.unchanged[name]
        tests = [test for test in self.list(name, chosen or "*") if unchanged.asked(test)]
        near = [test for test in tests if place is None or unchanged.reaches(test, place)]
        if not near:
            return []  # of all tests of a process none came there, not even for a cache
        known = [test for test in near if test in first]
        rest = sorted((test for test in near if test not in known), key=unchanged.cpu.get)
        quick, sum_s = [], 0
        for test in rest:
            sum_s += unchanged.cpu[test]
            if sum_s > QUICK_CPU_S:
                break
            quick.append(test)
        groups = [known, quick, rest[len(quick):], [test for test in tests if test not in near]]
        return [(rank, group) for rank, group in enumerate(groups) if group]

    def judge(self, check, neighbours, mutant):
        """Yields the CPU seconds of what comes next; its value is (killed by, None) or (None, why not). The programs'
        runs without an edit must have been recorded. `neighbours`: the tests that noticed other edits of the file."""
        asked = reached = False
        waiting = []
        for name, chosen in check.targets():
            place, more, number = self.programs.place(check, name), {}, mutant
            if place is not None:
                program = self.programs.program(name)
            else:
                program, more, broken = self.programs.one(check, name)
                number = 0
                if broken:
                    return None, broken
                if not program:
                    continue
            asked = True
            reached = reached or place is None or self.unchanged[name].reached_by_any(place)
            first = {test.split(": ")[1].split(" ")[0] for test in list(neighbours) if test.startswith(name + ": ")}
            waiting += [(rank, len(waiting), name, program, tests, number, more)
                        for rank, tests in self.groups(name, chosen, place, first)]
        killed = None
        for rank, _, name, program, tests, number, more in sorted(waiting):
            yield sum(map(self.unchanged[name].cpu.get, tests)) * (10 if rank == FAR else 1)
            if failed := self.first_failure(name, program, tests, number, more):
                killed = f"{name}: {failed}"
                break
        self.programs.forget(check)
        if killed and killed.endswith(NOT_TRIED):
            return None, NOT_TRIED
        return (killed, None) if killed else (None, (
            "SURVIVED" if reached else "SURVIVED: no test reaches it") if asked else "no test program is made of the file")
