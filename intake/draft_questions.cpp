// What the compiler tells of the kernel. Of its reference: draft_reference.cpp.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "intake/arguments.hpp"
#include "intake/constants.hpp"
#include "intake/draft_maker.hpp"
#include "intake/files.hpp"
#include "intake/launch_text.hpp"
#include "intake/types.hpp"
#include "intake/user_headers.hpp"
#include "model/experiment.hpp"
#include "session/targets.hpp"

namespace evo::intake {

std::vector<std::pair<std::string, std::string>> DraftMaker::macro_values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const DraftGene& each : draft_.genes) {
    if (!each.from_template) values.emplace_back(each.name, first_value(each));
  }
  for (const DraftAxis& axis : draft_.axes) {
    if (axis.compile_time) values.emplace_back(in_capitals(axis.name), std::to_string(axis.values.front()));
  }
  for (const auto& define : draft_.defines) values.push_back(define);
  return values;
}

namespace {

/// Numbers from half of `value` to half as much again, so that no kernel has it in its code; empty of what is
/// no number, or 0.
std::string around(const std::string& value) {
  const char* const begin = value.c_str();
  char* end = nullptr;
  const double number = std::strtod(begin, &end);
  if (end == begin || *end != '\0' || number == 0 || !std::isfinite(number)) return {};
  return fmt::format("{{uniform: [{}, {}]}}", std::min(0.5 * number, 1.5 * number),
                     std::max(0.5 * number, 1.5 * number));
}

/// USE_CUDA, TORCH_WITH_CUDA, HAVE_GPU.
bool switches_cuda_on(const std::string& macro) {
  for (const char* verb : {"USE_", "WITH_", "HAVE_", "ENABLE_"}) {
    for (const char* what : {"CUDA", "GPU"}) {
      const std::string word = std::string(verb) + what;
      if (macro == word || macro.ends_with("_" + word)) return true;
    }
  }
  return false;
}

}  // namespace

void DraftMaker::define_needed() {
  std::vector<std::string> needed = needed_macros(source_, kernel_.begin);
  // Of several arms one needs nothing: that is the kernel.
  for (const KernelText& arm : kernels_) {
    if (needed_macros(source_, arm.begin).empty()) needed.clear();
  }
  for (const std::string& name : needed) {
    const bool axis = std::any_of(draft_.axes.begin(), draft_.axes.end(),
                                  [&](const DraftAxis& each) { return in_capitals(each.name) == name; });
    if (gene(name) != nullptr || axis) continue;
    draft_.defines.emplace_back(name, "1");
    draft_.notes.push_back(fmt::format("{}: {} is there only with {}, which is defined as 1",
                                       at(kernel_.line), kernel_.name, name));
  }
  // What every build for GPUs says, in headers that the kernel takes its types from.
  std::map<std::string, std::string> texts = user_headers(request_.kernel, source_).headers;
  texts.emplace("", source_);
  std::map<std::string, SourceMacros> macros;  // a framework's headers are hundreds: each is read once
  for (const auto& [header, text] : texts) macros.emplace(header, macros_of(text));
  for (const auto& [header, of_header] : macros) {
    for (const AskedMacro& asked : of_header.asked) {
      if (!switches_cuda_on(asked.name) || gene(asked.name) != nullptr) continue;
      const bool known =
          std::ranges::any_of(draft_.defines, [&](const auto& define) { return define.first == asked.name; });
      const bool defined = std::ranges::any_of(
          macros, [&](const auto& each) { return each.second.find(asked.name) != nullptr; });
      if (known || defined) continue;
      draft_.defines.emplace_back(asked.name, "1");
      draft_.notes.push_back(fmt::format("{} asks for {}, which is defined as 1",
                                         header.empty() ? request_.kernel : header, asked.name));
    }
  }
}

