#include "config/keys.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace evo::config {
namespace {

constexpr Key experiment_table[] = {
    {"name", "string", "Name of the experiment; run folders begin with it", true},
    {"description", "string", "One line for a reader"},
    {"problem", "string", "Problem: a name below kernels/, or the path of a folder with a problem.yaml",
     true},
    {"workloads", "array", "Concrete shapes: a name, a weight (default 1) and values of axes", true},
    {"target", "string",
     "GPU model whose limits and architecture hold: the name of a file in targets/ (beside the experiment, "
     "or of evo), or the path of one; default: l4"},
    {"device", "string",
     "Where candidates run: auto (a GPU if there is one that can run the target's code), virtual, cuda:N, "
     "cuda:0,2 or cuda:all (GPUs of one model); "
     "default: auto"},
    {"smem_limit", "integer", "Shared memory of a block in bytes; default: the target's opt-in limit", false,
     1024, 1 << 20},
    {"accuracy_class", "string", "One of the problem's tolerances; default: its first"},
    {"templates", "array", "Templates that evolve; default: all of the problem's"},
    {"baseline", "object", "The genome that is proven first and compared with"},
    {"starts", "array", "Designs that the run tries right behind the baseline"},
    {"priors", "array",
     "Earlier runs: folders, or maps with run and best. Their best designs are tried right behind the "
     "baseline"},
    {"search", "object", "How the space is searched"},
    {"budget", "object", "When the run ends"},
    {"gates", "object", "Settings of the gates"},
    {"input_seed", "integer", "Fixes the entropy of input data; default: drawn from the system once a run",
     false, 0, 9.2e18},
};

constexpr Key baseline_table[] = {
    {"template", "string", "Template of the baseline; default: the first"},
    {"genes", "object", "Genes that differ from the template's initial values"},
};

constexpr Key initial_design_table[] = {
    {"template", "string", "Template of the design; default: the baseline's"},
    {"genes", "object", "Genes that differ from the template's initial values"},
    {"origin", "string", "Who names it, as the trial's rationale shows it"},
};

constexpr Key prior_table[] = {
    {"run", "string", "Folder of the run, from the experiment's or the working folder", true},
    {"best", "integer",
     "How many of its designs: its champion, the best of each other template, the next; default: 4", false, 1,
     64},
};

constexpr Key target_table[] = {
    {"name", "string", "Name of the GPU model: that of the file", true},
    {"description", "string", "One line for a reader"},
    {"device_names", "array",
     "Whole words of the name that such a device gives itself, as RTX 4090; default: the target's name"},
    {"arch", "string", "What NVRTC compiles for, as sm_89 or sm_90a; the compute capability is the number",
     true},
    {"sm_count", "integer", "Streaming multiprocessors (SM)", true, 1, 4096},
    {"clock_ghz", "number", "Boost clock in GHz", true, 0.1, 10},
    {"smem_per_block_optin_bytes", "integer", "Shared memory of a block at most, in bytes", true, 1024,
     1 << 24},
    {"smem_per_sm_bytes", "integer", "Shared memory of an SM in bytes", true, 1024, 1 << 24},
    {"smem_reserved_per_block_bytes", "integer", "Shared memory of a block that the system takes, in bytes",
     true, 0, 1 << 16},
    {"max_threads_per_block", "integer", "Threads of a block at most", true, 32, 1 << 16},
    {"max_warps_per_sm", "integer", "Warps that an SM holds at a time", true, 1, 1024},
    {"max_blocks_per_sm", "integer", "Blocks that an SM holds at a time", true, 1, 1024},
    {"registers_per_sm", "integer", "Registers of 32 bits of an SM", true, 1024, 1 << 24},
    {"max_registers_per_thread", "integer", "Registers of 32 bits of a thread at most", true, 16, 1024},
    {"dram_gb_per_s", "number", "Rate of the device memory in GB/s (1e9 bytes)", true, 1, 1e6},
    {"l2_gb_per_s", "number", "Rate of the L2 cache in GB/s (1e9 bytes)", true, 1, 1e6},
    {"l2_bytes", "integer", "Size of the L2 cache in bytes", true, 0, 1e12},
    {"tensor_fp16_flops_per_sm_cycle", "number",
     "Dense FP16 operations of an SM's tensor cores in a cycle, 2 a fused multiply-add; 0: not known", true,
     0, 1e6},
};

constexpr Key problem_table[] = {
    {"name", "string", "Name of the problem", true},
    {"description", "string", "What is computed"},
    {"axes", "object", "Named sizes and flags of a workload", true},
    {"args", "array", "The kernel's parameters, in its order", true},
    {"oracle", "name",
     "The fp64 reference: its name, a naive kernel, an expression, recorded files or a command; or a list of "
     "those, which must agree",
     true},
    {"input_sets", "array", "How inputs are drawn: name, kind, parameters; default: one set, kind normal"},
    {"tolerances", "array", "Accuracy classes; default: tolerance: auto"},
    {"tolerance", "string",
     "auto, in the place of tolerances: errors are held against those of the oracle itself in the type that "
     "kernels compute in",
     false, 0, 0, "auto"},
    {"work", "object",
     "flops and bytes of a workload, as expressions; default: those of an oracle that is an expression, else "
     "every array is read or written once, no arithmetic"},
    {"check_workloads", "array", "Odd shapes of the correctness gate"},
    {"stages", "array", "Intermediate results that sources can show to evo diagnose"},
    {"rules", "array", "Files with causes and suspect lines of evo diagnose, from the problem's folder"},
    {"sweeps", "object", "Named lists of workloads for evo bench --sweep"},
    {"metrics", "object",
     "Numbers for reports, over axes, time (ns), flops and bytes: GFLOP/s: 2 * m * n * k / time"},
    {"templates", "object", "Kernel sources with genes", true},
};

constexpr Key oracle_table[] = {
    {"kernel", "string",
     "CUDA source of the reference, beside problem.yaml: takes the problem's arguments in their order, "
     "floating-point ones as EVO_REAL, which is double"},
    {"expression", "value",
     "Index notation: C[m, n] = sum(k, A[m, k] * B[k, n]); several statements as a list, or between "
     "semicolons"},
    {"files", "object", "Recorded .npy arrays: for each workload a file for each input and output"},
    {"command", "array",
     "A program that reads inputs from INPUTS/NAME.npy and writes OUTPUTS/NAME.npy; its last two arguments "
     "are these folders"},
    {"timeout_s", "number", "command: seconds that it may take for one case; default 60", false, 0.1, 3600},
    {"entry", "string", "Its __global__ function, as one would call it; default: reference"},
    {"grid", "array",
     "Its blocks: one to three expressions over axes; default: a thread for each output element"},
    {"block", "array", "Its threads: one to three expressions over axes; default: 256"},
};

constexpr Key axis_table[] = {
    {"compile_time", "boolean", "Becomes a macro; one value in all workloads of an experiment"},
    {"min", "integer", "Least value"},
    {"max", "integer", "Greatest value"},
    {"multiple_of", "integer", "Every value is a multiple of this"},
    {"allowed", "array", "The only legal values"},
    {"initial", "integer", "The value where a workload names none"},
    {"description", "string", "What it means"},
};

constexpr Key argument_table[] = {
    {"name", "string", "Name of the parameter", true},
    {"role", "string", "What it is for; inout: given like an input, put back before every launch, judged",
     true, 0, 0, "input|output|scalar|workspace|inout"},
    {"dtype", "string", "Element type", true, 0, 0,
     "f16|bf16|f32|f64|i8|u8|i32|u32|i64|u64|bool|i16|u16|f8e4m3|f8e5m2"},
    {"shape", "array", "Sizes in elements, as expressions"},
    {"strides", "array", "Strides in elements, as expressions; default: row-major"},
    {"reduce", "string",
     "Outputs: what is compared. sum, max, min: over the first dimension of the shape, which may follow "
     "genes and "
     "which the oracle's array does not have; sort: the elements in any order",
     false, 0, 0, "sum|max|min|sort"},
    {"align", "integer",
     "Arrays: bytes that its address is a multiple of, where kernels take it as vectors (float4*: 16); "
     "default: those of an element. Structs, and scalars in them: what C++ aligns them to",
     false, 1, 128},
    {"zeroed", "boolean", "Workspaces: holds zeros before every launch, timed ones too; default: unwritten"},
    {"before", "string",
     "Outputs: zero: holds zeros before every launch, timed ones too, so that atomics may add", false, 0, 0,
     "zero"},
    {"unwritten", "string",
     "Outputs with before: zero, and inouts: keep: elements that nothing writes keep what was there; "
     "default: "
     "the reference writes all of them",
     false, 0, 0, "keep"},
    {"fill", "name",
     "Inputs and inouts: what it holds, in every input set that names no other; default: as the set's kind "
     "draws"},
    {"unused", "boolean", "true: no kernel need read it; the self-test does not ask whether it matters"},
    {"neutral", "boolean",
     "true: its value changes nothing (an offset of 0); the self-test does not ask whether it matters"},
    {"reproducible", "boolean",
     "Outputs and inouts of floating-point numbers: false: equal launches may give other bits, as atomic "
     "additions do; each is then held against the tolerance; default: the same bits always"},
    {"symbol", "string",
     "Inputs: no parameter, but the contents of this __constant__ or __device__ variable, as C++ names it"},
    {"value", "value",
     "Scalars: a number, an integer expression, inverse_sqrt(expression), or stride(DIMENSION, ARRAY, ...): "
     "it tells "
     "the stride of these arrays"},
    {"texture", "object",
     "Inputs: the kernel takes a cudaTextureObject_t; a reference takes a pointer to the array"},
    {"surface", "object",
     "Arrays: the kernel takes a cudaSurfaceObject_t; a reference takes a pointer to the array"},
    {"struct", "array",
     "With name, and align where it is needed, in the place of all other keys: a struct by value. Its "
     "members "
     "in their order, entries like those of args; a reference takes them as parameters of their own"},
};

constexpr Key texture_table[] = {
    {"filter", "string", "What a fetch between texels gives: the one it is in, or a mix of its neighbours",
     false, 0, 0, "point|linear", "", std::string_view("point")},
    {"address", "string",
     "What a fetch beyond the edge reads: the edge, the other end, the mirrored image, or zero; wrap and "
     "mirror "
     "need normalized: true",
     false, 0, 0, "clamp|wrap|mirror|border", "", std::string_view("clamp")},
    {"normalized", "boolean", "true: coordinates go from 0 to 1, not to the size", false, 0, 0, "", "",
     false},
    {"read", "string", "normalized_float: 8- and 16-bit integers are read as fractions of their range", false,
     0, 0, "element|normalized_float", "", std::string_view("element")},
    {"memory", "string", "linear: for tex1Dfetch, one dimension; array: for all other fetches", false, 0, 0,
     "array|linear", "", std::string_view("array")},
    {"channels", "integer", "Elements of a texel (float4: 4): the last dimension of the shape", false, 1, 4,
     "", "", std::int64_t{1}},
    {"layers", "boolean", "true: the first dimension of the shape counts layers", false, 0, 0, "", "", false},
};

constexpr Key surface_table[] = {
    {"channels", "integer", "Elements of a texel (uchar4: 4): the last dimension of the shape", false, 1, 4,
     "", "", std::int64_t{1}},
    {"layers", "boolean", "true: the first dimension of the shape counts layers", false, 0, 0, "", "", false},
};

constexpr Key input_set_table[] = {
    {"name", "string", "Name of the set; default: its kind"},
    {"kind", "string", "How values are drawn; other keys are the kind's parameters", true},
    {"fill", "object", "By an argument's name: what it holds in this set"},
};

constexpr Key fill_table[] = {
    {"normal", "array", "[mean, deviation]; nothing beyond four deviations"},
    {"uniform", "array", "[low, high], both included"},
    {"integers", "array", "[low, high]: whole numbers, both included"},
    {"permutation", "value", "n: 0 to n - 1 in any order, the whole array or each row"},
    {"offsets", "value", "n: each row ascends from 0 to n, as row offsets of a sparse matrix do"},
    {"sorted", "array", "[low, high]: each row ascends"},
    {"zipf", "array", "[n, s]: 0 to n - 1, k with a probability proportional to (k + 1)^-s"},
    {"constant", "value", "This number everywhere"},
    {"ramp", "array", "[start, step]: start + step * index of the element"},
    {"column", "array", "[ARGUMENT, j]: the numbers of column j of another argument"},
    {"npy", "string",
     "A NumPy file beside problem.yaml; read again from its start where the array is larger"},
};

constexpr Key tolerance_table[] = {
    {"class", "string", "Name of the accuracy class", true},
    {"relative_frobenius", "number", "Bound of |out - ref| / |ref| in the Frobenius norm", true, 0, 1},
    {"max_abs_over_rms", "number", "Bound of max |out - ref| / rms(ref)", true, 0, 1e6},
    {"input_sets", "array", "Input sets of the class's domain; default: all"},
    {"rule", "string",
     "reference_factor: errors are also held against those of a plain implementation in the output's 16-bit "
     "type",
     false, 0, 0, "fixed|reference_factor"},
    {"factor", "number", "reference_factor: how many times the plain implementation's error is allowed",
     false, 1, 16},
    {"absolute", "number", "reference_factor: error allowed besides, in units of the output; default 0",
     false, 0, 1},
};

constexpr Key stage_table[] = {
    {"name", "string", "First word of EVO_PROBE", true},
    {"formula", "string", "fp64 formula of the stage", true},
    {"rows", "value", "Rows of the matrix, an expression over axes and genes", true},
    {"columns", "value", "Columns of the matrix", true},
    {"slices", "value", "Matrices of a launch; default 1"},
    {"tile", "value", "Columns that the kernel takes at a time, where the formula depends on it"},
    {"description", "string", "What it is"},
    {"kept_in", "string", "f32: that a kernel keeps it in 16 bits, or as exactly as they allow, is noted",
     false, 0, 0, "f32"},
    {"running", "string", "max: that it has one value wherever it is wrong is noted", false, 0, 0, "max"},
    {"sums", "string", "The stage that it sums up; all sums of one stage are rescaled by the same factor"},
};

constexpr Key rule_table[] = {
    {"name", "string", "Name of the cause; one that evo has too is added to", true},
    {"category", "string", "What kind of fault it is"},
    {"cause", "string", "What is wrong, in a sentence"},
    {"remedy", "string", "What to look at or change"},
    {"needs", "array", "Facts without any of which the rule does not apply"},
    {"words", "array", "Words of the source lines that do this step"},
    {"for", "object", "Facts that speak for it, with points"},
    {"against", "object", "Facts that speak against it, with points"},
};

constexpr Key suspect_table[] = {
    {"rule", "string", "The cause whose lines look so", true},
    {"fact", "string", "Only where this was observed"},
    {"pattern", "string", "Regular expression (ECMAScript), searched in a line without its comment", true},
    {"why", "string", "What the line does", true},
    {"look", "string", "Which of the lines that match", false, 0, 0, "text|named|hook_factor|factor_use"},
};

constexpr Key template_table[] = {
    {"source", "name", "Kernel source, beside problem.yaml; or the command that writes it for a genome",
     true},
    {"entry", "string",
     "The kernel, as C++ names it: add, ns::add<float, {TILE}>; {GENE} is a gene's value. Needed unless "
     "launches "
     "says it"},
    {"headers", "array", "Files beside the source or in kernels/common that it may include"},
    {"arch", "string", "The one architecture that it is written for, as sm_90a; default: any"},
    {"sync_checkable", "boolean",
     "false: no checker follows its copies and products, so sync genes stay at full strength"},
    {"defines", "object",
     "Macros besides those of genes: expressions over genes and compile-time axes, or texts; a #define of "
     "that "
     "name in the source yields"},
    {"options", "array",
     "Options of the compiler: --use_fast_math, --fmad=, --ftz=, --prec-div=, --prec-sqrt=, --maxrregcount=, "
     "--std=, -DNAME=VALUE, -UNAME, -IFOLDER beside problem.yaml"},
    {"genes", "object", "Named choices: a list of values, or a map"},
    {"constraints", "array",
     "Relations that every legal genome satisfies: expressions, or maps with a reason"},
    {"shapes", "array",
     "Sizes for which the kernel of a genome is written, as relations of axes and genes: m % TILE == 0"},
    {"starts", "array", "Designs that a search tries at its start, besides the initial genome"},
    {"launch", "object", "Grid, block and shared memory, as expressions. Needed unless launches says it"},
    {"launches", "array",
     "Several kernels, one behind the other, instead of entry and launch: what the last leaves is judged, "
     "and all "
     "are timed as one"},
    {"sanitize_shapes", "array", "Small shapes of the sanitize gate: axis values as expressions"},
    {"unreached", "object", "FILE:LINE of code that no launch reaches, and why; told in reports"},
};

constexpr Key start_table[] = {
    {"name", "string", "Name of the design, which its trial's rationale shows", true},
    {"description", "string", "What it is"},
    {"genes", "object", "Genes that differ from their initial values", true},
};

constexpr Key launch_table[] = {
    {"grid", "array", "Blocks: one to three expressions", true},
    {"block", "array", "Threads: one to three expressions", true},
    {"args", "array", "The problem's arguments that the kernel takes, in its order; default: all"},
    {"dynamic_smem", "value", "Dynamic shared memory in bytes; default 0"},
    {"static_smem", "value",
     "Static shared memory in bytes, as the compiler must report it; auto, the default: what it reports "
     "counts"},
    {"tensor_maps", "array", "Tensor maps (TMA): parameters of the kernel after the problem's arguments"},
};

constexpr Key launch_step_table[] = {
    {"entry", "string", "The kernel, as C++ names it; {GENE} is a gene's value", true},
    {"when", "value",
     "Expression over genes and compile-time axes: 0 leaves the launch out; default: it is always made"},
};

constexpr Key tensor_map_table[] = {
    {"name", "string", "Name of the kernel's parameter", true},
    {"argument", "string", "The array that it views; sizes and strides are the argument's", true},
    {"order", "array",
     "Dimensions of the argument, the contiguous one first; default: from the last to the first"},
    {"box", "array", "Elements of one copy, in that order, as expressions", true},
    {"swizzle", "value", "Bytes over which a box's rows are swizzled: 0, 32, 64 or 128; default 0"},
};

}  // namespace

