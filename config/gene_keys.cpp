// The settings tables of a template's source, genes and constraints.
#include "config/keys.hpp"

namespace evo::config {
namespace {

constexpr Key source_table[] = {
    {"command", "array",
     "Program and arguments, run in the problem's folder without network or writing: genes and compile-time "
     "axes come as JSON on its input, the source goes to its output",
     true},
};

constexpr Key gene_table[] = {
    {"role", "string",
     "sync: values go from the weakest to the strongest barrier; tile: how much a block takes at a time",
     false, 0, 0, "tuning|tile|sync"},
    {"values", "list",
     "All integers (true is 1, false 0), all real numbers or all names, in a meaningful order; or "
     "{from, to, step}, or {powers_of_two: [least, greatest]}. Needed unless options says them"},
    {"as", "string",
     "How the value reaches the compiler: a macro of the gene's name, which for a name is a number to "
     "compare "
     "with NAME_value (macro) or the name itself (text), {NAME} in the entry (template), the macro that "
     "define "
     "says, or not at all",
     false, 0, 0, "macro|text|template|define|none"},
    {"define", "string", "The macro that says the gene: X = 2 * TILE"},
    {"options", "object", "Options of the compiler for each value, as {0: [], 1: [--use_fast_math]}"},
    {"initial", "value", "Value of the template's own baseline; default: the first"},
    {"description", "string", "What it changes"},
};

constexpr Key constraint_table[] = {
    {"require", "value", "Expression that must hold", true},
    {"reason", "string", "What fails without it"},
};

}  // namespace

std::span<const Key> source_keys() {
  return source_table;
}
std::span<const Key> gene_keys() {
  return gene_table;
}
std::span<const Key> constraint_keys() {
  return constraint_table;
}

}  // namespace evo::config
