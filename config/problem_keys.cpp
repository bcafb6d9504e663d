// Keys of problems, but for those of their templates.
#include "config/keys.hpp"

namespace evo::config {
namespace {

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
    {"compute", "string",
     "With tolerance: auto: the 16-bit type that kernels may compute in; errors may then be those of its "
     "roundings; default: float",
     false, 0, 0, "f16|bf16"},
    {"work", "object",
     "flops and bytes of a workload, as expressions; default: those of an oracle that is an expression, else "
     "every array is read or written once, no arithmetic"},
    {"check_workloads", "array", "Odd shapes of the correctness gate"},
    {"stages", "array", "Intermediate results that sources can show to evo diagnose"},
    {"rules", "array", "Files with causes and suspect lines of evo diagnose, from the problem's folder"},
    {"sweeps", "object", "Named lists of workloads for evo bench --sweep"},
    {"equal_writes", "string",
     "Why threads that write the same number to one place, with no barrier between them, are meant, as where "
     "threads beyond a border write the last number again: such writes are then no race, on the virtual "
     "device. Told in reports"},
    {"comparators", "array",
     "What else computes the problem, for evo bench and the final verdict: programs that say themselves what "
     "they can do, libraries, other kernels; default: comparator.py beside problem.yaml, if there is one"},
    {"metrics", "object",
     "Numbers for reports, over axes, time (ns), flops and bytes: GFLOP/s: 2 * m * n * k / time"},
    {"templates", "object", "Kernel sources with genes", true},
};

constexpr Key comparator_table[] = {
    {"name", "string", "What reports call it", true},
    {"command", "array",
     "A program and its arguments, run in the folder of problem.yaml; it speaks the protocol of "
     "comparator.py"},
    {"python", "string", "A Python file beside problem.yaml that speaks it"},
    {"functions", "string",
     "A Python file of functions over PyTorch's tensors, each a backend: parameters named as arguments, the "
     "output is what it returns (several: in their order, or by name)"},
    {"template", "string",
     "Another kernel: one of this problem's templates, which is then searched by those experiments alone "
     "that name it"},
    {"genes", "object", "The genes of that kernel; default: its initial genome"},
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
    {"guessed", "boolean",
     "kernel: nobody has said that this launch writes everything; each case is asked whether more blocks "
     "write "
     "more. Default: false with grid and block, else true"},
};

constexpr Key axis_table[] = {
    {"compile_time", "boolean", "Becomes a macro; one value in all workloads of an experiment"},
    {"min", "integer", "Least value"},
    {"max", "integer", "Greatest value"},
    {"alone", "integer",
     "Above max: kernels are shown a few sizes up to this one, too, while the other axes are small"},
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
    {"fixed", "boolean",
     "Scalars that are a number: true: kernels may be written for that number alone, and are shown no other"},
    {"range", "array",
     "Scalars that are a number: [LEAST, LARGEST] that it may be; kernels are shown none beyond, and both "
     "ends"},
    {"special", "array",
     "Inputs and inouts of floating-point numbers: nan, inf: shown with those in it, in sets of their own, "
     "and "
     "outputs must have them where the reference has; []: never; default: where a reference kernel looks for "
     "them (isnan, x != x, == INFINITY) and its answer is a number"},
    {"reproducible", "boolean",
     "Outputs and inouts of floating-point numbers: false: equal launches may give other bits, as atomic "
     "additions do; each is then held against the tolerance; default: the same bits always"},
    {"symbol", "string",
     "Inputs: no parameter, but the contents of this __constant__ or __device__ variable, as C++ names it"},
    {"value", "value",
     "Scalars: a number, an integer expression, an expression with a real number or a function in it (0.5 * "
     "m "
     "/ sqrt(n)), which is computed in double, or stride(DIMENSION, ARRAY, ...): it tells the stride of "
     "these "
     "arrays"},
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
    {"offsets", "value or list",
     "n: each row ascends from 0 to n, as row offsets of a sparse matrix do; [n, least]: by at least so many "
     "each time, as where no row is empty"},
    {"sorted", "array", "[low, high]: each row ascends"},
    {"zipf", "array", "[n, s]: 0 to n - 1, k with a probability proportional to (k + 1)^-s"},
    {"constant", "value", "This number everywhere"},
    {"ramp", "array", "[start, step]: start + step * index of the element"},
    {"column", "array", "[ARGUMENT, j]: the numbers of column j of another argument"},
    {"npy", "string",
     "A NumPy file beside problem.yaml; read again from its start where the array is larger"},
    {"distinct", "array", "[low, high]: whole numbers, both included, none twice in the array"},
    {"ends", "array", "[ARGUMENT, n]: each where a row ends that begins where ARGUMENT says, at most n"},
    {"lengths", "array", "[ARGUMENT, n]: each as long as a row that begins where ARGUMENT says, within n"},
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

}  // namespace

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
std::span<const Key> comparator_keys() {
  return comparator_table;
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

}  // namespace evo::config
