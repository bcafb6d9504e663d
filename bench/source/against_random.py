#!/usr/bin/env python3
"""Evolution of the text against random edits of it, the genes frozen at the baseline: seeds of each.

usage: bench/source/against_random.py EVO [--trials N] [--seeds N] [--genes-first N] [--jobs N] [--threads N] [--device D ...]
       [--set KEY=VALUE ...] EXPERIMENT.yaml ...

Runs where the experiment says, or on the devices that are given, in turn; --jobs of them at a time. Speed-up: the baseline's
latency over the champion's. With --genes-first N, a run of N trials on genes alone comes first, and its champion is the
baseline whose text is edited. The interval of the ratio of both arms is Student's over the logarithms, paired by seed; with three
seeds it is wide. Also: how many edits champions have, and each one's share (latency without it over latency with it).
"""
import os
import sys

import arms

FROZEN = ["gene_mutation", "uniform_crossover", "insight_guided", "sync_mutation", "neighbour", "random_immigrant"]
# Where an experiment freezes them: the weights that surrogate has by default.
GENES = {"gene_mutation": 0.27, "uniform_crossover": 0.45, "sync_mutation": 0.03, "neighbour": 0.15, "random_immigrant": 0.1}


def share_of(edit):
    factor = edit["factor"]
    return f"{edit['edit'].split()[0]} " + (f"{factor:.3f}" if factor else
                                            "wrong without" if edit["without"] or edit["checked"] else "not tried")


def evolve_genes(arguments):
    """Copies of the experiments whose baselines are the champions of runs on genes alone."""
    settings = {"search.strategy": "surrogate", "search.generations": max(1, arguments.genes_first // 20),
                "budget.trials": arguments.genes_first, "search.mutators.source_edits": 0,
                **{f"search.mutators.{name}": weight for name, weight in GENES.items()}}
    reports = arms.run_all(arguments, {"genes": settings}, seeds=1)
    copies = []
    for experiment in arguments.experiments:
        report = reports[experiment, 1, "genes"].result()
        print(f"{arms.name_of(experiment)}: genes alone, {report['trials']} trials: "
              f"{report['baseline']['latency_us']:.3f} us, champion {report['champion']['latency_us']:.3f} us", flush=True)
        copies.append(arms.with_baseline(experiment, report["champion"]))
    return copies


def main():
    parser = arms.parser(__doc__)
    parser.add_argument("--genes-first", type=int, default=0)
    arguments = parser.parse_intermixed_args()
    copies = evolve_genes(arguments) if arguments.genes_first else []
    arguments.experiments = copies or arguments.experiments
    try:
        compare(arguments)
    finally:
        for copy in copies:
            os.remove(copy)
    return 0


def compare(arguments):
    frozen = {"search.mutators.source_edits": 1, "budget.insight_checks": 24, **{f"search.mutators.{name}": 0 for name in FROZEN}}
    reports = arms.run_all(arguments, {strategy: {"search.strategy": strategy, **frozen}
                                       for strategy in ("random", "genetic")})
    print("| kernel | seed | random | evolved | evolved / random | edits: share of each |\n|---|---|---|---|---|---|")
    for experiment in arguments.experiments:
        name, ratios = arms.name_of(experiment), []
        for seed in range(1, arguments.seeds + 1):
            evolved = reports[experiment, seed, "genetic"].result()
            gain, other = arms.gain_of(evolved), arms.gain_of(reports[experiment, seed, "random"].result())
            shares = [share_of(edit) for edit in evolved.get("source", {}).get("edits", [])]
            ratios.append(gain / other)
            print(f"| {name} | {seed} | {other:.3f} | {gain:.3f} | {ratios[-1]:.3f} | "
                  f"{len(shares)}: {', '.join(shares)} |", flush=True)
        mean, (low, high) = arms.interval(ratios)
        print(f"| {name} | all | | | {mean:.3f} [{low:.3f}, {high:.3f}] | |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
