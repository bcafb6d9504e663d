"""CPU seconds of NVRTC: what headers cost, with and without precompiled headers, and what the stages of a
compile cost. Each is the least of three, in one process.

    python3 bench/compile/nvrtc.py                       headers
    python3 bench/compile/nvrtc.py PROBLEM_FOLDER LEDGER template=N ...   stages, of N compiled variants of a run each
"""
import ctypes
import json
import os
import resource
import sqlite3
import sys

HOME = os.environ.get("CUDA_HOME", "/usr/local/cuda")
LIBRARY = ctypes.CDLL(os.path.join(HOME, "lib64", "libnvrtc.so.13"))
COMMON = [f"--include-path={HOME}/include", f"--include-path={HOME}/include/cccl", "--std=c++17", "--device-int128"]


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def fetched(program, size, get):
    length = ctypes.c_size_t()
    if size(program, ctypes.byref(length)) != 0 or length.value == 0:
        return b""
    text = ctypes.create_string_buffer(length.value)
    get(program, text)
    return text.raw


def compiled(source, options):
    """(result, CPU seconds, log, PTX, cubin)"""
    program = ctypes.c_void_p()
    LIBRARY.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    before = cpu()
    result = LIBRARY.nvrtcCompileProgram(program, len(options), words)
    seconds = cpu() - before
    log = fetched(program, LIBRARY.nvrtcGetProgramLogSize, LIBRARY.nvrtcGetProgramLog)
    ptx = fetched(program, LIBRARY.nvrtcGetPTXSize, LIBRARY.nvrtcGetPTX)
    cubin = fetched(program, LIBRARY.nvrtcGetCUBINSize, LIBRARY.nvrtcGetCUBIN)
    LIBRARY.nvrtcDestroyProgram(ctypes.byref(program))
    return result, seconds, log.decode(errors="replace"), ptx, cubin


def least(source, options):
    runs = [compiled(source, options) for _ in range(3)]
    return min(run[1] for run in runs), runs[-1]


def headers():
    options = COMMON + ["--gpu-architecture=sm_90a", "--generate-line-info"]
    for name in ("", "cuda_fp16.h", "mma.h", "cuda_fp8.h", "cuda/barrier"):
        source = (f"#include <{name}>\n" if name else "") + 'extern "C" __global__ void k(float* a) { a[threadIdx.x] = 1; }\n'
        plain, run = least(source, options)
        kept, other = least(source, options + ["--pch"])
        same = "the same" if run[3:] == other[3:] else "OTHER"
        print(f"{name or 'no header'}: {plain:.3f} s, with --pch {kept:.3f} s, {same} PTX and machine code", flush=True)


def source_of(folder, template, name, genes):
    text = "#define HEAD_DIM 64\n"
    for gene, value in genes.items():
        values = template["genes"][gene]["values"]
        if any(isinstance(one, str) for one in values):
            text += "".join(f"#define {gene}_{one} {i}\n" for i, one in enumerate(values))
            text += f"#define {gene} {gene}_{value}\n"
        else:
            text += f"#define {gene} {int(value)}\n"
    with open(os.path.join(folder, template.get("source", name + ".cu"))) as file:
        return text + file.read()


def stages(folder, ledger, wanted):
    import yaml

    with open(os.path.join(folder, "problem.yaml")) as file:
        problem = yaml.safe_load(file)
    options = COMMON + [f"--include-path={os.path.join(folder, '../common')}"]
    database = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    for name, count in wanted:
        rows = database.execute("select genes from trials where template = ? and code_identity != '' limit ?", (name, count))
        for (genes,) in rows.fetchall():
            source = source_of(folder, problem["templates"][name], name, json.loads(genes))
            whole, run = least(source, options + ["--gpu-architecture=sm_90a", "--generate-line-info"])
            no_lines, _ = least(source, options + ["--gpu-architecture=sm_90a"])
            front, _ = least(source, options + ["--gpu-architecture=compute_90a", "--generate-line-info"])
            failed = "" if run[0] == 0 else " DOES NOT COMPILE: " + run[2][:200]
            print(f"{name}: {whole:.3f} s; without line tables {no_lines:.3f} s; as far as PTX {front:.3f} s{failed}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        headers()
    else:
        stages(sys.argv[1], sys.argv[2], [(w.split("=")[0], int(w.split("=")[1])) for w in sys.argv[3:]])
