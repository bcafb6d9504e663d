#include "intake/make_draft.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "intake/arguments.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/gene_names.hpp"
#include "intake/launch_guess.hpp"
#include "intake/macros.hpp"
#include "intake/probe.hpp"
#include "intake/reference.hpp"
#include "intake/types.hpp"
#include "model/error.hpp"
#include "model/experiment.hpp"
#include "model/expression.hpp"
#include "model/file_name.hpp"
#include "session/targets.hpp"

namespace evo::intake {
namespace {

[[noreturn]] void refuse(model::ExitCode code, const std::string& message) {
  throw model::Exception(code, message);
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool occurs(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Builds a draft step by step; each step takes what those before it found.
class Maker {
 public:
  Maker(evaluators::compile::Compiler& compiler, const Request& request, Purpose purpose)
      : compiler_(compiler), request_(request), run_(purpose == Purpose::run) {}

  Draft run() {
    source_ = read_user_file(request_.kernel);
    kernels_ = choose_kernel(request_.kernel, source_, request_.entry, "--entry");
    kernel_ = kernels_.front();
    macros_ = macros_of(source_);
    draft_.source = model::plain_file_name(std::filesystem::path(request_.kernel).filename().string());
    draft_.device = request_.device;
    draft_.target = request_.target.empty() ? std::string(model::default_target) : request_.target;
    draft_.trials = request_.trials;
    read_flags();
    kernels_ = choose_kernel(request_.kernel, source_, request_.entry, "--entry");  // offsets have moved
    kernel_ = kernels_.front();
    choose_entry();
    if (!run_) add_fixed_choices();
    choose_first_genome(draft_);
    ask_compiler();
    settle_macros();
    read_reference_file();
    infer_arguments();
    infer_launch();
    finish();
    return std::move(draft_);
  }

 private:
  [[nodiscard]] std::string at(int line) const { return fmt::format("{}:{}", request_.kernel, line); }

  DraftGene* gene(std::string_view name) {
    const auto found =
        std::find_if(draft_.genes.begin(), draft_.genes.end(), [&](const auto& g) { return g.name == name; });
    return found == draft_.genes.end() ? nullptr : &*found;
  }

  void read_flags() {
    for (const std::string& text : request_.axes) {
      AxisFlag flag = read_axis_flag(text);
      for (const DraftAxis& other : draft_.axes)
        if (other.name == flag.name)
          refuse(model::ExitCode::usage, fmt::format("--axis {}: given twice", flag.name));
      draft_.axes.push_back({flag.name, flag.values, flag.keys, false, "as told", ""});
    }
    for (const std::string& text : request_.genes) {
      GeneFlag flag = read_gene_flag(text);
      if (gene(flag.name) != nullptr)
        refuse(model::ExitCode::usage, fmt::format("--gene {}: given twice", flag.name));
      for (const DraftAxis& axis : draft_.axes)
        if (axis.name == flag.name)
          refuse(model::ExitCode::usage, fmt::format("--gene {}: an axis has this name", flag.name));
      draft_.genes.push_back({flag.name, flag.values, "", false, "as told", ""});
      open_macro(flag.name);
    }
    for (const DraftAxis& axis : draft_.axes) {
      const std::string macro = in_capitals(axis.name);
      if (macros_.find(macro) != nullptr && !is_parameter(macro)) make_compile_time(axis.name);
    }
    for (const std::string& text : request_.arguments) {
      ArgumentFlag flag = read_argument_flag(text);
      std::vector<std::string> names;
      for (const Parameter& p : kernel_.parameters) names.push_back(p.name);
      if (!occurs(names, flag.name))
        refuse(model::ExitCode::usage,
               fmt::format("--arg '{}': {} has no parameter '{}'{}", text, kernel_.name, flag.name,
                           config::suggestion(flag.name, names)));
      flags_.push_back(std::move(flag));
    }
    draft_.constraints = request_.constraints;
  }

  [[nodiscard]] bool is_parameter(std::string_view name) const {
    return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                       [&](const Parameter& p) { return p.name == name; });
  }

  /// A #define of the name in the file would win over evo's own: it becomes a comment.
  void open_macro(const std::string& name) {
    const DefinedMacro* defined = macros_.find(name);
    if (defined == nullptr) return;
    if (DraftGene* chosen = gene(name); chosen != nullptr && occurs(chosen->values, defined->value))
      chosen->initial = defined->value;
    if (defined->guarded) return;
    source_ = without_definition(source_, name);
    draft_.notes.push_back(
        fmt::format("{}: #define {} {} is a comment in the copy", at(defined->line), name, defined->value));
  }

  void make_compile_time(const std::string& axis) {
    for (DraftAxis& each : draft_.axes) {
      if (each.name != axis || each.compile_time) continue;
      each.compile_time = true;
      each.why += fmt::format(", the macro {}", in_capitals(axis));
      open_macro(in_capitals(axis));
    }
  }

  /// The instance that runs: templates get the genes of their names, or float.
  void choose_entry() {
    if (request_.entry.find('<') != std::string::npos) {
      const EntryName entry = read_entry(request_.entry);
      draft_.entry = kernel_.name + request_.entry.substr(request_.entry.find('<'));
      for (std::size_t i = 0; i < entry.arguments.size() && i < kernel_.templates.size(); ++i) {
        const std::string& text = entry.arguments[i];
        if (text.size() < 3 || text.front() != '{') continue;
        DraftGene* named = gene(text.substr(1, text.size() - 2));
        if (named == nullptr)
          refuse(model::ExitCode::usage,
                 fmt::format("--entry '{}': {} is no gene; --gene {}=VALUE,... makes it one", request_.entry,
                             text, text.substr(1, text.size() - 2)));
        // A macro of a parameter's name would break its declaration.
        if (occurs(names_of(source_), named->name)) take_from_template(*named, draft_.entry);
      }
      return;
    }
    draft_.entry = kernel_.name;
    if (kernel_.templates.empty()) return;
    std::string arguments;
    for (const TemplateParameter& parameter : kernel_.templates) {
      std::string argument;
      if (DraftGene* named = gene(parameter.name)) {
        argument = "{" + named->name + "}";
        take_from_template(*named, argument);
      } else if (!parameter.fallback.empty()) {
        break;
      } else if (parameter.type) {
        argument = "float";
        draft_.notes.push_back(fmt::format("{}: {} is float", at(kernel_.line), parameter.name));
      } else if (run_) {
        refuse(
            model::ExitCode::usage,
            fmt::format(
                "{}: {} is a template over {}: give --gene {}=VALUE,..., or an instance, --entry '{}<...>'",
                at(kernel_.line), kernel_.name, parameter.name, parameter.name, kernel_.name));
      } else {
        DraftGene added{
            parameter.name,
            parameter.boolean ? std::vector<std::string>{"0", "1"} : usual_values(parameter.name, false),
            "",
            false,
            "a template parameter",
            ""};
        argument = "{" + added.name + "}";
        take_from_template(added, argument);
        draft_.genes.push_back(std::move(added));
      }
      arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    draft_.entry += "<" + arguments + ">";
  }

  /// The gene is no macro; where problem.yaml cannot say so, the macro has a name that the file does not use.
  void take_from_template(DraftGene& named, std::string& text) {
    named.from_template = true;
    if (known_dialect().gene_as) return;
    const std::string old = "{" + named.name + "}", name = "EVO_" + in_capitals(named.name);
    for (std::size_t found = text.find(old); found != std::string::npos; found = text.find(old))
      text.replace(found, old.size(), "{" + name + "}");
    renamed_.emplace_back(named.name, name);
    draft_.notes.push_back(
        fmt::format("the gene {} is named {}: {} declares that name", named.name, name, request_.kernel));
    named.name = name;
  }

  [[nodiscard]] static const std::string& first_value(const DraftGene& of) {
    return of.initial.empty() ? of.values.front() : of.initial;
  }

  /// The entry with the genes' first values in it.
  [[nodiscard]] std::string instance() const {
    std::string text = draft_.entry;
    for (const DraftGene& each : draft_.genes) {
      const std::string place = "{" + each.name + "}";
      for (std::size_t found = text.find(place); found != std::string::npos; found = text.find(place))
        text.replace(found, place.size(), first_value(each));
    }
    return text;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> macro_values() const {
    std::vector<std::pair<std::string, std::string>> values;
    for (const DraftGene& each : draft_.genes) {
      if (!each.from_template) values.emplace_back(each.name, first_value(each));
    }
    for (const DraftAxis& axis : draft_.axes) {
      if (axis.compile_time) values.emplace_back(in_capitals(axis.name), std::to_string(axis.values.front()));
    }
    return values;
  }

  /// What the file asks for by #if, or defines unless it is defined: genes. Sizes that it fixes: axes.
  void add_fixed_choices() {
    const bool sized = takes_sizes();
    for (const AskedMacro& asked : macros_.asked) {
      if (gene(asked.name) != nullptr || asked.only_defined) continue;
      const GeneMeaning meaning = meaning_of(asked.name);
      std::vector<std::string> values = asked.compared;
      if (values.size() < 2 && meaning != GeneMeaning::other && meaning != GeneMeaning::flag)
        values = usual_values(asked.name, false);
      if (values.empty()) values = {"0", "1"};
      if (values.size() == 1) values.insert(values.begin(), values[0] == "0" ? "1" : "0");
      std::sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
      });
      draft_.genes.push_back(
          {asked.name, values, "", false, fmt::format("asked for by #if at line {}", asked.line), ""});
    }
    for (const DefinedMacro& defined : std::vector<DefinedMacro>(macros_.defined)) {
      if (gene(defined.name) != nullptr) continue;
      const bool size = !sized && names_size(defined.name) && defined.name == in_capitals(defined.name) &&
                        meaning_of(defined.name) != GeneMeaning::threads &&
                        meaning_of(defined.name) != GeneMeaning::items && defined.value.size() > 2;
      if (size && draft_.axes.size() == request_.axes.size() && request_.axes.empty()) {
        std::string name = defined.name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        draft_.axes.push_back(
            {name,
             {256},
             {},
             true,
             fmt::format("#define {} {} at line {}", defined.name, defined.value, defined.line),
             ""});
        open_macro(defined.name);
        continue;
      }
      if (meaning_of(defined.name) == GeneMeaning::other) continue;
      if (!defined.guarded) {
        draft_.notes.push_back(fmt::format("{}: {} is fixed at {}; --gene {}=VALUE,... makes it a choice",
                                           at(defined.line), defined.name, defined.value, defined.name));
        continue;
      }
      std::vector<std::string> values = usual_values(defined.name, false);
      if (!occurs(values, defined.value)) values.insert(values.begin(), defined.value);
      draft_.genes.push_back({defined.name, values, defined.value, false,
                              fmt::format("#ifndef {} at line {}", defined.name, defined.line), ""});
    }
  }

  [[nodiscard]] bool takes_sizes() const {
    return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(), [&](const Parameter& p) {
      return !p.pointer && p.type != "float" && p.type != "double" && names_size(p.name);
    });
  }

  void ask_compiler() {
    ProbeQuestion question;
    question.source = source_;
    question.file = request_.kernel;
    question.entry = instance();
    question.arch = arch();
    question.parameters = kernel_.parameters.size();
    question.macros = macro_values();
    auto answer = probe(compiler_, question);
    if (!answer) {
      std::string message = fmt::format("{} does not compile as {}", request_.kernel, question.entry);
      std::size_t shown = 0;
      for (const model::Evidence& evidence : answer.error().evidence) {
        if (++shown > 5) break;
        const bool own = evidence.file.empty() || evidence.file == draft_.source;
        const std::string where = own ? request_.kernel : evidence.file;
        message +=
            fmt::format("\n  {}: {}", evidence.line > 0 ? fmt::format("{}:{}", where, evidence.line) : where,
                        evidence.message.substr(0, evidence.message.find('\n')));
      }
      refuse(model::ExitCode::invalid_configuration, message);
    }
    answer_ = std::move(*answer);
    for (const KernelText& arm : kernels_) {
      if (!answer_.types.empty() && arm.parameters.size() == answer_.types.size()) {
        kernel_ = arm;
        break;
      }
    }
    if (answer_.types.size() != kernel_.parameters.size()) answer_.types.clear();
    for (const Cut& cut : answer_.cuts)
      draft_.notes.push_back(fmt::format("{}:{}-{}: {} is left out of the copy", request_.kernel, cut.first,
                                         cut.last, cut.what));
  }

  [[nodiscard]] std::string arch() const {
    model::Experiment experiment;
    session::set_target_or_throw(experiment, draft_.target, model::ExitCode::usage);
    return experiment.target.arch;
  }

  /// What the compiler missed is a compile-time axis, or a gene.
  void settle_macros() {
    const bool sized = takes_sizes();
    for (const std::string& name : answer_.missing) {
      bool axis = false;
      for (const DraftAxis& each : draft_.axes) axis = axis || in_capitals(each.name) == name;
      std::string lower_name = name;
      std::transform(name.begin(), name.end(), lower_name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (axis) {
        for (const DraftAxis& each : std::vector<DraftAxis>(draft_.axes))
          if (in_capitals(each.name) == name) make_compile_time(each.name);
      } else if (run_) {
        std::vector<std::string> unused;
        for (const DraftGene& each : draft_.genes)
          if (!occurs(names_of(source_), each.name)) unused.push_back(each.name);
        open_.push_back(
            fmt::format("{}: {} is not defined{}: --gene {}=VALUE,... (or --axis {}=SIZE)",
                        at(line_of_name(source_, name)), name,
                        config::nearest(name, unused)
                            ? fmt::format(" (did you mean '{}'?)",
                                          name + "' in place of '" + *config::nearest(name, unused))
                            : "",
                        name, lower_name));
      } else if (!sized && names_size(name) && name == in_capitals(name) &&
                 meaning_of(name) != GeneMeaning::threads && meaning_of(name) != GeneMeaning::items) {
        draft_.axes.push_back({lower_name,
                               {256},
                               {},
                               true,
                               fmt::format("the macro {}, which the file does not define", name),
                               ""});
      } else {
        draft_.genes.push_back({name, usual_values(name, several_sides()), trial_value(name), false,
                                fmt::format("not defined in {}", request_.kernel), ""});
      }
    }
    for (const AskedMacro& asked : macros_.asked) {
      if (run_ && gene(asked.name) == nullptr && !asked.only_defined && !occurs(answer_.missing, asked.name))
        draft_.notes.push_back(
            fmt::format("{}: #if asks for {}, which nothing defines: it is 0 "
                        "(--gene {}=0,1)",
                        at(asked.line), asked.name, asked.name));
    }
    const std::vector<std::string> names = names_of(source_);
    const bool asks_block = occurs(names, "blockDim") || kernel_.launch_bounds.empty();
    const bool block_gene = std::any_of(draft_.genes.begin(), draft_.genes.end(), [](const DraftGene& g) {
      return meaning_of(g.name) == GeneMeaning::threads;
    });
    if (!run_ && !block_gene && asks_block && !several_sides() && request_.block.empty() &&
        occurs(names, "blockDim") && !occurs(names, "THREADS"))
      draft_.genes.push_back({"THREADS",
                              {"64", "128", "256", "512"},
                              "",
                              false,
                              "of the launch alone: the kernel asks for blockDim",
                              ""});
    for (const DraftGene& each : draft_.genes) check_used(each, names);
  }

  /// A tile beside threads of the same side counts elements of a thread.
  [[nodiscard]] std::vector<std::string> values_of(const std::string& name) const {
    const bool tile = meaning_of(name) == GeneMeaning::tile;
    const bool beside =
        std::any_of(answer_.missing.begin(), answer_.missing.end(), [&](const std::string& other) {
          return meaning_of(other) == GeneMeaning::threads && side_of(other) == side_of(name);
        });
    if (tile && beside) return {"1", "2", "4"};
    return usual_values(name, several_sides());
  }

  [[nodiscard]] bool several_sides() const { return answer_.use.y || answer_.use.z; }

  /// A gene that changes nothing is a misspelt one.
  void check_used(const DraftGene& each, const std::vector<std::string>& names) const {
    std::string elsewhere =
        request_.grid + " " + request_.block + " " + request_.dynamic_smem + " " + draft_.entry;
    for (const std::string& constraint : draft_.constraints) elsewhere += " " + constraint;
    if (occurs(names, each.name) || occurs(names_of(elsewhere), each.name) ||
        meaning_of(each.name) == GeneMeaning::threads)
      return;
    std::vector<std::string> known = answer_.missing;
    for (const DefinedMacro& defined : macros_.defined) known.push_back(defined.name);
    for (const AskedMacro& asked : macros_.asked) known.push_back(asked.name);
    refuse(model::ExitCode::usage,
           fmt::format("--gene {}: {} does not mention it{}", each.name, request_.kernel,
                       config::nearest(each.name, known) ? config::suggestion(each.name, known) : ""));
  }

  [[nodiscard]] KnownParameter known(std::size_t i) const {
    KnownParameter p;
    p.text = kernel_.parameters[i];
    p.type = element_type(answer_.types.empty() ? p.text.type : answer_.types[i]);
    if (i < answer_.use.pointers.size()) p.kernel = answer_.use.pointers[i];
    if (i < reference_use_.pointers.size()) p.reference = reference_use_.pointers[i];
    for (const ArgumentFlag& flag : flags_) {
      if (flag.name == p.text.name) p.flag = flag;
    }
    return p;
  }

  void read_reference_file() {
    if (request_.reference.empty()) {
      draft_.stub = true;
      return;
    }
    std::vector<ReferenceParameter> parameters;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const KnownParameter p = known(i);
      const std::string dtype = p.flag.dtype.empty() ? p.type.dtype : p.flag.dtype;
      parameters.push_back({p.text.name, dtype.empty() ? "f32" : dtype, p.type.pointer});
    }
    auto values = macro_values();
    for (const std::string& name : answer_.missing) values.emplace_back(name, trial_value(name));
    Reference reference = read_reference(compiler_, request_.reference, parameters, values, arch());
    reference_use_ = reference.use;
    draft_.reference_entry = reference.entry;
    draft_.files.push_back({"reference.cu", reference.text});
    for (const std::string& note : reference.notes) draft_.notes.push_back(note);
  }

  void infer_arguments() {
    std::vector<KnownParameter> parameters;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) parameters.push_back(known(i));
    if (draft_.axes.empty()) {
      draft_.axes = axes_of(parameters);
      order_axes();
      if (run_) {
        std::string flags;
        for (const DraftAxis& axis : draft_.axes) flags += fmt::format(" --axis {}=SIZE", axis.name);
        open_.push_back(fmt::format("{}: how large is it?{}", at(kernel_.line),
                                    flags.empty() ? " --axis n=SIZE" : flags));
      }
      if (draft_.axes.empty())
        draft_.axes.push_back({"n", {65536}, {}, false, "", "which sizes does the kernel have?"});
    }
    const bool square = draft_.axes.size() == 1 && several_sides();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      DraftArgument argument = infer_argument(parameters[i], draft_.axes, i);
      if (square && parameters[i].flag.shape.empty() && argument.shape.size() == 1) {
        argument.shape.push_back(draft_.axes[0].name);
        argument.why += ", square: the kernel asks for y";
      }
      if (argument.role == "inout" && !known_dialect().inout) {
        argument.todo = fmt::format("'{}': {}, which problem.yaml cannot say yet (role inout)", argument.name,
                                    argument.why);
        argument.role = "output";
      }
      if (run_ && !argument.todo.empty())
        open_.push_back(fmt::format("{}: --arg {}", at(parameters[i].text.line), argument.todo));
      draft_.arguments.push_back(std::move(argument));
    }
  }

