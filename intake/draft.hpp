// A problem as far as it could be inferred, with the reason for each guess.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "intake/request.hpp"
#include "intake/signature.hpp"

namespace evo::intake {

/// What the problem files accept today; more as config learns it.
struct Dialect {
  bool inout = false;           ///< role: inout
  bool zeroed_outputs = false;  ///< before: zero, of outputs
  bool idle_arguments = false;  ///< unused: true, neutral: true
  bool gene_as = false;         ///< genes: {as: template}
  bool auto_smem = false;       ///< static_smem: auto
  bool auto_tolerance = false;  ///< tolerance: auto in place of tolerances
  bool fills = false;           ///< fill: of arguments
  bool align = false;           ///< align: of arrays
  bool command_oracle = false;  ///< oracle: {command: [...]}
  bool work_optional = false;   ///< work may be left out
};
[[nodiscard]] Dialect known_dialect();

struct DraftAxis {
  std::string name;
  std::vector<std::int64_t> values;                       ///< a workload for each
  std::vector<std::pair<std::string, std::string>> keys;  ///< others, as given
  bool compile_time = false;
  std::string why, todo;
  bool widened = false;  ///< its `max` is widen_sizes()'s, and nobody told one
  bool limited = false;  ///< its `max` is limit_sizes()'s
};

/// Where a member stands in a struct by value; members of one are neighbours.
struct DraftPlace {
  std::string structure;                ///< the parameter; "" of what is no member
  std::string path;                     ///< "d.rows": how flags name it
  std::uint32_t offset = 0, bytes = 0;  ///< of the member; of the whole struct
  std::uint32_t alignment = 0;          ///< of the struct, where its members do not say it; 0: they do
};

/// Neighbours of one type in an array of structs whose members have several.
struct DraftField {
  std::string name;  ///< the first one's: "position"
  std::string dtype;
  int lanes = 1;      ///< how many they are
  int alignment = 0;  ///< bytes that it begins at a multiple of, where those of an element are too few
  std::vector<std::pair<std::string, std::string>> keys{};  ///< of it alone
};

/// One number of each row of an array: bottom_rois[0], the image of a box.
struct DraftColumn {
  int column = 0;
  std::vector<std::pair<std::string, std::string>> keys{};  ///< fill, unused
};

struct DraftArgument {
  std::string name, role, dtype, value;
  std::vector<std::string> shape;
  std::vector<std::pair<std::string, std::string>> keys;
  std::string why, todo;
  int lanes = 1;                       ///< elements of its dtype in one of the kernel's: 4 of float4
  bool reference_only = false;         ///< no parameter of the kernel: a size that its reference takes
  bool holds_indices = false;          ///< its elements lead into another array
  std::vector<DraftField> fields{};    ///< of structs with members of several types; an element is a struct
  std::vector<DraftColumn> columns{};  ///< those of which something is known; fields in the end
  DraftPlace place{};                  ///< of a member of a struct that the kernel takes by value
};

struct DraftGene {
  std::string name;
  std::vector<std::string> values;
  std::string initial;         ///< "": the first
  bool from_template = false;  ///< stands in the entry, and no macro
  std::string why, todo;
  bool text = false;  ///< the macro stands for the value's own text
};

struct DraftLaunch {
  std::vector<std::string> grid, block;
  std::string dynamic_smem, static_smem;
  std::string why, todo;
};

/// A file of the folder, beside problem.yaml and experiment.yaml.
struct DraftFile {
  std::string name, text;
};

/// How a reference is launched: expressions over axes; empty: a thread for each element of an output.
struct DraftReferenceLaunch {
  std::vector<std::string> grid, block;
};

struct Draft {
  std::string name;    ///< of the problem
  std::string source;  ///< name of the kernel's file in the folder
  std::string entry;
  std::vector<DraftAxis> axes;
  std::vector<DraftArgument> arguments;
  std::vector<DraftGene> genes;
  std::vector<std::string> constraints;
  std::vector<std::pair<std::string, std::string>> unreached;  ///< "scan.cu:76", and why
  std::string equal_writes;                                    ///< Request::equal_writes
  std::string compute;                                         ///< Request::compute
  std::vector<std::pair<std::string, std::string>> defines;    ///< macros without which there is no kernel
  std::vector<std::string> options{};                          ///< of the compiler
  DraftLaunch launch;
  std::string reference_entry = "reference";
  std::vector<std::string> reference_grid, reference_block;
  bool reference_guessed = false;  ///< that launch is nobody's word, or part of an output may be left
  /// Where the launch is a guess that turns out too small: others, the next one first.
  std::vector<DraftReferenceLaunch> other_launches;
  std::vector<std::string> oracle_command;  ///< in the place of a reference kernel
  bool stub = false;                        ///< reference.cu is to be written by the user
  std::string device, target;
  int trials = 0;
  std::vector<DraftFile> files;
  bool costly = false;  ///< the reference takes long at the sizes of looks: they are taken at the least ones
  std::vector<std::int64_t>
      numbers;                     ///< larger integers that the code names: an array may be a multiple of one
  std::vector<std::string> notes;  ///< what else was done: host code left out, a macro that yields
};

}  // namespace evo::intake
