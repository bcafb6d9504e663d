#!/usr/bin/env python3
"""Machine instructions that ptxas makes of one instruction of PTX: what evaluators/devices/virtual/warp/expansions.cpp says.

usage: bench/correlation/expansions.py [ARCH]      needs nvcc and cuobjdump, no GPU

For each instruction a kernel with 8 and one with 16 of them, one behind the other: the difference over 8, by class. `beside` is
what both kernels have alike: a subroutine stands there, the slow way of a float, or all of a division of 64 bits.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

OPS = {"div.rn.f32": "f", "div.full.f32": "f", "div.approx.f32": "f", "rcp.rn.f32": "f1", "rcp.approx.f32": "f1", "sqrt.rn.f32": "f1",
       "sqrt.approx.f32": "f1", "rsqrt.approx.f32": "f1", "ex2.approx.f32": "f1", "lg2.approx.f32": "f1", "sin.approx.f32": "f1",
       "tanh.approx.f32": "f1", "div.s32": "r", "div.u32": "r", "rem.s32": "r", "rem.u32": "r", "div.s64": "l", "div.u64": "l",
       "rem.s64": "l", "div.rn.f64": "d", "rcp.rn.f64": "d1", "sqrt.rn.f64": "d1", "rsqrt.approx.f64": "d1",
       "add.s64": "l", "mul.lo.s64": "l", "mul.hi.s64": "l", "shl.b64": "l32", "add.s32": "r", "mul.lo.s32": "r", "popc.b32": "r1",
       "fma.rn.f32": "f3", "add.f32": "f", "add.f64": "d", "cvt.rn.f16.f32": "cvt", "cvt.rzi.s32.f32": "cvt2"}
CLASSES = {"fp32": r"F(FMA|ADD|MUL|SETP|MNMX|SEL|CHK|RND|SWZADD)", "fp64": r"D(FMA|ADD|MUL|SETP|MNMX)", "special": r"MUFU",
           "conversion": r"(I2F|F2I|F2F|F2FP|I2I|POPC|FLO)", "control": r"(BRA|CALL|RET|BSSY|BSYNC|EXIT|WARPSYNC|NOP)"}


def kernel(op, count):
    letter = OPS[op]
    kind, extra = letter[0], letter[1:]
    types = {"f": ("float", "f"), "d": ("double", "d"), "r": ("int", "r"), "l": ("long long", "l"), "c": ("float", "f")}
    name, constraint = types[kind]
    if letter == "cvt":
        body = '{.reg .b16 h; cvt.rn.f16.f32 h, %0; cvt.f32.f16 %0, h;}'
        line = f'asm volatile("{body}" : "+f"(x));'
    elif letter == "cvt2":
        line = 'asm volatile("{.reg .s32 h; cvt.rzi.s32.f32 h, %0; cvt.rn.f32.s32 %0, h;}" : "+f"(x));'
    elif extra == "1":
        line = f'asm volatile("{op} %0, %0;" : "+{constraint}"(x));'
    elif extra == "3":
        line = f'asm volatile("{op} %0, %0, %1, %1;" : "+{constraint}"(x) : "{constraint}"(y));'
    elif extra == "32":
        line = f'asm volatile("{op} %0, %0, %1;" : "+{constraint}"(x) : "r"(n));'
    else:
        line = f'asm volatile("{op} %0, %0, %1;" : "+{constraint}"(x) : "{constraint}"(y));'
    return (f'extern "C" __global__ void k({name}* p, int n) {{ {name} x = p[threadIdx.x], y = p[threadIdx.x + 32];\n' +
            (line + "\n") * count + "p[threadIdx.x + n] = x; }\n")


def counted(op, count, arch, folder):
    source, cubin = os.path.join(folder, "k.cu"), os.path.join(folder, "k.cubin")
    with open(source, "w") as text:
        text.write(kernel(op, count))
    subprocess.run(["nvcc", "-O3", "-cubin", f"-arch={arch}", "-o", cubin, source], check=True, capture_output=True)
    text = subprocess.run(["cuobjdump", "-sass", cubin], check=True, capture_output=True, text=True).stdout
    found = collections.Counter()
    for word in re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9]+)", text):
        if word in ("NOP",):
            continue
        found[next((name for name, pattern in CLASSES.items() if re.fullmatch(pattern + r".*", word)), "integer")] += 1
    return found


def main():
    arch = sys.argv[1] if len(sys.argv) > 1 else "sm_89"
    names = [*CLASSES, "integer"]
    print(f"| {arch} | " + " | ".join(names) + " | beside |\n|---|" + "---|" * (len(names) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for op in OPS:
            few, many = counted(op, 8, arch, folder), counted(op, 16, arch, folder)
            each = {name: (many[name] - few[name]) / 8 for name in names}
            beside = sum(few.values()) - 8 * sum(each.values())
            print(f"| {op} | " + " | ".join(f"{each[name]:g}" for name in names) + f" | {beside:.0f} |", flush=True)


if __name__ == "__main__":
    main()