  /// Rows before columns, whichever the kernel takes first.
  void order_axes() {
    const auto rank = [](const DraftAxis& axis) {
      std::string name = in_capitals(axis.name);
      for (const char* last : {"WIDTH", "W", "COLS", "COLUMNS", "NCOLS", "NX"}) {
        if (name == last) return 1;
      }
      return 0;
    };
    std::stable_sort(draft_.axes.begin(), draft_.axes.end(),
                     [&](const DraftAxis& a, const DraftAxis& b) { return rank(a) < rank(b); });
  }

  void infer_launch() {
    const std::string body =
        answer_.source.substr(std::min(kernel_.begin, answer_.source.size()), kernel_.end - kernel_.begin);
    Request request = request_;
    for (const auto& [old, name] : renamed_) {
      for (std::string* text : {&request.grid, &request.block, &request.dynamic_smem})
        *text = with_name(*text, old, name);
      for (std::string& constraint : draft_.constraints) constraint = with_name(constraint, old, name);
    }
    // In the text, a template's gene goes by its old name.
    std::string text = source_.substr(std::min(kernel_.begin, source_.size()), kernel_.end - kernel_.begin);
    for (const auto& [old, name] : renamed_) text = with_name(text, old, name);
    // A kernel that only calls a device function shows its launch there.
    if (!occurs(names_of(text), "blockIdx")) text = source_;
    draft_.launch = guess_launch(draft_, request, kernel_, text, answer_.use);
    if (run_ && !draft_.launch.todo.empty())
      open_.push_back(fmt::format("{}: {}", at(kernel_.line), draft_.launch.todo));
    draft_.launch.static_smem = static_smem(text);
    check_constraints();
    limit_block(draft_);
    choose_first_genome(draft_);
    if (!request_.reference_block.empty())
      draft_.reference_block = read_expressions("--reference-block", request_.reference_block, axis_names());
    if (!request_.reference_grid.empty())
      draft_.reference_grid = read_expressions("--reference-grid", request_.reference_grid, axis_names());
    if (reference_use_.y && draft_.reference_block.empty() && draft_.reference_grid.empty())
      cover_reference();
    if (!draft_.reference_grid.empty() && draft_.reference_block.empty()) draft_.reference_block = {"256"};
    if (draft_.reference_grid.empty() && !draft_.reference_block.empty())
      refuse(model::ExitCode::usage, "--reference-block needs --reference-grid");
  }

