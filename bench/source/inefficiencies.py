#!/usr/bin/env python3
"""Plants an inefficiency in each of ten kernels (in one of them two), of eight kinds, and lets evo edit the text: is it found?

usage: bench/source/inefficiencies.py EVO [--trials N] [--seed N] [--more] [KERNEL ...]
KERNEL: "sgemm", or "convolution:barrier" for one kind. --more: kernels besides the ten, with kinds that these have.

Modelled latencies of the virtual device. A row has the kernel as it is, with the planted text, and the champion of a run
that edits the planted text only. Found: the champion has regained nine tenths of what was lost, and holds an edit of a
family that undoes the planted thing, without which it was slower or wrong. A text that is not at least 1 % slower than
the kernel as it is plants nothing, and is not counted.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNDO = {
    "barrier": ("barrier_", "statement_"),
    "uncoalesced": ("loop_stride", "thread_axes", "loop_interchange"),
    "recomputed": ("value_reuse", "statement_hoist", "statement_delete", "restrict", "load_hint"),
    "slow function": ("fast_math",),
    "scalar access": ("vector_loop", "vector_access"),
    "bank conflicts": ("array_pad",),
    "local array": ("array_registers", "array_shared", "loop_unroll"),
    "double": ("single_precision",),
    "not unrolled": ("loop_unroll",),
}
# Where the kernel as it is should be another text than the example's own, `first` makes it.
PLANTS = [
    dict(name="sgemm", kind="barrier", problem="examples/sgemm", file="sgemm.cu",
         workload="{m: 64, n: 64, k: 64}", genes="{TILE: 16}",
         old="for (int r = 0; r < ROWS; ++r) sum[r] += a[threadIdx.y + r * step][j] * b[j][threadIdx.x];",
         new="{ __syncthreads();  for (int r = 0; r < ROWS; ++r) "
             "sum[r] += a[threadIdx.y + r * step][j] * b[j][threadIdx.x]; }"),
    dict(name="sgemm", kind="bank conflicts", problem="examples/sgemm", file="sgemm.cu",
         workload="{m: 64, n: 64, k: 64}", genes="{TILE: 32, ROWS: 2}",
         problem_edit=(", static_smem: 8 * TILE * TILE", ""),  # of the text as it was
         first=("  __shared__ float b[tile][tile];", "  __shared__ float b[tile][tile + 1];"),
         second=("b[y][threadIdx.x] =", "b[threadIdx.x][y] ="), last=("* b[j][threadIdx.x];", "* b[threadIdx.x][j];"),
         old="  __shared__ float b[tile][tile + 1];", new="  __shared__ float b[tile][tile];"),
    dict(name="histogram", kind="barrier", problem="examples/histogram", file="histogram.cu",
         workload="{n: 8000, bins: 100}", genes="{ITEMS: 16, IN_SHARED: true}",
         old="    if (first + item * BLOCK < n) atomicAdd(&own[numbers[first + item * BLOCK]], 1u);",
         new="    { __syncthreads();  if (first + item * BLOCK < n) atomicAdd(&own[numbers[first + item * BLOCK]], 1u); }"),
    dict(name="row_softmax", kind="barrier", problem="examples/row_softmax", file="row_softmax.cu",
         workload="{rows: 32, columns: 500}",
         old="    if (t < step) cells[t] = fmaxf(cells[t], cells[t + step]);",
         new="    if (t < step) cells[t] = fmaxf(cells[t], cells[t + step]);  __syncthreads();"),
    dict(name="vector_add", kind="uncoalesced", problem="examples/vector_add", file="vector_add.cu",
         workload="{n: 65536}", genes="{PER_THREAD: 8}",
         first=("  const int first = (blockIdx.x * THREADS + threadIdx.x) * PER_THREAD;\n"
                "  for (int i = first; i < first + PER_THREAD && i < n; ++i)",
                "  const int first = blockIdx.x * THREADS * PER_THREAD, last = first + THREADS * PER_THREAD;\n"
                "  for (int i = first + threadIdx.x; i < last && i < n; i += THREADS)"),
         old="  const int first = blockIdx.x * THREADS * PER_THREAD, last = first + THREADS * PER_THREAD;\n"
             "  for (int i = first + threadIdx.x; i < last && i < n; i += THREADS)",
         new="  const int first = (blockIdx.x * THREADS + threadIdx.x) * PER_THREAD;\n"
             "  for (int i = first; i < first + PER_THREAD && i < n; ++i)"),
    dict(name="transpose", kind="uncoalesced", problem="examples/transpose", file="transpose.cu",
         workload="{rows: 128, columns: 160}", genes="{TILE: 32, PAD: 1}",
         old="  if (x + threadIdx.x < columns && y + threadIdx.y < rows)\n"
             "    tile[threadIdx.y][threadIdx.x] = source[(y + threadIdx.y) * columns + x + threadIdx.x];",
         new="  if (x + threadIdx.y < columns && y + threadIdx.x < rows)\n"
             "    tile[threadIdx.x][threadIdx.y] = source[(y + threadIdx.x) * columns + x + threadIdx.y];",
         also=("  if (y + threadIdx.x < rows && x + threadIdx.y < columns)\n"
               "    target[(x + threadIdx.y) * rows + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];",
               "  if (y + threadIdx.y < rows && x + threadIdx.x < columns)\n"
               "    target[(x + threadIdx.x) * rows + y + threadIdx.y] = tile[threadIdx.y][threadIdx.x];")),
    dict(name="layer_norm", kind="recomputed", problem="examples/layer_norm", file="layer_norm.cu",
         workload="{rows: 32, columns: 512}",
         old="    out[c] = __float2half((__half2float(row[c]) - origin - mean) * scale * weight[c]);",
         new="    out[c] = __float2half((__half2float(row[c]) - __half2float(row[0]) - mean) * scale * weight[c]);"),
    dict(name="reduction", kind="local array", problem="examples/reduction", file="reduction.cu",
         workload="{n: 40000}", genes="{ITEMS: 8}",
         old="  for (int item = 0; item < ITEMS; ++item) {\n"
             "    const int i = (blockIdx.x * ITEMS + item) * THREADS + threadIdx.x;\n"
             "    if (i < n) value += x[i];\n  }",
         new="  float values[ITEMS];\n#pragma unroll 1\n  for (int item = 0; item < ITEMS; ++item) {\n"
             "    const int i = (blockIdx.x * ITEMS + item) * THREADS + threadIdx.x;\n"
             "    values[item] = i < n ? x[i] : 0;\n  }\n#pragma unroll 1\n"
             "  for (int item = 0; item < ITEMS; ++item) value += values[item];"),
    dict(name="convolution", kind="double", problem="examples/convolution", file="convolution.cu",
         workload="{h: 64, w: 64}", genes="{rows: 4}",
         old="    float sum = 0;\n    for (int i = 0; i < WIDTH; ++i)\n"
             "      for (int j = 0; j < WIDTH; ++j) sum += tile",
         new="    double sum = 0;\n    for (int i = 0; i < WIDTH; ++i)\n"
             "      for (int j = 0; j < WIDTH; ++j) sum += tile"),
    dict(name="nbody", kind="scalar access", problem="examples/nbody", file="nbody.cu", workload="{n: 512}",
         genes="{THREADS: 32}",
         old="  __shared__ float4 tile[THREADS];", new="  __shared__ float tile[4 * THREADS];",
         also=("    if (first + threadIdx.x < n) tile[threadIdx.x] = bodies[first + threadIdx.x];",
               "    if (first + threadIdx.x < n) {\n      const float4 body = bodies[first + threadIdx.x];\n"
               "      const int at = 4 * threadIdx.x;\n"
               "      tile[at] = body.x, tile[at + 1] = body.y, tile[at + 2] = body.z, tile[at + 3] = body.w;\n    }"),
         third=("      const float4 other = tile[j];\n"
                "      const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;",
                "      float other[4];\n      for (int c = 0; c < 4; ++c) other[c] = tile[4 * j + c];\n"
                "      const float dx = other[0] - own.x, dy = other[1] - own.y, dz = other[2] - own.z;"),
         fourth=("other.w", "other[3]")),
    dict(name="softmax_expression", kind="slow function", problem="examples/softmax_expression",
         file="softmax.cu", workload="{rows: 64, columns: 2000}", genes="{ONLINE: true}",
         first=("out[j] = expf(in[j] - largest) / sum;", "out[j] = __expf(in[j] - largest) / sum;"),
         old="out[j] = __expf(in[j] - largest) / sum;",
         new="out[j] = powf(2.7182818f, in[j] - largest) / sum;"),
]
# Not among the ten: other kinds in the same kernels.
MORE = [
    dict(name="nbody", kind="not unrolled", problem="examples/nbody", file="nbody.cu", workload="{n: 512}",
         genes="{THREADS: 32, UNROLL: 8}",
         old="#pragma unroll UNROLL", new="#pragma unroll 1"),
    dict(name="reduction", kind="uncoalesced", problem="examples/reduction", file="reduction.cu",
         workload="{n: 40000}", genes="{ITEMS: 8}",
         old="  float value = 0;\n  for (int item = 0; item < ITEMS; ++item) {\n"
             "    const int i = (blockIdx.x * ITEMS + item) * THREADS + threadIdx.x;",
         new="  float value = 0; const int t = blockIdx.x * THREADS + threadIdx.x;\n"
             "  for (int item = 0; item < ITEMS; ++item) {\n    const int i = t * ITEMS + item;"),
    dict(name="convolution", kind="not unrolled", problem="examples/convolution", file="convolution.cu",
         workload="{h: 64, w: 64}", genes="{rows: 4}",
         old="      for (int j = 0; j < WIDTH; ++j) sum += tile[y + i][x + j] * d_filter[i * WIDTH + j];",
         new="#pragma unroll 1\n"
             "      for (int j = 0; j < WIDTH; ++j) sum += tile[y + i][x + j] * d_filter[i * WIDTH + j];"),
    dict(name="nbody", kind="local array", problem="examples/nbody", file="nbody.cu", workload="{n: 256}",
         genes="{THREADS: 32}",
         old="  float x = 0, y = 0, z = 0;",
         new="  float sum[3] = {};",
         also=("      x += dx * pull;\n      y += dy * pull;\n      z += dz * pull;",
               "      float step[3];\n      step[0] = dx;\n      step[1] = dy;\n      step[2] = dz;\n"
               "#pragma unroll 1\n      for (int axis = 0; axis < 3; ++axis) sum[axis] += step[axis] * pull;"),
         third=("  acceleration[3 * i] = x;\n  acceleration[3 * i + 1] = y;\n  acceleration[3 * i + 2] = z;",
                "#pragma unroll 1\n"
                "  for (int axis = 0; axis < 3; ++axis) acceleration[3 * i + axis] = sum[axis];")),
    dict(name="convolution", kind="barrier", problem="examples/convolution", file="convolution.cu",
         workload="{h: 64, w: 64}", genes="{rows: 4}",
         old="    if (top + y >= h || left + x >= w) continue;",
         new="    __syncthreads();  if (top + y >= h || left + x >= w) continue;"),
    dict(name="attention", kind="barrier", problem="kernels/attention_forward", file="scalar.cu",
         workload="{batch: 1, heads: 1, seq: 128, head_dim: 64, causal: 0}", template="scalar",
         accuracy="fp16-softmax",
         old="        float q_part[ROWS_PER_THREAD][READ_VEC];",
         new="        __syncthreads();  float q_part[ROWS_PER_THREAD][READ_VEC];"),
    dict(name="nbody", kind="recomputed", problem="examples/nbody", file="nbody.cu", workload="{n: 512}",
         genes="{THREADS: 32}",
         old="    const int count = min(THREADS, n - first);",
         new="    const float4 mine = bodies[min(i, n - 1)];  const int count = min(THREADS, n - first);",
         also=("      const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;",
               "      const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;")),
]


def edited(text, plant, planted):
    for key in ("first", "second", "last"):
        if key in plant:
            assert plant[key][0] in text, plant["name"]
            text = text.replace(*plant[key], 1)
    if planted:
        for old, new in [(plant["old"], plant["new"])] + [plant[k] for k in ("also", "third", "fourth") if k in plant]:
            assert old in text, plant["name"]
            text = text.replace(old, new, 1)
    return text


def run(evo, folder, plant, planted, trials, seed):
    """The report of a run over a copy of the problem; one trial only for a text that is not to be edited."""
    where = os.path.join(folder, "planted" if planted else "as_it_is")
    shutil.copytree(os.path.join(ROOT, plant["problem"]), where)
    if plant["problem"].startswith("kernels/"):
        shutil.copytree(os.path.join(ROOT, "kernels/common"), os.path.join(where, "common"))
    path = os.path.join(where, plant["file"])
    with open(path) as stream:
        text = stream.read()
    with open(path, "w") as stream:
        stream.write(edited(text, plant, planted))
    if "problem_edit" in plant:
        problem = os.path.join(where, "problem.yaml")
        with open(problem) as stream:
            yaml = stream.read()
        assert plant["problem_edit"][0] in yaml, plant["name"]
        with open(problem, "w") as stream:
            stream.write(yaml.replace(*plant["problem_edit"], 1))
    experiment = os.path.join(where, "planted.yaml")
    template = f"templates: [{plant['template']}]\n" if "template" in plant else ""
    base = ", ".join(filter(None, [f"template: {plant['template']}" if "template" in plant else "",
                                   f"genes: {plant['genes']}" if "genes" in plant else ""]))
    accuracy = f"accuracy_class: {plant['accuracy']}\n" if "accuracy" in plant else ""
    count = trials if planted else 1
    with open(experiment, "w") as stream:
        stream.write(f"""name: planted
