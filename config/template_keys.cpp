// Keys of templates and their launches.
#include "config/keys.hpp"

namespace evo::config {
namespace {

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
     "false: no checker follows all of its copies and products, so sync genes stay at full strength"},
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
    {"entry", "string",
     "The kernel, as C++ names it; {GENE} is a gene's value. Needed unless launches are within"},
    {"when", "value",
     "Expression over genes and compile-time axes, within repeat also over axes and loops: 0 leaves the "
     "launch "
     "out; default: it is always made"},
    {"repeat", "object",
     "Names that count, the outermost first: {k: n} makes the launch n times, with k from 0; {d: {from, to, "
     "step}} up to and with `to`. Over genes, axes and outer names; scalars, grid, block and when may use "
     "them"},
    {"launches", "array", "With repeat, in the place of the other keys: launches that are repeated together"},
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

std::span<const Key> template_keys() {
  return template_table;
}
std::span<const Key> start_keys() {
  return start_table;
}
std::span<const Key> launch_keys() {
  return launch_table;
}
std::span<const Key> launch_step_keys() {
  return launch_step_table;
}
std::span<const Key> tensor_map_keys() {
  return tensor_map_table;
}

}  // namespace evo::config