void DraftMaker::add_constants() {
  std::vector<DeclaredVariable> declared = open_constants(answer_.source);
  std::vector<std::string> texts{answer_.source};
  for (const auto& [header, text] : answer_.headers) {
    texts.push_back(text);
    for (DeclaredVariable& each : open_constants(text)) declared.push_back(std::move(each));
  }
  for (const OpenVariable& variable : open_constants_of(answer_.artifact.ptx, answer_.artifact.entry)) {
    const std::size_t colon = variable.symbol.rfind(':');
    const std::string name = colon == std::string::npos ? variable.symbol : variable.symbol.substr(colon + 1);
    const auto found =
        std::find_if(declared.begin(), declared.end(), [&](const auto& each) { return each.name == name; });
    if (found == declared.end() || is_parameter(name)) continue;
    // REAL: a macro's name, of which one number's type in the module tells. WORD: a typedef's.
    const auto is_known = [](const std::string& of) { return !element_type(of + "*").dtype.empty(); };
    std::string element = is_known(found->type) || variable.type.empty() ? found->type : variable.type;
    if (!is_known(element)) {
      if (const std::string own = typedef_of(element, texts); is_known(own)) element = own;
    }
    const ElementType type = element_type(element + "*");
    Parameter parameter;
    parameter.name = name;
    parameter.type = "const " + element + "*";
    parameter.pointer = parameter.constant = true;
    parameter.line = found->line;
    kernel_.parameters.push_back(parameter);
    symbols_[name] = variable.symbol;
    const long size = type.dtype.empty() ? 4 : bytes_of(type.dtype);
    fixed_shapes_[name] = {std::to_string(variable.bytes / size)};
    // 'height: h', of one number: what the variable always holds.
    for (ArgumentFlag& flag : flags_) {
      if (flag.name != name || flag.value.empty() || variable.bytes != size) continue;
      const std::string fill = type.floating() ? around(flag.value) : std::string();
      flag.keys.emplace_back("fill", !fill.empty()     ? fill
                                     : type.floating() ? fmt::format("{{constant: {}}}", flag.value)
                                                       : fmt::format("{{integers: [{0}, {0}]}}", flag.value));
      // Which numbers else an integer may be, a width or a flag, nobody knows.
      if (fill.empty()) {
        flag.keys.emplace_back("neutral", "true");
        draft_.notes.push_back(
            fmt::format("{0} holds {1} and nothing else: what is proven is proven for that "
                        "(--arg '{0}: {{fill: {{integers: [LOW, HIGH]}}}}' has others)",
                        name, flag.value));
      }
      flag.value.clear();
    }
  }
}

void DraftMaker::ask_compiler() {
  ProbeQuestion question;
  question.source = source_;
  question.file = request_.kernel;
  question.entry = instance();
  question.arch = arch();
  question.parameters = kernel_.parameters.size();
  for (const Parameter& each : kernel_.parameters) question.parameter_types.push_back(each.type);
  question.macros = macro_values();
  auto answer = probe(compiler_, question);
  if (!answer) {
    std::string message = fmt::format("{} does not compile as {}", request_.kernel, question.entry);
    std::size_t shown = 0;
    bool demands = false;  // the file, of whoever builds it
    for (const model::Evidence& evidence : answer.error().evidence) {
      if (++shown > 5) break;
      demands = demands || evidence.message.find("#error") != std::string::npos;
      const bool own = evidence.file.empty() || evidence.file == draft_.source;
      const std::string where = own ? request_.kernel : evidence.file;
      message +=
          fmt::format("\n  {}: {}", evidence.line > 0 ? fmt::format("{}:{}", where, evidence.line) : where,
                      evidence.message.substr(0, evidence.message.find('\n')));
    }
    if (demands)
      message +=
          "\n  where your build defines a macro (-DNAME=1), say so by a gene of one value: --gene NAME=1";
    for (const std::string& other : files_including(request_.kernel))
      message += fmt::format("\n  {} includes it, behind what it needs: evo tune {} --entry {}", other, other,
                             kernel_.name);
    refuse(model::ExitCode::invalid_configuration, message);
  }
  answer_ = std::move(*answer);
  for (const KernelText& arm : kernels_) {
    if (!answer_.types.empty() && arm.parameters.size() == answer_.types.size()) {
      kernel_ = arm;
      break;
    }
  }
  if (answer_.types.size() != kernel_.parameters.size()) {
    answer_.types.clear();
    answer_.layouts.clear();
    answer_.pointees.clear();
    answer_.use = use_of(answer_.artifact.ptx, answer_.artifact.entry, kernel_.parameters.size());
  }
  see_other_genomes(question);
  expand_structs();
  read_casts(question);
  check_flag_names();
  add_constants();
  // gridDim.x * blockIdx.y + blockIdx.x: a line of blocks that is folded where it is too long.
  const std::string body = source_.substr(kernel_.begin, kernel_.end - kernel_.begin);
  if (folds_blocks(body)) answer_.use.y = false;
  // What other kernels of the file ask for is theirs; one that only calls functions shows nothing.
  if (asks_for_side(body, 'x')) {
    answer_.use.y = answer_.use.y && asks_for_side(body, 'y');
    answer_.use.z = answer_.use.z && asks_for_side(body, 'z');
  }
  answer_.use.thread_y = answer_.use.thread_y && answer_.use.y;
  answer_.use.thread_z = answer_.use.thread_z && answer_.use.z;
  for (const Cut& cut : answer_.cuts)
    draft_.notes.push_back(
        fmt::format("{}:{}-{}: {} is left out of the copy", request_.kernel, cut.first, cut.last, cut.what));
  for (const std::string& note : answer_.notes) draft_.notes.push_back(note);
  for (const auto& [name, path] : answer_.fetched)
    draft_.notes.push_back(fmt::format("{} is {}", name, path));
}

