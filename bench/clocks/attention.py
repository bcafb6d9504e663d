#!/usr/bin/env python3
"""One kernel, several clocks: what part of a ratio is the clock's?

usage: bench/clocks/attention.py RUN [--batch 2 --heads 8 --seq 512 --head-dim 64 --causal 0] [--launches N] [--repeats N]

Builds the champion that `evo run` of attention_forward left in RUN/champion (nvcc) and times it beside cuDNN and
FlashAttention, which PyTorch brings, on the same tensors, in microseconds a launch:

  alone        two events around a graph of one launch, less the same around nothing: mostly what a graph's start costs
  graph        two events around a CUDA graph of N launches on one set of buffers
  rotating     the same on N sets of buffers in turn: cold where they are more than the L2 holds
  kernel       what CUPTI says from a kernel's begin to its end, in those rotating graphs
  period       what CUPTI says from a kernel's begin to the next one's, there
  gap          period less kernel

and for each clock how many times as long the others take. The three take turns, R times; medians. Needs PyTorch.
"""
import argparse
import ctypes
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile


def built(run, folder):
    """launch() of the champion, by its C function, and the axes that it takes."""
    readme = (run / "champion/README.md").read_text()
    command = shlex.split(next(line for line in readme.splitlines() if line.startswith("nvcc ") and "-shared" in line))
    at = command.index("-o") + 1
    name = command[at].removeprefix("lib").removesuffix(".so")
    library = command[at] = str(folder / command[at])
    subprocess.run(command, check=True, cwd=run / "champion")
    header = (run / f"champion/{name}.h").read_text()
    axes = re.findall(r"long long axis_(\w+)", header[header.index(f"{name}_launch("):])
    return getattr(ctypes.CDLL(library), f"{name}_launch"), axes


def champion_of(launch, names, options, scale):
    number, place = ctypes.c_longlong, ctypes.c_void_p
    axes = [number(getattr(options, name, 0)) for name in names]

    def call(q, k, v, out):
        stream = place(torch.cuda.current_stream().cuda_stream)
        failed = launch(stream, *axes, *(place(x.data_ptr()) for x in (q, k, v, out)), ctypes.c_double(scale))
        assert failed == 0, f"cudaError_t {failed}"
        return out

    return call


def library_of(backend, options, scale):
    def call(q, k, v, out):
        with sdpa_kernel([backend]):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(options.causal), scale=scale)

    return call


def graph_of(call, sets, launches, stream):
    """Outputs are kept, so that libraries write to a buffer of their own each time, too."""
    graph, kept = torch.cuda.CUDAGraph(), []
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(*sets[0])
        stream.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(launches):
                kept.append(call(*sets[i % len(sets)]))
    return graph, kept


def between_events(stream, work):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(stream):
        begin.record()
        work()
        end.record()
    end.synchronize()
    return 1000 * begin.elapsed_time(end)


def by_cupti(graph, stream, launches):
    """Medians of duration and of begin to begin, of the kernels of one replay."""
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        with torch.cuda.stream(stream):
            graph.replay()
        stream.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.json"
        seen.export_chrome_trace(str(file))
        events = json.loads(file.read_text())["traceEvents"]
    kernels = sorted((e["ts"], e["dur"]) for e in events if e.get("cat") == "kernel")
    each = max(1, len(kernels) // launches)  # kernels a launch
    durations = [sum(d for _, d in kernels[i:i + each]) for i in range(0, len(kernels) - each + 1, each)]
    begins = [kernels[i][0] for i in range(0, len(kernels), each)]
    return statistics.median(durations), statistics.median(b - a for a, b in zip(begins, begins[1:])), each


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    for name, usual in (("batch", 2), ("heads", 8), ("seq", 512), ("head-dim", 64), ("causal", 0), ("launches", 76), ("repeats", 15)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    torch.manual_seed(7)
    scale = options.head_dim ** -0.5
    shape = (options.batch, options.heads, options.seq, options.head_dim)
    sets = [tuple(torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(4)) for _ in range(options.launches)]
    stream = torch.cuda.Stream()
    with tempfile.TemporaryDirectory() as folder:
        launch, axes = built(options.run.resolve(), pathlib.Path(folder))
        calls = {
            "champion": champion_of(launch, axes, options, scale),
            "cudnn": library_of(SDPBackend.CUDNN_ATTENTION, options, scale),
            "flash": library_of(SDPBackend.FLASH_ATTENTION, options, scale),
        }
        expected = calls["flash"](*sets[0]).float()
        off = (calls["champion"](*sets[0]).float() - expected).abs().max().item()
        print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}; the champion is at most {off:.2g} from flash")
        graphs = {name: (graph_of(call, sets[:1], options.launches, stream), graph_of(call, sets, options.launches, stream),
                         graph_of(call, sets[:1], 1, stream)) for name, call in calls.items()}
        found = {clock: {name: [] for name in calls} for clock in ("alone", "graph", "rotating", "kernel", "period", "gap")}
        kernels = {}
        for repeat in range(options.repeats + 1):  # the first one warms up
            nothing = between_events(stream, lambda: None)
            for name in calls:
                (one, _), (rotating, _), (single, _) = graphs[name]
                times = {"alone": between_events(stream, single.replay) - nothing}
                times["graph"] = between_events(stream, one.replay) / options.launches
                times["rotating"] = between_events(stream, rotating.replay) / options.launches
                if repeat <= 5:
                    times["kernel"], times["period"], kernels[name] = by_cupti(rotating, stream, options.launches)
                    times["gap"] = times["period"] - times["kernel"]
                if repeat > 0:
                    for clock, value in times.items():
                        found[clock][name].append(value)
        print("kernels a launch: " + ", ".join(f"{name} {count}" for name, count in kernels.items()))
        print("| clock | champion, us | cudnn, us | flash, us | cudnn / champion | flash / champion |\n|---|---|---|---|---|---|")
        for clock, values in found.items():
            middle = {name: statistics.median(times) for name, times in values.items()}
            against = [f"{middle[name] / middle['champion']:.3f}" if middle["champion"] else "-" for name in ("cudnn", "flash")]
            print(f"| {clock} | " + " | ".join(f"{middle[name]:.3f}" for name in calls) + " | " + " | ".join(against) + " |")


main()
