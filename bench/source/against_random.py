#!/usr/bin/env python3
"""Evolution of the text against random edits of it, the genes frozen at the baseline: seeds of each.

usage: bench/source/against_random.py EVO [--trials N] [--seeds N] [--jobs N] [--threads N] [--device D ...] [--set KEY=VALUE ...]
       EXPERIMENT.yaml ...

Runs where the experiment says, or on the devices that are given, in turn; --jobs of them at a time. Speed-up: the baseline's latency over the champion's. The interval of the ratio of both arms is Student's
over the logarithms, paired by seed; with three seeds it is wide. Also: how many edits champions have, and each one's
share (latency without it over latency with it).
"""
import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

STUDENT_95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
FROZEN = ["gene_mutation", "uniform_crossover", "insight_guided", "sync_mutation", "neighbour", "random_immigrant"]


def run(arguments, experiment, strategy, seed, device, folder):
    population, trials = 20, arguments.trials
    settings = {"search.strategy": strategy, "search.seed": seed, "search.population": population,
                "search.generations": max(1, trials // population), "search.window": 8, "budget.trials": trials,
                "gates.permuted_runs": 2, "search.mutators.source_edits": 1}
    settings.update({f"search.mutators.{name}": 0 for name in FROZEN})
    settings.update(text.split("=", 1) for text in arguments.set)
    command = [arguments.evo, "run", experiment, "--json", "-q", "--run-dir", folder, "--input-seed", "5"]
    if device:
        command += ["--device", device]
    if arguments.threads:
        command += ["-j", str(arguments.threads)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"{experiment}: exit code {output.returncode}: {output.stderr[-2000:] or output.stdout[:2000]}")
    return json.loads(output.stdout)


def name_of(experiment):
    """What the experiment calls itself."""
    with open(experiment) as text:
        return next(line.split(":", 1)[1].strip() for line in text if line.startswith("name:"))


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
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_intermixed_args()
    print("| kernel | seed | random | evolved | evolved / random | edits: share of each |\n|---|---|---|---|---|---|")
    pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
    folder = tempfile.TemporaryDirectory()
    arms = [(experiment, seed, strategy) for experiment in arguments.experiments
            for seed in range(1, arguments.seeds + 1) for strategy in ("random", "genetic")]
    reports = {}
    for number, (experiment, seed, strategy) in enumerate(arms):
        device = arguments.device[number % len(arguments.device)] if arguments.device else ""
        reports[experiment, seed, strategy] = pool.submit(run, arguments, experiment, strategy, seed, device,
                                                          os.path.join(folder.name, str(number)))
    for experiment in arguments.experiments:
        name, ratios = "", []
        for seed in range(1, arguments.seeds + 1):
            gains = {}
            for strategy in ("random", "genetic"):
                report = reports[experiment, seed, strategy].result()
                name = name_of(experiment)
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
