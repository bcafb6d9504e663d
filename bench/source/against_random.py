#!/usr/bin/env python3
"""Evolution of the text against random edits of it, the genes frozen at the baseline: seeds of each, on the virtual device.

usage: bench/source/against_random.py EVO [--trials N] [--seeds N] EXPERIMENT.yaml ...

Modelled latencies. Speed-up: the baseline's latency over the champion's. The interval of the ratio of both arms is Student's
over the logarithms, paired by seed; with three seeds it is wide. Also: how many edits champions have, and each one's
share (latency without it over latency with it).
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

STUDENT_95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
FROZEN = ["gene_mutation", "uniform_crossover", "insight_guided", "sync_mutation", "neighbour", "random_immigrant"]


def run(evo, experiment, strategy, seed, trials, folder):
    population = 20
    settings = {"search.strategy": strategy, "search.seed": seed, "search.population": population,
                "search.generations": max(1, trials // population), "search.window": 8, "budget.trials": trials,
                "gates.permuted_runs": 2, "search.mutators.source_edits": 1}
    settings.update({f"search.mutators.{name}": 0 for name in FROZEN})
    command = [evo, "run", experiment, "--json", "-q", "--run-dir", folder, "--input-seed", "5"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"{experiment}: exit code {output.returncode}: {output.stderr[-2000:] or output.stdout[:2000]}")
    return json.loads(output.stdout)


def interval(ratios):
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), (0, math.inf)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    half = STUDENT_95[len(logs) - 1] * deviation / math.sqrt(len(logs))
    return math.exp(mean), (math.exp(mean - half), math.exp(mean + half))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evo")
    parser.add_argument("experiments", nargs="+")
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_intermixed_args()
    print("| kernel | seed | random | evolved | evolved / random | edits: share of each |\n|---|---|---|---|---|---|")
    for experiment in arguments.experiments:
        name, ratios = "", []
        for seed in range(1, arguments.seeds + 1):
            gains = {}
            for strategy in ("random", "genetic"):
                with tempfile.TemporaryDirectory() as folder:
                    report = run(arguments.evo, experiment, strategy, seed, arguments.trials,
                                 os.path.join(folder, "run"))
                name = report["experiment"] if isinstance(report.get("experiment"), str) else os.path.basename(
                    os.path.dirname(os.path.abspath(experiment)))
                gains[strategy] = report["baseline"]["latency_us"] / report["champion"]["latency_us"]
            shares = []
            for edit in report.get("source", {}).get("edits", []):
                factor = edit["factor"]
                shares.append(f"{edit['edit'].split()[0]} " + (f"{factor:.3f}" if factor else
                              "wrong without" if edit["without"] else "not tried"))
            ratios.append(gains["genetic"] / gains["random"])
            print(f"| {name} | {seed} | {gains['random']:.3f} | {gains['genetic']:.3f} | {ratios[-1]:.3f} | "
                  f"{len(shares)}: {', '.join(shares)} |", flush=True)
        mean, (low, high) = interval(ratios)
        print(f"| {name} | all | | | {mean:.3f} [{low:.3f}, {high:.3f}] | |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
