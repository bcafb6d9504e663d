#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/draft_maker.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/gene_names.hpp"
#include "intake/kernel_reach.hpp"
#include "intake/launch_guess.hpp"
#include "intake/namespace_macros.hpp"
#include "intake/other_platforms.hpp"
#include "intake/overloads.hpp"
#include "intake/reference.hpp"
#include "intake/reference_cost.hpp"
#include "intake/types.hpp"
#include "intake/user_headers.hpp"
#include "model/experiment.hpp"
#include "model/expression.hpp"
#include "model/file_name.hpp"
#include "session/targets.hpp"

namespace evo::intake {

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

std::string with_name(const std::string& text, const std::string& old, const std::string& name) {
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

Draft DraftMaker::run() {
  std::vector<std::string> put;
  std::string whole = read_user_file(request_.kernel);
  if (without_cell_magic(whole))
    draft_.notes.push_back(at(1) + ": the line of a notebook, %%, is empty in the copy");
  const std::string ours = without_other_platforms(whole);
  if (ours != whole) draft_.notes.push_back("what is for GPUs of other makers alone is left out of the copy");
  source_ = with_included_kernels(request_.kernel, as_for_nvcc(ours), request_.entry, put);
  for (const std::string& file : put)
    draft_.notes.push_back(fmt::format("{} is in the place of its #include", file));
  if (has_lone_macro(source_)) {
    std::map<std::string, std::string> bodies = brace_macros(source_);
    std::set<std::string> several;
    for (const auto& [header, text] : user_headers(request_.kernel, source_).headers) {
      for (const auto& [name, body] : brace_macros(text)) {
        const auto known = bodies.emplace(name, body).first;
        if (known->second != body) several.insert(name);
      }
    }
    for (const std::string& name : several) bodies.erase(name);
    source_ = with_namespaces_spelled_out(source_, bodies);
  }
  kernels_ = choose_kernel(request_.kernel, source_, request_.entry, "--entry");
  const std::string alone = without_other_overloads(source_, kernels_);
  if (alone != source_)
    draft_.notes.push_back(fmt::format("other kernels called {} are left out", kernels_.front().name));
  source_ = alone;
  kernel_ = kernels_.front();
  macros_ = macros_of(source_);
  draft_.source = model::plain_file_name(std::filesystem::path(request_.kernel).filename().string());
  draft_.device = request_.device;
  draft_.target = request_.target.empty() ? std::string(model::default_target) : request_.target;
  draft_.trials = request_.trials;
  read_flags();
  kernels_ = choose_kernel(request_.kernel, source_, request_.entry, "--entry");  // offsets have moved
  kernel_ = kernels_.front();
  define_needed();
  choose_entry();
  if (!run_) add_fixed_choices();
  choose_first_genome(draft_);
  tell("compiling " + request_.kernel);
  ask_compiler();
  settle_macros();
  tell("compiling " + request_.reference);
  read_reference_file();
  infer_arguments();
  see_cost_of_looks();
  const Draft before = draft_;
  const std::vector<std::string> open = open_;
  infer_launch();
  tell(fmt::format("running the {} at small sizes, for the shapes of the arrays",
                   request_.reference.empty() ? "kernel" : "reference"));
  if (infer_shapes()) {
    std::vector<DraftArgument> arguments = std::move(draft_.arguments);
    draft_ = before;
    draft_.arguments = std::move(arguments);
    open_ = open;
    infer_launch();
  }
  tell("running the kernel at small sizes, for its grid");
  fit_grid();
  reduce_parts();
  draw_integers();
  if (open_.empty()) widen_to_kernel(draft_, answer_.artifact);
  tell("running both at small sizes, for what indices may be");
  fill_indices();
  ask_reference_launch_again();
  tell("running the reference at small sizes, for what it writes");
  see_rewritten();
  keep_untouched();
  if (reference_artifact_ && open_.empty()) {
    tell("running the reference at two sizes, for what it costs");
    const auto cost = ReferenceCost::measure(draft_, *reference_artifact_);
    if (cost) widen_sizes(draft_, *cost, answer_.artifact.ptx);
    show_sizes_alone(draft_, *reference_artifact_);
    limit_sizes(draft_, cost, *reference_artifact_);
    const auto limited = [](const DraftAxis& axis) { return axis.limited; };
    if (std::ranges::any_of(draft_.axes, limited)) show_sizes_alone(draft_, *reference_artifact_, true);
  }
  collect_other_launches();
  ask_for_arguments();
  finish();
  return std::move(draft_);
}

void DraftMaker::read_flags() {
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
  const auto headers = user_headers(request_.kernel, source_).headers;
  for (const DraftAxis& axis : draft_.axes) {
    const std::string macro = in_capitals(axis.name);
    const bool defined =
        macros_.find(macro) != nullptr || std::ranges::any_of(headers, [&](const auto& header) {
          return macros_of(header.second).find(macro) != nullptr;
        });
    if (defined && !is_parameter(macro)) make_compile_time(axis.name);
  }
  read_argument_flags();
  draft_.constraints = request_.constraints;
  draft_.equal_writes = request_.equal_writes;
  draft_.compute = request_.compute;
  for (const std::string& text : request_.unreached)
    draft_.unreached.push_back(read_unreached_flag(text, draft_.source));
}

bool DraftMaker::is_parameter(std::string_view name) const {
  return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

DraftGene* DraftMaker::gene(std::string_view name) {
  const auto found =
      std::find_if(draft_.genes.begin(), draft_.genes.end(), [&](const auto& g) { return g.name == name; });
  return found == draft_.genes.end() ? nullptr : &*found;
}

std::string DraftMaker::at(int line) const {
  return fmt::format("{}:{}", request_.kernel, line);
}

void DraftMaker::open_macro(const std::string& name) {
  const DefinedMacro* defined = macros_.find(name);
  if (defined == nullptr) {
    open_local(name);
    return;
  }
  if (DraftGene* chosen = gene(name); chosen != nullptr && occurs(chosen->values, defined->value))
    chosen->initial = defined->value;
  if (defined->guarded) return;
  source_ = without_definition(source_, name);
  const bool constant = std::ranges::any_of(macros_.constants, [&](const auto& m) { return m.name == name; });
  draft_.notes.push_back(
      fmt::format(fmt::runtime(constant ? "{}: the constant {} = {} is a comment in the copy"
                                        : "{}: #define {} {} is a comment in the copy"),
                  at(defined->line), name, defined->value));
}

void DraftMaker::open_local(const std::string& name) {
  DraftGene* chosen = gene(name);
  const std::vector<DefinedMacro> defined = local_constants(source_, name, kernel_.line);
  if (chosen == nullptr || defined.empty()) return;
  const std::string& value = defined.front().value;
  if (occurs(chosen->values, value)) chosen->initial = value;
  source_ = without_local_constants(source_, name, value);
  std::string places;
  for (const DefinedMacro& each : defined) places += (places.empty() ? "" : ", ") + std::to_string(each.line);
  draft_.notes.push_back(fmt::format("{}:{}: the constant {} of a function is a comment in the copy",
                                     request_.kernel, places, name));
}

void DraftMaker::make_compile_time(const std::string& axis) {
  for (DraftAxis& each : draft_.axes) {
    if (each.name != axis || each.compile_time) continue;
    each.compile_time = true;
    each.why += fmt::format(", the macro {}", in_capitals(axis));
    open_macro(in_capitals(axis));
  }
}

Draft make_draft(evaluators::compile::Compiler& compiler, const Request& request, Purpose purpose,
                 const Tell& tell) {
  return DraftMaker(compiler, request, purpose, tell).run();
}

}  // namespace evo::intake
