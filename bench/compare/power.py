#!/usr/bin/env python3
"""Is added work of 1, 2 and 5 % told from none on a GPU, and with how many pairs?

usage: bench/compare/power.py EVO [--device D] [--seeds N] [--added 0,1,2,5] [--rounds N]

Compares a kernel with one that does so much more of the same work, N times each (evo compare, a process and inputs of its
own each time), at a threshold of half of it; added work of 0 is a copy at 1 %. Prints, a row each: right verdicts, ratios,
pairs, and of the same samples how often the mean of the first 7 turns, the least of them, and the median of all turns of
each side alone get the order wrong, or a copy apart by the threshold. About 2 s a comparison.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = """{ unsigned s = __float_as_uint(a[i] + b[i]);
_Pragma("unroll 1")
 for (int k = 0; k < 2 * %d; ++k) s *= k %% 2 ? 0xAAAAAAABu : 3u;
 c[i] = __uint_as_float(s); }"""


def kernel(folder, name, rounds):
    """Multiplies by 3 and by its inverse modulo 2^32 so often, besides adding."""
    text = (ROOT / "examples/vector_add/vector_add.cu").read_text()
    text, found = re.subn(r"c\[i\] = a\[i\] \+ b\[i\];", lambda _: WORK % rounds, text)
    assert found == 1, "the example has changed"
    file = folder / f"{name}.cu"
    file.write_text(f"// {name}\n{text}")
    return file


def compare(options, old, new, threshold, seed):
    command = [options.evo, "compare", old, new, "--problem", ROOT / "examples/vector_add", "--target", "h200",
               "--genes", "THREADS=128,PER_THREAD=1", "--workload", "n=65536", "--device", options.device,
               "--input-seed", str(seed), "--threshold", f"{threshold:g}", "--json", "-q"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if not done.stdout.strip():
        raise SystemExit(f"{done.stderr.strip()} (exit {done.returncode})")
    return json.loads(done.stdout)


def is_wrong(old, new, added, threshold):
    """Whether two figures of latencies say otherwise than what was added."""
    ratio = new / old
    return ratio <= 1 if added else abs(ratio - 1) >= threshold / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evo")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--added", default="0,1,2,5")
    parser.add_argument("--rounds", type=int, default=5000)
    options = parser.parse_args()
    simple = {"mean of 7": lambda us: statistics.fmean(us[:7]), "least of 7": lambda us: min(us[:7]),
              "median of all": statistics.median}
    print("| added | right | ratio | pairs, median | least to most | " +
          " | ".join(f"{name}, wrong" for name in simple) + " |\n|" + "---|" * (5 + len(simple)))
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        old = kernel(folder, "old", options.rounds)
        for added in (float(word) for word in options.added.split(",")):
            new = kernel(folder, f"added_{added:g}", round(options.rounds * (1 + added / 100)))
            threshold, expected = (added / 2, "regression") if added else (1, "same")
            rights, ratios, pairs, fooled = 0, [], [], dict.fromkeys(simple, 0)
            for seed in range(1, options.seeds + 1):
                found = compare(options, old, new, threshold, seed)
                rights += found["verdict"] == expected
                if not found["workloads"]:
                    continue
                case = found["workloads"][0]
                ratios.append(case["ratio"])
                pairs.append(case["pairs"])
                samples = case["samples"]
                for name_of, figure in simple.items():
                    fooled[name_of] += is_wrong(figure(samples["a_us"]), figure(samples["b_us"]), added, threshold)
            wrong += options.seeds - rights
            print(f"| {added:g} % | {rights} of {options.seeds} | {min(ratios):.4f} to {max(ratios):.4f} | "
                  f"{statistics.median(pairs):g} | {min(pairs)} to {max(pairs)} | " +
                  " | ".join(str(fooled[one]) for one in simple) + " |", flush=True)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
