// Builds a draft step by step; each step takes what those before it found. Of make_draft() alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluators/compile/compiler.hpp"
#include "intake/arguments.hpp"
#include "intake/draft.hpp"
#include "intake/extents.hpp"
#include "intake/macros.hpp"
#include "intake/make_draft.hpp"
#include "intake/probe.hpp"
#include "intake/signature.hpp"
#include "model/error.hpp"

namespace evo::intake {

/// "n" as its macro: "N".
[[nodiscard]] std::string in_capitals(std::string text);
[[nodiscard]] bool occurs(const std::vector<std::string>& names, std::string_view name);
/// The text with the word `old` replaced.
[[nodiscard]] std::string with_name(const std::string& text, const std::string& old, const std::string& name);
[[noreturn]] void refuse(model::ExitCode code, const std::string& message);

class DraftMaker {
 public:
  DraftMaker(evaluators::compile::Compiler& compiler, const Request& request, Purpose purpose,
             const Tell& tell)
      : compiler_(compiler), request_(request), run_(purpose == Purpose::run), tell_(tell) {}

  Draft run();

 private:
  [[nodiscard]] std::string at(int line) const;
  void tell(const std::string& what) const {
    if (tell_) tell_(what);
  }
  DraftGene* gene(std::string_view name);
  void read_flags();
  [[nodiscard]] bool is_parameter(std::string_view name) const;
  /// A #define of the name in the file would win over evo's own: it becomes a comment.
  void open_macro(const std::string& name);
  /// And a constant of a function would be declared by evo's number.
  void open_local(const std::string& name);
  void make_compile_time(const std::string& axis);
  /// The instance that runs: templates get the genes of their names, or float.
  void choose_entry();
  /// The gene is no macro; where problem.yaml cannot say so, the macro has a name that the file does not use.
  void take_from_template(DraftGene& named, std::string& text);
  [[nodiscard]] static const std::string& first_value(const DraftGene& of);
  /// The entry with the genes' first values in it.
  [[nodiscard]] std::string instance() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> macro_values() const;
  /// What the file asks for by #if, or defines unless it is defined: genes. Sizes that it fixes: axes.
  void add_fixed_choices();
  [[nodiscard]] bool takes_sizes() const;
  void ask_compiler();
  void see_other_genomes(ProbeQuestion question);
  /// A struct by value becomes its members, named as in the struct where no other parameter has the name.
  void expand_structs();
  /// The fields of an array of structs with members of several types.
  void read_fields(const std::string& name, const StructLayout& layout);
  [[nodiscard]] bool is_field(const std::string& path) const;
  [[nodiscard]] std::set<std::string> told_members(const std::string& name) const;
  /// The elements of `void*`, where all casts of it that the code has room for are to one type.
  void read_casts(const ProbeQuestion& question);
  /// What the reference says of arrays that the kernel takes as wide integers, `int4*`, or as void.
  void take_types_of(const std::vector<Parameter>& reference);
  /// --arg 'd: {rows: m}' as --arg 'd.rows: m'.
  void read_argument_flags();
  [[nodiscard]] bool takes_structs() const;  ///< as far as the text shows
  void check_flag_names() const;
  void check_shape_names() const;
  /// The member of a struct that is its only array; "" for other structs.
  [[nodiscard]] std::string array_of(const std::string& structure) const;
  [[nodiscard]] std::string arch() const;
  /// What the compiler missed is a compile-time axis, or a gene.
  void settle_macros();
  /// A tile beside threads of the same side counts elements of a thread.
  [[nodiscard]] std::vector<std::string> values_of(const std::string& name) const;
  [[nodiscard]] bool several_sides() const;
  /// A gene that changes nothing is a misspelt one.
  /// Whether the values are texts that the source takes as they stand, such as types or functions: all begin
  /// like a name, and nothing compares the gene with NAME_value.
  [[nodiscard]] bool stands_for_text(const DraftGene& each) const;
  void check_used(const DraftGene& each, const std::vector<std::string>& names) const;
  [[nodiscard]] KnownParameter known(std::size_t i) const;
  void read_reference_file();
  void infer_arguments();
  void ask_for_sizes();  ///< of a kernel without any
  /// Whether looks at the reference have to be taken at small sizes.
  void see_cost_of_looks();
  /// Integers that the kernel and its reference name, their macros' values among them.
  void collect_numbers();
  /// True where that of an output is another: the launch was guessed from it.
  bool infer_shapes();
  /// Makes certain what has the shape of an input but for a border.
  void bordered_as_inputs(std::vector<std::optional<FoundShape>>& found) const;
  /// Of arrays whose shape is open, those that others' elements lead into; true of those it gives a shape.
  std::vector<bool> follow_indices(const std::vector<bool>& asked,
                                   std::vector<std::optional<FoundShape>>& found,
                                   const std::vector<bool>& by_contents);
  /// What of them a run has to be told.
  void ask_for_arguments();
  void hint_at_fixed_sizes();
  /// Rows before columns, whichever the kernel takes first.
  void order_axes();
  /// Macros that the kernel stands behind: #ifdef USE_CUDA.
  void define_needed();
  /// What the kernel reads that is no parameter of it: __constant__ variables that nothing fills.
  void add_constants();
  /// Whether a reference of these parameters names none as the kernel does, and has as many.
  [[nodiscard]] bool goes_by_places(const std::vector<Parameter>& own) const;
  /// Axes, and scalars that somebody told, that the reference takes and the kernel does not: the rows of a
  /// grid.
  void add_reference_sizes(const std::vector<Parameter>& own);
  void size_accessors();
  void spread_lists();
  /// Another grid where the guessed one does not do.
  void fit_grid();
  /// Outputs of which each block writes a part are compared by what the reference makes of all.
  void reduce_parts();
  /// Integers that only take part in the arithmetic, as a bound that data is compared with, get a value.
  void draw_integers();
  /// Arrays of integers that are indices hold numbers that stay in bounds.
  void fill_indices();
  /// No array is in place whose contents the reference never asks for.
  void see_rewritten();
  /// unwritten: keep, where the reference leaves part of an array alone.
  void keep_untouched();
  void infer_launch();
  /// A reference over two sides gets threads enough for either order of them.
  void cover_reference();
  [[nodiscard]] std::optional<DraftReferenceLaunch> covering_launch() const;
  /// Launches to fall back on where the guessed one turns out too small.
  void collect_other_launches();
  /// Of inputs and outputs, at the first sizes; null where there is none.
  [[nodiscard]] const DraftArgument* largest_array() const;
  /// Threads that add to one element share out the input, not the output. False: it adds to none.
  bool launch_reference_over_inputs();
  /// One thread for a reference that asks for none: all others would do the same. False: it asks.
  bool launch_reference_alone();
  bool launch_reference_like_kernel();  ///< false: it is not the kernel's
  /// With the contents of indices, which show what the launch leaves.
  void ask_reference_launch_again();
  [[nodiscard]] bool told_shape(std::string_view name) const;  ///< by a flag
  [[nodiscard]] std::vector<std::string> axis_names() const;
  [[nodiscard]] std::string static_smem(const std::string& text);
  void check_constraints();
  void finish();
  /// The elements of the output in the words of the reference: scalars that are axes.
  [[nodiscard]] std::string stub_elements(const DraftArgument* output) const;