std::span<const Key> experiment_keys() {
  return experiment_table;
}
std::span<const Key> baseline_keys() {
  return baseline_table;
}
std::span<const Key> initial_design_keys() {
  return initial_design_table;
}
std::span<const Key> prior_keys() {
  return prior_table;
}
std::span<const Key> target_keys() {
  return target_table;
}
std::span<const Key> problem_keys() {
  return problem_table;
}
std::span<const Key> oracle_keys() {
  return oracle_table;
}
std::span<const Key> axis_keys() {
  return axis_table;
}
std::span<const Key> argument_keys() {
  return argument_table;
}
std::span<const Key> texture_keys() {
  return texture_table;
}
std::span<const Key> surface_keys() {
  return surface_table;
}
std::span<const Key> input_set_keys() {
  return input_set_table;
}
std::span<const Key> fill_keys() {
  return fill_table;
}
std::span<const Key> tolerance_keys() {
  return tolerance_table;
}
std::span<const Key> stage_keys() {
  return stage_table;
}
std::span<const Key> rule_keys() {
  return rule_table;
}
std::span<const Key> suspect_keys() {
  return suspect_table;
}
std::span<const Key> template_keys() {
  return template_table;
}
std::span<const Key> start_keys() {
  return start_table;
}
std::span<const Key> launch_step_keys() {
  return launch_step_table;
}
std::span<const Key> launch_keys() {
  return launch_table;
}
std::span<const Key> tensor_map_keys() {
  return tensor_map_table;
}

std::vector<std::string> key_names(std::span<const Key> keys) {
  std::vector<std::string> names;
  for (const Key& entry : keys) names.emplace_back(entry.name);
  return names;
}

const Key& key(std::span<const Key> keys, std::string_view name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& entry) { return entry.name == name; });
  if (found == keys.end()) throw std::logic_error("no such key in the settings table: " + std::string(name));
  return *found;
}

}  // namespace evo::config
