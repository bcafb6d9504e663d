// A problem: what must be computed, how exactly, and the templates that compute it. All of it is data
// (kernels/PROBLEM/problem.yaml, read by config/).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cause.hpp"
#include "model/define.hpp"
#include "model/dtype.hpp"
#include "model/error.hpp"
#include "model/expression.hpp"
#include "model/fill.hpp"
#include "model/oracle_source.hpp"
#include "model/reduction.hpp"
#include "model/source_generator.hpp"
#include "model/space.hpp"
#include "model/stage.hpp"
#include "model/texture.hpp"

namespace evo::model {

/// A named size or flag of a workload. A compile-time axis becomes a macro (DEPTH for depth) and has
/// one value in all workloads of an experiment.
struct Axis {
  std::string name;
  bool compile_time = false;
  std::optional<std::int64_t> minimum, maximum, multiple_of;
  /// Above `maximum`: what a kernel is shown of sizes up to here, the other axes are small.
  std::optional<std::int64_t> alone;
  std::optional<std::int64_t> initial;  ///< the value where a workload names none
  std::vector<std::int64_t> allowed;    ///< empty: any within the bounds
  std::string description;
};

/// `inout` is drawn like an input, is put back before every launch, and is judged like an output.
enum class ArgumentRole : std::uint8_t { input, output, scalar, workspace, inout };

/// The problem gives its contents: an input or an inout.
[[nodiscard]] constexpr bool is_given(ArgumentRole role) {
  return role == ArgumentRole::input || role == ArgumentRole::inout;
}
/// What a launch leaves there is compared with the oracle: an output or an inout.
[[nodiscard]] constexpr bool is_judged(ArgumentRole role) {
  return role == ArgumentRole::output || role == ArgumentRole::inout;
}

/// A scalar argument's value: an integer expression, 1/sqrt of one (the scale of dot products), a number, or
/// a number by an integer expression (the share of a mean), times another one (the rate of a resize).
struct ScalarValue {
  enum class Form : std::uint8_t { integer, inverse_sqrt, number, quotient, real } form = Form::integer;
  Expression expression;  ///< form real: the sum of the names in it, for whom asks which they are
  std::string real{};     ///< form real: the text (real_expression.hpp)
  double number = 0;      ///< forms number and quotient
  std::optional<Expression>
      times{};  ///< form quotient: `1.0 * height / rows`; the expression is what is below
  /// `stride(D, A, B)`: the scalar tells the kernel the stride of dimension D of these arrays, so that their
  /// strides may differ from those of all others. The expression is then that of A. Empty: it does not say.
  std::vector<std::string> stride_of{};
  std::size_t dimension = 0;
};

/// NaN and infinities (both signs) among what an input holds, in sets of their own.
struct SpecialValues {
  bool nan = false, infinity = false;
  /// Nobody asked for them: the reference's text looks for them. They count where its answer is a number.
  bool inferred = false;
};

/// The least and the largest that a scalar may be.
struct ScalarRange {
  double least = 0, most = 0;
  [[nodiscard]] bool has(double value) const { return value >= least && value <= most; }
};

/// One kernel parameter, in the kernel's order. Arrays have a shape and element strides per dimension.
struct Argument {
  std::string name;
  ArgumentRole role = ArgumentRole::input;
  DType dtype = DType::f16;
  std::vector<Expression> shape;    ///< elements
  std::vector<Expression> strides;  ///< elements; config fills row-major ones where the file names none
  ScalarValue scalar;               ///< role scalar only
  bool zeroed = false;              ///< workspaces and outputs: holds zeros before every launch
  /// Zeroed outputs and inouts: elements that nothing writes keep what was there. Otherwise the reference has
  /// to write all of them.
  bool keeps_unwritten = false;
  bool neutral = false;  ///< no answer depends on it (unused, or an offset of 0)
  bool fixed = false;    ///< integer scalars that are a number: kernels may be written for that one
  std::optional<ScalarRange> range{};      ///< scalars that are a number: shown no other
  std::optional<SpecialValues> special{};  ///< inputs and inouts
  /// Outputs and inouts: false: equal launches may give other bits (atomic additions of floats in any order);
  /// each is then held against the tolerance.
  bool reproducible = true;
  std::optional<Fill> fill{};  ///< inputs and inouts: its contents in every set that names no other
  /// Bytes that its address is a multiple of, where kernels take it as vectors; 0: an element. Of a scalar
  /// that is a member of a struct: what its offset is a multiple of.
  std::int64_t alignment = 0;
  /// Not empty: it is no parameter; its contents are in this __constant__ or __device__ variable of the
  /// module, as C++ names it ("d_filter", "ns::table"). Role input only.
  std::string symbol{};
  /// Not empty: it is no parameter of its own, but a member of the struct parameter of this name, as are its
  /// neighbours with the same name (model/structure.hpp).
  std::string structure{};
  std::int64_t structure_alignment = 0;  ///< of the struct, in bytes; 0: that of its members
  /// Kernels take it as a texture or surface object. A reference takes a pointer.
  std::optional<TextureModel> texture{};
  /// Outputs: how what the kernel writes is compared. `shape` is then what the oracle answers for; the kernel
  /// has `slices` (over genes and axes) of it, one behind the other.
  Reduction reduce = Reduction::none;
  std::optional<Expression> slices{};
};

/// How inputs of one set are drawn; `kind` is known to the catalogue (evaluators/oracle/catalogue.hpp):
/// "normal".
struct InputSet {
  std::string name;
  std::string kind;
  std::map<std::string, double> parameters;
  /// By the argument's name: its contents in this set.
  std::map<std::string, Fill, std::less<>> fills{};
};

/// A bound that follows the data: the error may be `factor` times that of a plain implementation in the
/// output's own 16-bit type, and `absolute` more. See evaluators/oracle/plain_errors.hpp.
struct ReferenceFactor {
  double factor = 2;
  double absolute = 0;  ///< in units of the output
};

/// Bounds of an accuracy class: relative Frobenius error, and the largest error over the rms of the
/// reference.
struct Tolerance {
  std::string accuracy_class;  ///< "fp32", "fp16-storage"
  double relative_frobenius = 0;
  double max_abs_over_rms = 0;            ///< max |error| / rms(reference)
  std::vector<std::string> input_sets{};  ///< the class's domain, by name; empty: all of the problem's
  /// Holds besides the two bounds, which then are what it may never exceed.
  std::optional<ReferenceFactor> reference_factor{};
  /// `tolerance: auto`: the two bounds are nothing but a ceiling, reference_factor holds with the oracle's
  /// own error in the type that kernels compute in (evaluators/oracle/automatic.hpp).
  bool automatic = false;
  /// How far off, relatively, a kernel's inputs may seem on data that nobody declared; 0: relative_frobenius.
  double backward_error = 0;
};

struct WorkModel {
  Expression flops;
  Expression bytes;
  bool assumed = false;  ///< the file says nothing: each array is read or written once, no arithmetic
};

/// A number of the user's own in reports (model/metric.hpp): over the axes of a workload and its latency.
struct Metric {
  std::string name;  ///< with its unit, "GFLOP/s"
  std::string text;  ///< as written
};

/// A tensor map of the bulk copies (TMA), a kernel parameter after the problem's own: how copies see an
/// array. Sizes and strides are the argument's.
struct TensorMapModel {
  std::string name;                ///< of the parameter, for messages
  std::string argument;            ///< the array that it views
  std::vector<std::size_t> order;  ///< dimensions of the argument, the contiguous one first
  std::vector<Expression> box;     ///< elements of one copy, in that order
  Expression swizzle;              ///< bytes over which a box's rows are swizzled: 0, 32, 64 or 128
};

/// A name that counts up, or down, while the launches within are made again and again.
struct LaunchLoop {
  std::string name;
  Expression from, to;  ///< its first and its last value, over genes, axes and the loops around it
  Expression step;      ///< what it grows by: not 0, negative to count down
  /// Launches that follow each other and are in the same loop, not in two of one name, have the same number.
  std::size_t number = 0;
};

/// Launch geometry as expressions over genes and axes, and over the loops that it is in.
struct LaunchModel {
  /// The kernel, as Template::entry; empty: that one.
  std::string entry{};
  /// Over genes and compile-time axes: 0 leaves the launch out. None: it is always made. Within a loop also
  /// over the loop and all axes: 0 leaves that turn out.
  std::optional<Expression> when{};
  /// It is made once for each of their values, the outermost first.
  std::vector<LaunchLoop> loops{};
  /// The problem's arguments that its kernel takes, by index, in the order of its parameters. None: all, but
  /// for those that are in a variable of the module.
  std::optional<std::vector<std::size_t>> arguments{};
  Expression grid[3];
  Expression block[3];
  Expression dynamic_smem;  ///< bytes
  Expression static_smem;   ///< bytes, as the compiler must report
  std::vector<TensorMapModel> tensor_maps;
  bool static_smem_open = false;  ///< nothing is predicted: what the compiler reports counts
};

struct Workload {
  std::string name;
  double weight = 1;
  std::map<std::string, std::int64_t, std::less<>> axes;
};

/// A design that the author of a template names besides its initial genome: a search tries it at its start.
struct TemplateDesign {
  std::string name;
  std::string description;
  Genome genome;
};

/// A named list of workloads that `evo bench --sweep` measures.
struct Sweep {
  std::string name;
  std::vector<Workload> workloads;
};

/// A kernel source with genes. `space.fixed()` is empty here; bind_space() fills it.
struct Template {
  std::string name;
  std::string source_file;  ///< as shown in evidence, e.g. "scalar.cu"
  std::string source;       ///< its text
  /// The kernel of `launch`, as C++ names it; {GENE} stands for a gene's value.
  std::string entry;
  /// Name -> text of the files of kernels/common that it may include.
  std::map<std::string, std::string> headers;
  /// The one architecture it is written for ("sm_90a"); empty: any.
  std::string arch;
  /// False: races of its code cannot be checked (asynchronous copies and products that no checker follows),
  /// so that only genomes with every sync gene at full strength are legal.
  bool sync_checkable = true;
  Space space;
  std::vector<TemplateDesign> initial_designs;  ///< legal or not, as the bound space has it
  LaunchModel launch;
  std::vector<LaunchModel> later_launches{};  ///< made behind `launch`, in this order
  /// Axis values of the small shapes on which the sanitize gate runs, over genes and compile-time axes.
  std::vector<std::map<std::string, Expression, std::less<>>> sanitize_shapes;
  std::vector<Define> defines{};       ///< macros besides those of genes and compile-time axes
  std::vector<std::string> options{};  ///< of the compiler, for every genome
  /// Sizes for which a genome's kernel is written, over axes and genes: `m % TILE == 0`.
  std::vector<Constraint> domain{};
  /// "file.cu:81" -> why no launch reaches that line.
  std::map<std::string, std::string> unreached{};
  /// Program and arguments that make the source from a genome; `source` is then empty.
  std::vector<std::string> generator_command{};
  /// Runs it; set by whoever loads the problem to run it. Null: the source cannot be made.
  std::shared_ptr<const SourceGenerator> generator{};
  std::vector<std::string> notes{};  ///< what was read otherwise than it stands in the files, for a person
};

/// A naive CUDA kernel that says what the outputs must be. Floating-point arrays and scalars reach it as
/// double (EVO_REAL), everything else as the candidates get it, in the order of the problem's arguments.
struct ReferenceKernel {
  std::string source_file;  ///< as shown in messages, e.g. "reference.cu"
  std::string source;       ///< its text
  std::string entry = "reference";
  /// Without one: blocks of 256 threads along x, a thread for each element of the largest output.
  std::optional<LaunchModel> launch{};
  bool guessed = false;  ///< nobody has said that this launch writes everything: each case is asked
};

/// What Problem::oracle is where the reference is a kernel.
inline constexpr const char* kernel_oracle = "kernel";
/// What it is where the answers come from other data, or from several oracles.
inline constexpr const char* joined_oracle = "problem";

enum class ComparatorKind : std::uint8_t {
  command,    ///< a program that speaks the protocol of comparator.py
  python,     ///< a Python file that speaks it
  functions,  ///< a Python file of functions over PyTorch's tensors, each a backend; evo speaks for it
  kernel,     ///< a template of the problem's at fixed genes, which no search tries
};

/// What else computes the problem, as `comparators` names it.
struct Comparator {
  std::string name;
  std::vector<std::string> command;  ///< program or file, and arguments; run in the problem's folder
  ComparatorKind kind = ComparatorKind::command;
  std::shared_ptr<const Template> kernel{};  ///< kind kernel
  Genome genome{};                           ///< its genes
  friend bool operator==(const Comparator&, const Comparator&) = default;
};

struct Problem {
  std::string name;
  std::string folder;  ///< where problem.yaml stands
  std::string description;
  std::vector<Axis> axes;
  std::vector<Argument> arguments;
  std::string oracle;  ///< name of an fp64 reference of the catalogue (evaluators/oracle/catalogue.hpp)
  std::optional<ReferenceKernel> oracle_kernel{};  ///< with kernel_oracle as the name
  /// All that problem.yaml names, in its order; empty in a problem that was made by hand: `oracle` alone.
  std::vector<OracleSource> oracles{};
  std::vector<InputSet> input_sets;
  std::vector<Tolerance> tolerances;
  /// With `tolerance: auto`: the 16-bit type that kernels may compute in, as somebody has declared; none:
  /// float is held against.
  std::optional<DType> computes_in{};
  WorkModel work;
  std::vector<Workload> check_workloads;  ///< odd shapes of the correctness gate, besides the experiment's
  std::vector<Template> templates;
  std::vector<Stage> stages;  ///< what `evo diagnose` can look into
  std::vector<Sweep> sweeps;
  /// Why threads that write the same number to one place, with nothing between them, are meant; empty: they
  /// are a race as any other.
  std::string equal_writes{};
  std::vector<Metric> metrics{};
  CauseRules causes;                      ///< of the files that `rules` names
  std::string reference;                  ///< text of reference.cu beside problem.yaml; empty: there is none
  std::string comparator;                 ///< text of comparator.py beside problem.yaml; empty: there is none
  std::vector<Comparator> comparators{};  ///< as problem.yaml names them; else comparator.py, if there is one
  /// Over problem.yaml, the templates' sources and headers, rules files, reference.cu, comparator.py and the
  /// files of `comparators`.
  std::string content_hash;

  [[nodiscard]] const Template* find_template(std::string_view name) const;
  [[nodiscard]] const Axis* find_axis(std::string_view name) const;
  [[nodiscard]] const Tolerance* find_tolerance(std::string_view accuracy_class) const;
};

/// Its `comparators`, or comparator.py beside it.
[[nodiscard]] std::vector<Comparator> comparators_of(const Problem& problem);
/// Whether a comparator is this template: then nobody searches it, unless an experiment names it.
[[nodiscard]] bool is_comparator(const Problem& problem, std::string_view template_name);
/// The kernel where nobody names one: the first that is no comparator, else the first.
[[nodiscard]] const Template& default_template(const Problem& problem);
/// The kinds of a problem's oracles, each once.
[[nodiscard]] std::vector<OracleKind> oracle_kinds(const Problem& problem);
/// What a variant is that every gate passed: "proven" where two kinds of oracle agree, "proven (one oracle)",
/// or "matches the recording" where there are recorded arrays alone.
[[nodiscard]] std::string oracle_claim(const Problem& problem);

}  // namespace evo::model