  evaluators::compile::Compiler& compiler_;
  const Request& request_;
  bool run_;
  const Tell& tell_;
  std::string source_;
  std::vector<KernelText> kernels_;
  KernelText kernel_;
  SourceMacros macros_;
  std::vector<ArgumentFlag> flags_;
  std::vector<std::pair<std::string, std::string>> renamed_;
  ProbeAnswer answer_;
  KernelUse reference_use_;
  std::string reference_text_;
  std::optional<model::Artifact> reference_artifact_;
  std::map<std::string, DraftPlace> places_;                      ///< by parameter, of members of structs
  std::map<std::string, ElementType> elements_;                   ///< by parameter, of arrays of structs
  std::map<std::string, std::vector<DraftField>> fields_;         ///< of those, where they have several types
  std::map<std::string, std::vector<DraftColumn>> columns_;       ///< by parameter, what flags say of them
  std::map<std::string, std::string> element_names_;              ///< what those are, for questions
  std::map<std::string, std::string> objections_;                 ///< by parameter, of structs as a whole
  std::map<std::string, std::string> symbols_;                    ///< by parameter, variables that it fills
  std::map<std::string, std::vector<std::string>> fixed_shapes_;  ///< of those
  std::vector<std::string> reference_only_;
  Request launch_request_;         ///< with the genes' names
  std::string like_kernel_;        ///< the note that the reference is launched so; "": it is not
  std::string launch_text_;        ///< the code that shows the launch
  std::vector<std::string> open_;  ///< what a run has to be told
  Draft draft_;
};

}  // namespace evo::intake