description: an inefficiency in the text
problem: .
workloads: [{plant['workload'].replace('{', '{name: w, ', 1)}]
target: l4
device: virtual
{accuracy}{template}{f'baseline: {{{base}}}' if base else ''}
search:
  population: {min(count, 20)}
  generations: {max(1, count // 20)}
  window: 8
  seed: {seed}
  mutators: {{gene_mutation: 0, uniform_crossover: 0, insight_guided: 0, sync_mutation: 0, neighbour: 0,
             random_immigrant: 0, source_edits: 1}}
budget: {{trials: {count}}}
gates: {{permuted_runs: 2}}
""")
    output = subprocess.run([evo, "run", experiment, "--json", "-q", "--run-dir", where + ".run", "--input-seed", "5"],
                            capture_output=True, text=True)
    # 5: the baseline has no rival, which is what a single trial means.
    if output.returncode != 0 and (planted or output.returncode != 5):
        sys.exit(f"{plant['name']}: exit code {output.returncode}: {output.stderr[-2000:] or output.stdout[:2000]}")
    return json.loads(output.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evo")
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--trials", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--more", action="store_true")
    arguments = parser.parse_intermixed_args()
    print("| kernel | planted | as it is (us) | planted (us) | champion (us) | regained | edits that undo it | found |")
    print("|---|---|---|---|---|---|---|---|")
    counted = found = 0
    for plant in PLANTS + (MORE if arguments.more else []):
        if arguments.kernels and not {plant["name"], plant["name"] + ":" + plant["kind"]} & set(arguments.kernels):
            continue
        with tempfile.TemporaryDirectory() as folder:
            first = run(arguments.evo, folder, plant, False, 1, arguments.seed)
            report = run(arguments.evo, folder, plant, True, arguments.trials, arguments.seed)
        as_it_is = first["baseline"]["latency_us"]
        slow, best = report["baseline"]["latency_us"], report["champion"]["latency_us"]
        undone = []
        for edit in report.get("source", {}).get("edits", []):
            operator = edit["edit"].split()[0]
            useless = edit["factor"] is not None and edit["factor"] <= 1
            if operator.startswith(UNDO[plant["kind"]]) and not useless:
                undone.append(operator)
        real = slow >= 1.01 * as_it_is
        regained = (slow - best) / (slow - as_it_is) if real else 0
        good = bool(undone) and regained >= 0.9
        counted += real
        found += real and good
        print(f"| {plant['name']} | {plant['kind']} | {as_it_is:.2f} | {slow:.2f} | {best:.2f} | "
              f"{100 * regained:.0f} % | "
              f"{', '.join(undone) or '-'} | {('yes' if good else 'no') if real else 'not slower'} |", flush=True)
    print(f"\nplanted {counted}, found {found}")
    return 0 if found == counted else 1


if __name__ == "__main__":
    sys.exit(main())
