#!/usr/bin/env python3
"""Does a second look rank a run's best variants as the first one did?

usage: bench/decision/rerank.py EVO RUN [--device D] [--top N] [--times N] [--rounds N]

Times the run's N fastest variants side by side, several times, each in a process of its own. Prints Kendall's tau of each
two rankings, over the pairs of variants that lie more than 1 % apart in the mean of all rankings. Latency of a variant:
geometric mean of its hot medians over the workloads.
"""
import argparse
import itertools
import json
import math
import sqlite3
import subprocess
import sys


def top_of(run, most):
    """The fastest correct variants, one of each machine code."""
    rows = sqlite3.connect(f"{run}/ledger.sqlite").execute(
        "SELECT variant, code_identity, weight, latency_us FROM trials JOIN latencies USING (trial) "
        "WHERE status IN ('better', 'tie', 'correct_slower')")
    sums, codes = {}, {}
    for variant, code, weight, us in rows:
        codes[variant] = code
        total, weights = sums.get(variant, (0, 0))
        sums[variant] = total + weight * math.log(us), weights + weight
    found = {}
    for variant in sorted(sums, key=lambda one: sums[one][0] / sums[one][1]):
        found.setdefault(codes[variant], variant)
    return list(found.values())[:most]


def ranking(arguments, variants):
    command = [arguments.evo, "bench", arguments.run, "--no-comparators", "--rounds", str(arguments.rounds), "--json", "-q"]
    if arguments.device:
        command += ["--device", arguments.device]
    for variant in variants:
        command += ["--variant", variant]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    ids = {entry["contender"]: entry["variant"] for entry in report["variants"]}
    logs = {}
    for case in report["cases"]:
        for standing in case["contenders"]:
            if standing["hot"] and standing["contender"] in ids:
                logs.setdefault(ids[standing["contender"]], []).append(math.log(standing["hot"]["latency_us"]))
    return {variant: sum(values) / len(values) for variant, values in logs.items() if variant in variants}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evo")
    parser.add_argument("run")
    parser.add_argument("--device", default="")
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=12)
    arguments = parser.parse_args()
    variants = top_of(arguments.run, arguments.top)
    rankings = []
    for number in range(arguments.times):
        rankings.append(ranking(arguments, variants))
        best = sorted(rankings[-1], key=rankings[-1].get)
        print(f"ranking {number + 1}: {len(best)} variants, {math.exp(rankings[-1][best[0]]):.3f} to "
              f"{math.exp(rankings[-1][best[-1]]):.3f} us, first {best[0]}", flush=True)
    variants = [variant for variant in variants if all(variant in one for one in rankings)]
    mean = {variant: sum(one[variant] for one in rankings) / len(rankings) for variant in variants}
    apart = [(a, b) for a, b in itertools.combinations(variants, 2) if abs(mean[a] - mean[b]) > math.log(1.01)]
    if not apart:
        print("no two variants lie more than 1 % apart")
        return 1
    taus = []
    for first, second in itertools.combinations(rankings, 2):
        same = sum(1 if (first[a] - first[b]) * (second[a] - second[b]) > 0 else -1 for a, b in apart)
        taus.append(same / len(apart))
    print(f"{len(apart)} of {len(variants) * (len(variants) - 1) // 2} pairs lie more than 1 % apart; Kendall's tau over them: "
          f"{min(taus):.3f} to {max(taus):.3f}, mean {sum(taus) / len(taus):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
