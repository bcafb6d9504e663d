"""Runs tests against mutants, those first that are most likely to notice."""
import os
import re
import shutil
from pathlib import Path

from mutation.checks import ROOT, START_EVO
from mutation.processes import run

LEAST_CPU_S = 10  # of a test program, beside five times what it takes unchanged: an endless loop ends
LONGEST_RUN_S = 1800  # a busy machine must not look like a hang
QUICK_CPU_S = 1  # tests that take no longer, all together, are asked first


class Unchanged:
    """What each test of a program takes and reaches, without any edit."""

    def __init__(self, record):
        self.seconds, self.failed, self.reached, self.between = {}, set(), {}, {}
        for line in record.read_text().splitlines():
            test, outcome, seconds, *places = line.split(" ")
            if "*" in test:
                self.between.setdefault(test, set()).update(map(int, places))
                continue
            self.seconds[test] = float(seconds)
            self.reached[test] = set(map(int, places))
            if outcome == "failed":
                self.failed.add(test)

    def reaches(self, test, place):
        return any(place in places for places in (self.reached[test], self.between.get("*", ()),
                                                  self.between.get(test.rpartition(".")[0] + ".*", ())))


class Trials:
    def __init__(self, programs, checks, spent):
        self.programs, self.spent, self.unchanged, self.listed = programs, spent, {}, {}
        self.filters = {}  # of a program, by all checks that name it
        for check in checks:
            for name, chosen in check.targets():
                self.filters.setdefault(name, set()).add(chosen or "*")

    def environment(self, **more):
        return dict(os.environ, RC_PARAMS="seed=2026", **more)  # property tests: the same values each time

    def list(self, name, chosen):
        """The tests of a filter."""
        if (name, chosen) not in self.listed:
            said = run([str(self.programs.program(name)), "--gtest_list_tests", f"--gtest_filter={chosen}"], self.spent,
                       "list", environment=self.environment())[1]
            suite, tests = None, []
            for line in said.splitlines():
                if found := re.match(r"(\S+\.)(\s+#.*)?$", line):
                    suite = found[1]
                elif suite and (found := re.match(r"  (\S+)", line)) and "DISABLED_" not in suite + found[1]:
                    tests.append(suite + found[1])
            self.listed[name, chosen] = tests
        return self.listed[name, chosen]

    def record(self, name):
        with self.programs.lock:
            if name not in self.unchanged:
                program = self.programs.program(name)
                wanted = "*" if "*" in self.filters[name] else ":".join(sorted(self.filters[name]))
                record, asked = program.with_suffix(".record"), program.with_suffix(".filter")
                fresh = record.is_file() and record.stat().st_mtime_ns > program.stat().st_mtime_ns
                if not fresh or asked.read_text() != wanted:
                    record.unlink(missing_ok=True)
                    partial = program.with_suffix(".partial")
                    partial.unlink(missing_ok=True)
                    code, said = run([str(program), f"--gtest_filter={wanted}"], self.spent, "tests without an edit", cwd=ROOT,
                                     environment=self.environment(EVO_MUTANT_RECORD=str(partial)))
                    if code not in (0, 1) or not partial.is_file():
                        raise SystemExit(f"{name} does not end without any edit ({code}):\n{said[-1000:]}")
                    partial.rename(record)
                    asked.write_text(wanted)
                self.unchanged[name] = Unchanged(record)
                if failed := self.unchanged[name].failed:
                    print(f"{name}: fails without any edit, and is not asked: {' '.join(sorted(failed))}", flush=True)
            return self.unchanged[name]

    def first_failure(self, program, tests, seconds, mutant):
        """Name of the first of the tests that fails, with how; None if all pass."""
        if not tests:
            return None
        limit = int(LEAST_CPU_S + 5 * seconds)
        code, said = run(["sh", "-c", f'ulimit -t {limit}; exec "$0" "$@"', str(program), "--gtest_fail_fast",
                          "--gtest_filter=" + ":".join(tests)], self.spent, "tests with an edit", cwd=ROOT,
                         environment=self.environment(EVO_MUTANT=str(mutant)), longest=LONGEST_RUN_S)
        running = None
        for line in said.splitlines():
            if match := re.match(r"\[ RUN      \] (\S+)", line):
                running = match[1]
            elif match := re.match(r"\[  FAILED  \] ([^\s,]+)", line):
                return match[1]
        if code is None:
            return f"{running} (no end within {LONGEST_RUN_S} s)"
        return None if code == 0 else f"{running} (ends with {code})"

    def orders(self, name, chosen, place, first):
        """Groups of tests, in the order in which they are asked: what noticed a neighbour, quick ones, others; what
        does not seem to reach the edit comes last, as a cache of an earlier test may have hidden it."""
        unchanged = self.record(name)
        tests = [test for test in self.list(name, chosen or "*") if test in unchanged.seconds and test not in unchanged.failed]
        near = [test for test in tests if place is None or unchanged.reaches(test, place)]
        if not near:
            return []  # of all tests in one process none came there, not even for a cache
        known = [test for test in near if test in first]
        rest = sorted((test for test in near if test not in known), key=unchanged.seconds.get)
        quick, sum_s = [], 0
        for test in rest:
            sum_s += unchanged.seconds[test]
            if sum_s > QUICK_CPU_S:
                break
            quick.append(test)
        groups = [known, quick, rest[len(quick):], [test for test in tests if test not in near]]
        return [(group, sum(map(unchanged.seconds.get, group))) for group in groups if group]

    def judge(self, check, neighbours, mutant):
        """(killed by, None) or (None, why not). `neighbours`: the tests that noticed other edits of the file."""
        asked = reached = False
        if check.starts_evo():
            return None, "not tried"
        for name, chosen in check.targets():
            if name in START_EVO:
                continue
            place = self.programs.place(check, name)
            if place is not None:
                program = self.programs.program(name)
            else:
                program, broken = self.programs.one(check, name)
                if broken:
                    return None, broken
                if not program:
                    continue
            asked = True
            first = {test.split(": ")[1].split(" ")[0] for test in list(neighbours) if test.startswith(name + ": ")}
            failed = None
            for tests, seconds in self.orders(name, chosen, place, first):
                failed = self.first_failure(program, tests, seconds, mutant)
                if failed:
                    break
            reached = reached or place is None or any(
                self.record(name).reaches(test, place) for test in self.record(name).seconds)
            if place is None:
                shutil.rmtree(Path(program).parent, ignore_errors=True)
            if failed:
                return f"{name}: {failed}", None
        return None, ("SURVIVED" if reached else "SURVIVED: no test reaches it") if asked else \
            "no test program is made of the file"