  /// A reference over two sides gets threads enough for either order of them.
  void cover_reference() {
    const DraftArgument* output = largest_output(draft_);
    if (output == nullptr) return;
    std::string side = output->shape.front();
    for (std::size_t i = 1; i < output->shape.size(); ++i)
      side = fmt::format("max({}, {})", side, output->shape[i]);
    draft_.reference_grid = {fmt::format("ceil_div({}, 16)", side), fmt::format("ceil_div({}, 16)", side)};
    draft_.reference_block = {"16", "16"};
    draft_.notes.push_back(
        "the reference asks for y: it gets 16 x 16 threads a block, as many blocks a side as the longest of "
        "the output (--reference-grid, --reference-block)");
  }

  static std::string with_name(const std::string& text, const std::string& old, const std::string& name) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
      std::size_t end = i;
      while (end < text.size() && letter(text[end])) ++end;
      if (end == i) end = i + 1;
      const std::string word = text.substr(i, end - i);
      result += word == old ? name : word;
      i = end;
    }
    return result;
  }

  [[nodiscard]] std::vector<std::string> axis_names() const {
    std::vector<std::string> names;
    for (const DraftAxis& axis : draft_.axes) names.push_back(axis.name);
    return names;
  }

  [[nodiscard]] std::string static_smem(const std::string& text) {
    if (known_dialect().auto_smem) return "auto";
    const std::int64_t bytes = answer_.artifact.resources.static_smem_bytes;
    const std::string written = static_smem_of(text, draft_.genes);
    model::Environment environment;
    for (const DraftGene& each : draft_.genes) {
      std::int64_t number = 0;
      try {
        number = std::stoll(first_value(each));
      } catch (const std::exception&) {
        continue;
      }
      environment.emplace(each.name, number);
    }
    const auto expression = model::Expression::parse(written.empty() ? "0" : written);
    const auto value =
        expression ? expression->evaluate_integer(environment) : tl::make_unexpected(expression.error());
    if (value && *value == bytes) return bytes == 0 ? "" : written;
    if (bytes == 0) return "";
    draft_.notes.push_back(fmt::format(
        "static_smem is {} bytes for the first genome; for others it may have to be an expression", bytes));
    return std::to_string(bytes);
  }

  void check_constraints() {
    std::vector<std::string> names{"smem_limit", "max_threads", "warp_size"};
    for (const DraftGene& each : draft_.genes) names.push_back(each.name);
    for (const DraftAxis& axis : draft_.axes) {
      if (axis.compile_time) names.push_back(axis.name);
    }
    for (const std::string& text : draft_.constraints) {
      const auto expression = model::Expression::parse(text);
      if (!expression)
        refuse(model::ExitCode::usage,
               fmt::format("--constraint '{}': {}", text, expression.error().message));
      for (const std::string& name : expression->names()) {
        if (!occurs(names, name))
          refuse(model::ExitCode::usage, fmt::format("--constraint '{}': unknown name '{}'{}", text, name,
                                                     config::suggestion(name, names)));
      }
    }
  }

  void finish() {
    if (!open_.empty()) {
      std::string message = "to be told:";
      for (const std::string& line : open_) message += "\n  " + line;
      refuse(model::ExitCode::usage, message);
    }
    std::string name = kernel_.plain;
    draft_.name = name;
    draft_.files.push_back({draft_.source, answer_.source});
    for (const auto& [header, text] : answer_.headers) {
      draft_.headers.push_back(header);
      draft_.files.push_back({header, text});
    }
    if (draft_.stub) {
      std::vector<ReferenceParameter> parameters;
      for (const DraftArgument& argument : draft_.arguments)
        parameters.push_back({argument.name, argument.dtype, argument.role != "scalar"});
      const DraftArgument* output = largest_output(draft_);
      draft_.files.push_back(
          {"reference.cu",
           reference_stub(parameters, output == nullptr ? "" : output->name, stub_elements(output))});
    }
  }

  /// The elements of the output in the words of the reference: scalars that are axes.
  [[nodiscard]] std::string stub_elements(const DraftArgument* output) const {
    std::string text = output == nullptr ? "n" : elements_of(*output);
    for (const DraftArgument& argument : draft_.arguments) {
      if (argument.role == "scalar" && argument.value != argument.name)
        text = with_name(text, argument.value, argument.name);
    }
    for (const DraftAxis& axis : draft_.axes) {
      if (axis.compile_time) text = with_name(text, axis.name, in_capitals(axis.name));
    }
    return text;
  }

  evaluators::compile::Compiler& compiler_;
  const Request& request_;
  bool run_;
  std::string source_;
  std::vector<KernelText> kernels_;
  KernelText kernel_;
  SourceMacros macros_;
  std::vector<ArgumentFlag> flags_;
  std::vector<std::pair<std::string, std::string>> renamed_;
  ProbeAnswer answer_;
  KernelUse reference_use_;
  std::vector<std::string> open_;  ///< what a run has to be told
  Draft draft_;
};

}  // namespace

Dialect known_dialect() {
  const auto has_key = [](std::span<const config::Key> keys, std::string_view name) {
    return std::any_of(keys.begin(), keys.end(), [&](const config::Key& key) { return key.name == name; });
  };
  Dialect dialect;
  const std::vector<std::string> roles = known_roles();
  dialect.inout = occurs(roles, "inout");
  dialect.zeroed_outputs =
      config::key(config::argument_keys(), "zeroed").description.find("outputs") != std::string_view::npos;
  dialect.gene_as = has_key(config::gene_keys(), "as");
  dialect.auto_smem =
      config::key(config::launch_keys(), "static_smem").description.find("auto") != std::string_view::npos;
  dialect.auto_tolerance = has_key(config::problem_keys(), "tolerance");
  dialect.work_optional = !config::key(config::problem_keys(), "work").required;
  return dialect;
}

Draft make_draft(evaluators::compile::Compiler& compiler, const Request& request, Purpose purpose) {
  return Maker(compiler, request, purpose).run();
}

}  // namespace evo::intake
