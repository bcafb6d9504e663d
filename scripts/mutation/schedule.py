"""Who does what next: first the tests without an edit, then for each check the cheapest tests that are left."""
import heapq
import sys
import threading
import time

from mutation.selectable import number
from mutation.trials import NOT_TRIED


class Schedule:
    def __init__(self, trials, checks, jobs, known):
        """`known`: (check, the test that noticed it) of others."""
        self.trials, self.jobs, self.turn = trials, jobs, threading.Condition()
        self.neighbours, self.results, self.begun = {}, [], 0
        for check, killed in known:
            self.neighbours.setdefault(check.file, set()).add(killed)
        self.ready, self.left, self.expected = [], len(checks), len(checks)
        self.records, self.missing, self.broken = [], {}, {}  # parts to record; those of a program that are not there yet
        self.waiting = list(checks)

    def prepare(self, name):
        try:
            shards = self.trials.shards(name, self.jobs)
        except (Exception, SystemExit) as error:
            self.broken[name] = f"{type(error).__name__}: {error}"
            self.missing[name] = set()
            return
        self.missing[name] = set(range(shards))
        self.records += [(name, shard, shards, []) for shard in range(shards)]

    def end(self, check, killed, why):
        if killed:
            self.neighbours.setdefault(check.file, set()).add(killed)
        elif why != NOT_TRIED:
            print(f"{check.name}: {why}", file=sys.stderr, flush=True)
        self.results.append((check, killed, why))
        self.left -= 1

    def admit(self):
        """Checks whose programs are recorded become ready."""
        still = []
        for check in self.waiting:
            names = [name for name, _ in check.targets()]
            if any(self.missing.get(name) for name in names):
                still.append(check)
            elif bad := [self.broken[name] for name in names if name in self.broken]:
                self.end(check, None, bad[0])
            else:
                self.begun += 1
                heapq.heappush(self.ready, (0, self.begun, check, None))
        self.waiting = still

    def record(self, name, shard, shards):
        made, broken = None, None
        try:
            made = self.trials.record(name, shard, shards)
        except (Exception, SystemExit) as error:  # the others go on
            broken = NOT_TRIED if self.trials.late() else f"{type(error).__name__}: {error}"
        with self.turn:
            if broken:
                self.broken[name] = broken
            self.made.setdefault(name, []).append(made)
            self.missing[name].discard(shard)
            if not self.missing[name] and name not in self.broken:
                if said := self.trials.recorded(name, self.made[name]):
                    print(said, file=sys.stderr, flush=True)
            self.admit()

    def step(self, check, steps):
        """One group of tests."""
        near = self.neighbours.setdefault(check.file, set())
        steps = steps or self.trials.judge(check, near, number(check.name))
        cost, killed, why = 0, None, NOT_TRIED
        try:
            if not self.trials.late():
                cost = next(steps)
                why = None
        except StopIteration as ended:
            killed, why = ended.value
        except (Exception, SystemExit) as error:  # the others go on; this one is not noticed
            killed, why = None, f"{type(error).__name__}: {error}"
        with self.turn:
            if killed or why:
                self.end(check, killed, why)
            else:
                self.begun += 1
                heapq.heappush(self.ready, (cost, self.begun, check, steps))

    def work(self, records_first):
        while True:
            with self.turn:
                while not self.records and not self.ready and self.left:
                    self.turn.wait()
                if not self.left:
                    return
                if self.records and (records_first or not self.ready):
                    part, item = self.records.pop(0), None
                else:
                    part, item = None, heapq.heappop(self.ready)
            if part:
                self.record(*part[:3])
            else:
                self.step(*item[2:])
            with self.turn:
                self.turn.notify_all()

    def run(self):
        """Yields (check, killed by, why not) as they come."""
        self.made = {}
        # Programs that start evo take longest: when time is up, they shall not have kept the others waiting.
        names = sorted({name for check in self.waiting for name, _ in check.targets()},
                       key=lambda name: "evo" in self.trials.programs.starts.get(name, ()))
        for name in names:
            self.prepare(name)
        for name in names:
            if name in self.broken:
                print(f"{name}: {self.broken[name]}", file=sys.stderr, flush=True)
        with self.turn:
            self.admit()
        # What is recorded is tried at once; half of them record on, so that nobody waits at the end.
        for job in range(self.jobs):
            threading.Thread(target=self.work, args=(job % 2 == 1,), daemon=True).start()
        given = 0
        while given < self.expected:
            with self.turn:
                while len(self.results) == given:
                    self.turn.wait()
                found = self.results[given]
            given += 1
            yield found
