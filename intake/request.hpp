// What a person says about a kernel on the command line, and the same read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace evo::intake {

struct Request {
  std::string kernel;     ///< the .cu file
  std::string entry;      ///< "" where the file has one kernel
  std::string reference;  ///< FILE or FILE:ENTRY; "" without one
  std::vector<std::string> axes, genes, arguments, constraints;
  std::vector<std::string> unreached;  ///< "76: why" or "scan.cuh:76: why": lines that no launch runs
  std::string equal_writes;            ///< why threads that write the same number are meant; "": no word
  std::string compute;                 ///< f16 or bf16: the type that kernels may compute in; "": float
  std::string grid, block;             ///< lists of expressions; "": inferred
  std::string reference_grid, reference_block;  ///< of the reference
  std::string dynamic_smem;                     ///< an expression, bytes
  std::string device, target;                   ///< "": auto, the default
  int trials = 0;                               ///< 0: by the space
};

/// `n=1048576`, `n=1000,4096 multiple_of=4`: an axis, a workload for each value.
struct AxisFlag {
  std::string name;
  std::vector<std::int64_t> values;
  std::vector<std::pair<std::string, std::string>> keys;  ///< of problem.yaml, such as multiple_of
};

/// `BLOCK=64,128,256`.
struct GeneFlag {
  std::string name;
  std::vector<std::string> values;
};

/// `y: inout f32[n]`, `alpha: 1.5`, `rows: {shape: [n + 1], fill: ...}`. What it leaves out is "".
struct ArgumentFlag {
  std::string name, role, dtype, value;
  std::vector<std::string> shape;
  std::vector<std::pair<std::string, std::string>> keys;  ///< others of problem.yaml, values as YAML
};

/// Each throws model::Exception(usage) with the flag's text, what is wrong and the nearest valid word.
[[nodiscard]] AxisFlag read_axis_flag(const std::string& text);
[[nodiscard]] GeneFlag read_gene_flag(const std::string& text);
[[nodiscard]] ArgumentFlag read_argument_flag(const std::string& text);
/// Adds what this one says to what another said of the same name, as 'x: [n]' and 'x: {fill: ...}' do. Two
/// that say different things of one word are refused.
void add_argument_flag(std::vector<ArgumentFlag>& flags, const std::string& text);
/// A list of one to three expressions over `names`; `flag` is for messages.
[[nodiscard]] std::vector<std::string> read_expressions(const std::string& flag, const std::string& text,
                                                        const std::vector<std::string>& names);

/// Legal roles and dtypes of problem.yaml, as config has them.
[[nodiscard]] std::vector<std::string> known_roles();
[[nodiscard]] std::vector<std::string> known_dtypes();

/// "76: why" of the file `source`, or "scan.cuh:76: why", as "scan.cuh:76" and why. Throws model::Exception
/// (usage).
[[nodiscard]] std::pair<std::string, std::string> read_unreached_flag(const std::string& text,
                                                                      const std::string& source);

}  // namespace evo::intake
