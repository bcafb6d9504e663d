#!/usr/bin/env python3
"""What models of latency make of counts that `evo-correlation --counts FILE` wrote, without running anything.

usage: bench/correlation/models.py FILE.jsonl ...

Spearman's correlation and the median error, by template and workload, of the model that wrote the files and of the first
model of evo (v1, until 2026-11-25), computed from the same counts. For H100s: targets/h100.yaml.
"""
import collections
import json
import math
import pathlib
import re
import sys

target = (pathlib.Path(__file__).resolve().parent.parent.parent / "targets/h100.yaml").read_text()
SM, CLOCK, L2, DRAM, L2_BYTES = (float(re.search(rf"^{key}:\s*([\d.]+)", target, re.M).group(1)) for key in
                                 ("sm_count", "clock_ghz", "l2_gb_per_s", "dram_gb_per_s", "l2_bytes"))


def v1(r):
    """Microseconds; latency_model.cpp before model v2, of kernels without a stack."""
    warps = max(1, math.ceil(r["threads"] / 32) * r["blocks"])
    local = r["spill_bytes"] / 4 * max(1, r["warp_instructions"] / warps / 1000) * warps
    wavefronts = max(r["shared_wavefronts"], r["shared_accesses"])
    lines = max(r["global_accesses"], r["global_sectors"] * 32 / 128)
    pipes = max((r["warp_instructions"] + local) / 4, r["fp32"] / 4, r["fp64"] / 2, r["fp16"] / 4, r["integer"] / 2,
                r["conversion"] / 2, r["special"] / 0.5, r["tensor"] / 1.24,
                wavefronts + lines + local + r["shuffles"] + r["atomics"] / 0.5, r["global_sectors"] * 32 / 64)
    busiest = math.ceil(r["blocks"] / SM)
    waves = math.ceil(busiest / r["blocks_per_sm"])
    asynchronous = r["async_copies"]
    shared = r["shared_accesses"] - min(asynchronous, r["shared_accesses"])
    globals_ = r["global_accesses"] - min(asynchronous, r["global_accesses"]) + r["async_waits"]
    named = sum(r[k] for k in ("fp64", "conversion", "special", "tensor", "shuffles", "atomics", "barriers")) + shared + globals_ + local
    plain = max(0, r["warp_instructions"] + local - named)
    excess = max(0, r["longest_warp_instructions"] * warps - r["warp_instructions"])
    beyond = min(1, r["unique_global_bytes"] / L2_BYTES)
    stalls = ((plain + excess) * 2.25 + r["fp64"] * 8 + r["conversion"] * 4 + r["special"] * 10 + r["tensor"] * 16.5 + shared * 6.5 +
              r["shuffles"] * 12 + local * 8.75 + globals_ * (67.5 + beyond * 87.5) + r["atomics"] * 350 + r["barriers"] * 30) / warps
    pipes, stalls = pipes * busiest / r["blocks"] / (CLOCK * 1e3), waves * stalls / (CLOCK * 1e3)
    sm = max(pipes, stalls) + 0.15 * min(pipes, stalls)
    return max(sm, r["global_sectors"] * 32 / (L2 * 1e3), r["unique_global_bytes"] / (DRAM * 1e3)) + 2.5


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2
        i = j + 1
    return result


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    groups = collections.defaultdict(list)
    for name in sys.argv[1:]:
        with open(name) as lines:
            for row in map(json.loads, lines):
                groups[row["template"], row["workload"]].append(row)
    print("| template | workload | variants | Spearman, as written | v1 | median error, as written | v1 |\n|---|---|---|---|---|---|---|")
    for (template, workload), rows in sorted(groups.items()):
        measured = [r["measured_us"] for r in rows]
        cells = []
        for modelled in ([r["modelled_us"] for r in rows], [v1(r) for r in rows]):
            errors = sorted(abs(x / y - 1) for x, y in zip(modelled, measured))
            cells.append((f"{spearman(modelled, measured):.3f}", f"{100 * errors[len(errors) // 2]:.0f} %"))
        print(f"| {template} | {workload} | {len(rows)} | {cells[0][0]} | {cells[1][0]} | {cells[0][1]} | {cells[1][1]} |")


if __name__ == "__main__":
    main()
