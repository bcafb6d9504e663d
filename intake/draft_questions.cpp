// What the compiler tells of the kernel and of its reference.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/draft_maker.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/gene_names.hpp"
#include "intake/launch_guess.hpp"
#include "intake/reference.hpp"
#include "intake/types.hpp"
#include "model/experiment.hpp"
#include "model/expression.hpp"
#include "model/file_name.hpp"
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
  return values;
}

void DraftMaker::ask_compiler() {
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
  // gridDim.x * blockIdx.y + blockIdx.x: a line of blocks that is folded where it is too long.
  const std::string body = source_.substr(kernel_.begin, kernel_.end - kernel_.begin);
  if (folds_blocks(body)) answer_.use.y = false;
  // What other kernels of the file ask for is theirs; one that only calls functions shows nothing.
  if (asks_for_side(body, 'x')) {
    answer_.use.y = answer_.use.y && asks_for_side(body, 'y');
    answer_.use.z = answer_.use.z && asks_for_side(body, 'z');
  }
  for (const Cut& cut : answer_.cuts)
    draft_.notes.push_back(
        fmt::format("{}:{}-{}: {} is left out of the copy", request_.kernel, cut.first, cut.last, cut.what));
}

std::string DraftMaker::arch() const {
  model::Experiment experiment;
  session::set_target_or_throw(experiment, draft_.target, model::ExitCode::usage);
  return experiment.target.arch;
}

KnownParameter DraftMaker::known(std::size_t i) const {
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

void DraftMaker::read_reference_file() {
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

}  // namespace evo::intake