/// Accesses are as wide as the widest genome has them: all genes at their last value, and each that may be a
/// number of elements alone. What does not compile says nothing.
void DraftMaker::see_other_genomes(ProbeQuestion question) {
  constexpr std::size_t most_compiles = 5;
  const std::vector<DraftGene> own = draft_.genes;
  std::vector<std::vector<DraftGene>> others;
  std::vector<DraftGene> last = own;
  for (DraftGene& gene : last) gene.initial = gene.values.back();
  others.push_back(std::move(last));
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto few = [](const std::string& value) { return value.size() == 1 || value == "16"; };
    std::vector<DraftGene> one = own;
    one[i].initial = own[i].values.back();
    if (own.size() > 1 && std::ranges::all_of(own[i].values, few)) others.push_back(std::move(one));
  }
  std::set<std::string> seen{instance()};
  for (std::size_t i = 0; i < std::min(others.size(), most_compiles); ++i) {
    draft_.genes = others[i];
    question.entry = instance();
    question.macros = macro_values();
    std::string key = question.entry;
    for (const auto& [name, value] : question.macros) key += "|" + name + "=" + value;
    draft_.genes = own;
    if (!seen.insert(key).second) continue;
    const auto artifact = compiler_.compile(compile_of(question, answer_));
    if (!artifact) continue;
    const KernelUse use = use_of(artifact->ptx, artifact->entry, answer_.slots);
    for (std::size_t at = 0; at < std::min(use.pointers.size(), answer_.use.pointers.size()); ++at)
      answer_.use.pointers[at].widest = std::max(answer_.use.pointers[at].widest, use.pointers[at].widest);
  }
}

std::string DraftMaker::arch() const {
  model::Experiment experiment;
  session::set_target_or_throw(experiment, draft_.target, model::ExitCode::usage);
  return experiment.target.arch;
}

KnownParameter DraftMaker::known(std::size_t i) const {
  KnownParameter p;
  p.text = kernel_.parameters[i];
  p.type = element_type(i < answer_.types.size() ? answer_.types[i] : p.text.type);
  if (const auto element = elements_.find(p.text.name); element != elements_.end()) {
    const bool constant = p.type.constant;
    if (!element->second.dtype.empty()) p.type = element->second;
    p.type.pointer = true;
    p.type.constant = constant;
    if (const auto told = element_names_.find(p.text.name); told != element_names_.end())
      p.elements = told->second;
  }
  if (i < answer_.use.pointers.size()) p.kernel = answer_.use.pointers[i];
  if (i < reference_use_.pointers.size()) p.reference = reference_use_.pointers[i];
  if (i < reference_use_.taken.size()) p.reference_takes = reference_use_.taken[i];
  if (i < answer_.use.taken.size()) p.kernel_takes = answer_.use.taken[i];
  // What the reference does says what is meant: a kernel may have a way of its own for powers of two.
  const KernelUse& telling = i < reference_use_.meets_data.size() ? reference_use_ : answer_.use;
  p.meets_data = i < telling.meets_data.size() && telling.meets_data[i];
  for (const ArgumentFlag& flag : flags_) {
    if (flag.name == p.text.name) p.flag = flag;
  }
  if (const auto place = places_.find(p.text.name); place != places_.end()) {
    constexpr auto most_sides = 5;
    const std::string& path = place->second.path;
    const std::string list = path.substr(0, path.rfind('[') + 1);
    p.one_of_many = path.ends_with("]") && std::ranges::count_if(places_, [&](const auto& each) {
                                             return each.second.path.starts_with(list);
                                           }) > most_sides;
    for (const ArgumentFlag& flag : flags_) {
      const bool array = p.text.name == array_of(flag.name);  // 'r: [n]' is of an accessor's elements
      if (flag.name == place->second.path || array) p.flag = flag;
    }
  }
  p.object = object_kind(p.text.type);
  if (p.object != ObjectKind::none) {
    p.texture = texture_use(source_.substr(kernel_.begin, kernel_.end - kernel_.begin), p.text.name);
    p.host = source_;
    p.kernel.read = p.texture.read;
    p.kernel.written = p.kernel.stored = p.texture.written;
    p.kernel.read_first = p.texture.read && p.texture.written;
  }
  return p;
}

}  // namespace evo::intake
