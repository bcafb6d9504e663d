#!/usr/bin/env python3
"""What each kind of knowledge is worth to the operators: search.preset free, insight and full, seeds of each.

usage: bench/source/masks.py EVO [--trials N] [--seeds N] [--jobs N] [--threads N] [--device D ...] [--set KEY=VALUE ...]
       EXPERIMENT.yaml ...

Genes and text evolve together, by the strategy genetic. Speed-up: the baseline's latency over the champion's, mean of all
seeds. The intervals are Student's over the logarithms of ratios, paired by seed.
"""
import sys

import arms

PRESETS = ("free", "insight", "full")


def main():
    arguments = arms.parser(__doc__).parse_intermixed_args()
    settings = {"search.strategy": "genetic", "search.mutators.source_edits": 0.5}
    reports = arms.run_all(arguments, {preset: {"search.preset": preset, **settings} for preset in PRESETS})
    print("| kernel | " + " | ".join(PRESETS) + " | insight / free | full / insight | full / free |\n"
          "|---|---|---|---|---|---|---|")
    for experiment in arguments.experiments:
        gains = {preset: [arms.gain_of(reports[experiment, seed, preset].result())
                          for seed in range(1, arguments.seeds + 1)] for preset in PRESETS}
        cells = [f"{arms.interval(gains[preset])[0]:.3f}" for preset in PRESETS]
        for more, less in (("insight", "free"), ("full", "insight"), ("full", "free")):
            mean, (low, high) = arms.interval([a / b for a, b in zip(gains[more], gains[less])])
            cells.append(f"{mean:.3f} [{low:.3f}, {high:.3f}]")
        print(f"| {arms.name_of(experiment)} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
