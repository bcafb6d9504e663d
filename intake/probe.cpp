#include "intake/probe.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/tokens.hpp"
#include "intake/gene_names.hpp"
#include "intake/macros.hpp"
#include "intake/overloads.hpp"
#include "intake/probe_text.hpp"
#include "intake/prober.hpp"
#include "intake/signature.hpp"
#include "intake/torch_names.hpp"
#include "intake/user_headers.hpp"

namespace evo::intake {
namespace {

using evaluators::compile::CompileRequest;
constexpr const char* signature_kernel = "evo_signature_of";

CompileRequest request_of(const ProbeQuestion& question, const ProbeAnswer& answer, const std::string& entry,
                          const std::string& epilogue, bool modest) {
  CompileRequest request;
  const std::string name = std::filesystem::path(question.file).filename().string();
  for (const auto& [macro, value] : question.macros)
    request.source += fmt::format("#define {} {}\n", macro, value);
  for (const std::string& macro : answer.missing)
    request.source += fmt::format("#define {} {}\n", macro, modest ? "1" : trial_value(macro));
  request.source += question.prologue;
  // INSTANTIATE(float) at the file's end may have no semicolon: it is a declaration of its own.
  request.source += fmt::format("#line 1 \"{}\"\n{}\n;\n{}\n", name, answer.source, epilogue);
  request.source_file = name;
  request.entry = entry;
  request.arch = question.arch;
  request.headers = answer.headers;
  return request;
}

/// The line of "texture<float4> positions;" outside of functions, which CUDA has no more since 12; 0 without.
int texture_reference_in(const std::string& source) {
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool begins = i == 0 || tokens[i - 1].is(";") || tokens[i - 1].is("}") ||
                        tokens[i - 1].is("static") || tokens[i - 1].directive;
    if (begins && !tokens[i].directive && tokens[i].is("texture") && tokens[i + 1].is("<"))
      return tokens[i].line;
  }
  return 0;
}

/// What lanes of a warp exchanged words with before there were masks: its name and line, where the compiler
/// misses one.
std::optional<std::pair<std::string, int>> intrinsic_without_mask(const model::Failure& failure) {
  static constexpr std::array<std::string_view, 7> names{"__shfl",   "__shfl_up", "__shfl_down", "__shfl_xor",
                                                         "__ballot", "__any",     "__all"};
  for (const model::Evidence& evidence : failure.evidence) {
    const std::string name = quoted(evidence.message);
    if (std::ranges::find(names, name) != names.end() && evidence.message.ends_with("is undefined"))
      return std::pair{name, evidence.line};
  }
  return std::nullopt;
}

/// Whether an error is a name that the text itself declares.
bool misses_own_name(const model::Failure& failure, const std::string& source) {
  constexpr std::string_view begin = "identifier \"", end = "\" is undefined";
  const std::vector<std::string> own = names_of(source);
  return std::ranges::any_of(failure.evidence, [&](const model::Evidence& evidence) {
    const std::size_t from = evidence.message.find(begin), to = evidence.message.find(end);
    if (from == std::string::npos || to == std::string::npos || to < from) return false;
    const std::string name = evidence.message.substr(from + begin.size(), to - from - begin.size());
    return std::ranges::count(own, name) > 0 && source.find(name + "(") != std::string::npos &&
           source.find("void " + name + "(") != std::string::npos;
  });
}

}  // namespace

Prober::Prober(evaluators::compile::Compiler& compiler, const ProbeQuestion& question, bool wide)
    : compiler_(compiler), question_(question) {
  UserHeaders found = user_headers(question.file, question.source, wide);
  answer_.source = std::move(found.source);
  answer_.headers = std::move(found.headers);
  answer_.fetched = std::move(found.fetched);
  answer_.cuts = std::move(found.cuts);
  const auto keep_meant = [&](std::string& text) {
    text = without_other_declarations(std::move(text), read_entry(question.entry).name,
                                      question.parameter_types);
  };
  if (!question.parameter_types.empty()) {
    keep_meant(answer_.source);
    for (auto& [header, text] : answer_.headers) keep_meant(text);
  }
  bool torch = false;
  const auto replace = [&](std::string& text, const std::string& user) {
    std::string other = with_torch_names(text, user);
    torch = torch || other != text;
    text = std::move(other);
  };
  const std::string user = answer_.source;
  replace(answer_.source, user);
  for (auto& [header, text] : answer_.headers) replace(text, user);
  if (torch) {
    answer_.headers.emplace(torch_names, torch_header());
    answer_.notes.push_back(std::string(torch_names) + " is in the place of PyTorch's headers");
  }
  // A #define of the user's headers yields to what is asked for, as it does in a template.
  for (auto& [header, text] : answer_.headers) {
    for (const auto& [macro, value] : question.macros) {
      for (std::string without; (without = without_definition(text, macro)) != text;) text = without;
    }
  }
  originals_ = answer_.headers;
}

tl::expected<ProbeAnswer, model::Failure> Prober::run() {
  constexpr int most_rounds = 60;
  for (int round = 0;; ++round) {
    auto artifact = compiler_.compile(request(question_.entry, question_.epilogue));
    if (artifact) {
      answer_.artifact = std::move(*artifact);
      cut_copies_alike();
      break;
    }
    if (round == most_rounds || (!mend(artifact.error()) && !with_ones(artifact.error()))) {
      // Should something have been left out that the kernel needs: once more with the whole file.
      if (unsliced_) {
        sliced_failure_ = artifact.error();
        answer_ = std::move(*unsliced_);
        unsliced_.reset();
        included_.clear();
        not_found_.clear();
        host_cut_ = false;
        continue;
      }
      // The one without what others of the file need is the kernel's own.
      model::Failure failure = sliced_failure_ ? *sliced_failure_ : first_failure_.value_or(artifact.error());
      // What was cut since it does not compile itself is no more than missed: why it was is the cause.
      if (sliced_failure_ && first_failure_ && !first_failure_->evidence.empty() &&
          misses_own_name(failure, question_.source))
        failure.evidence.insert(failure.evidence.begin(), first_failure_->evidence.begin(),
                                first_failure_->evidence.begin() + 1);
      // In front: what follows from it comes next.
      for (const auto& [header, line] : not_found_)
        failure.evidence.insert(
            failure.evidence.begin(),
            {"error", fmt::format("\"{}\" is not beside the file; copy it there", header), "", line, {}});
      if (const int line = texture_reference_in(question_.source); line > 0)
        failure.evidence.insert(
            failure.evidence.begin(),
            {"error",
             "a texture reference (texture<...>), which CUDA has no more since version 12: no toolkit of "
             "today compiles what uses it; a cudaTextureObject_t as parameter takes its place",
             "",
             line,
             {}});
      if (const auto old = intrinsic_without_mask(failure))
        failure.evidence.insert(
            failure.evidence.begin(),
            {"error",
             fmt::format(
                 "{0}, which CUDA has no more for GPUs since Volta: {0}_sync(0xffffffff, ...) takes its "
                 "place where all lanes of the warp get there",
                 old->first),
             "",
             old->second,
             {}});
      if (!left_out_.empty())
        failure.evidence.insert(
            failure.evidence.begin(),
            {"error",
             fmt::format("not there, and left out: {}. What the kernel needs of them has to "
                         "stand beside the file",
                         fmt::join(left_out_, ", ")),
             "",
             0,
             {}});
      return tl::make_unexpected(std::move(failure));
    }
  }
  // Names that only the host code asked for.
  const std::vector<std::string> kept = names_of(answer_.source);
  std::erase_if(answer_.missing, [&](const std::string& name) {
    return std::find(kept.begin(), kept.end(), name) == kept.end();
  });
  read_types();
  read_layouts();
  answer_.use = use_of(answer_.artifact.ptx, answer_.artifact.entry, answer_.slots);
  // Cooperative groups number threads over all sides, whichever the launch has.
  answer_.use.y = answer_.use.y && asks_for_side(answer_.source, 'y');
  answer_.use.z = answer_.use.z && asks_for_side(answer_.source, 'z');
  answer_.use.thread_y = answer_.use.thread_y && asks_for_thread_side(answer_.source, 'y');
  answer_.use.thread_z = answer_.use.thread_z && asks_for_thread_side(answer_.source, 'z');
  return std::move(answer_);
}

CompileRequest Prober::request(const std::string& entry, const std::string& epilogue) const {
  return request_of(question_, answer_, entry, epilogue, modest_);
}

void Prober::read_types() {
  const std::string probe =
      fmt::format("template <class evo_type> __global__ void {}() {{}}", signature_kernel);
  address_ = "&" + question_.entry;
  auto artifact = compiler_.compile(request(fmt::format("{}<decltype({})>", signature_kernel, address_),
                                            question_.epilogue + "\n" + probe));
  // A device function of the same name: the kernel's own parameters choose.
  if (!artifact && !question_.parameter_types.empty()) {
    address_ = fmt::format("static_cast<void (*)({})>(&{})", fmt::join(question_.parameter_types, ", "),
                           question_.entry);
    artifact = compiler_.compile(request(fmt::format("{}<decltype({})>", signature_kernel, address_),
                                         question_.epilogue + "\n" + probe));
  }
  if (!artifact) return;
  answer_.types = parameter_types(artifact->entry);
}

void Prober::read_layouts() {
  const AskName ask = [&](const std::string& entry,
                          const std::string& epilogue) -> std::optional<std::string> {
    for (const char* access : {"", "#define private public\n#define protected public\n"}) {
      CompileRequest asked = request(entry, question_.epilogue + "\n" + epilogue);
      asked.source = access + asked.source;
      const auto artifact = compiler_.compile(asked);
      if (artifact) return artifact->entry;
    }
    return std::nullopt;
  };
  std::vector<std::string> texts{answer_.source};
  for (const auto& [name, text] : answer_.headers) texts.push_back(text);
  const std::size_t count = answer_.types.empty() ? question_.parameters : answer_.types.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool structure = i < answer_.types.size() && is_struct_type(answer_.types[i]);
    if (structure) {
      StructLayout layout = layout_of(ask, texts, address_, i, answer_.types[i]);
      const bool whole = layout.objection.empty();
      for (const StructMember& member : layout.members) {
        if (whole) answer_.slots.push_back({i, member.offset, bytes_of_type(member.type)});
      }
      answer_.layouts[i] = layout;
      if (whole && !layout.members.empty()) continue;
    } else if (i < answer_.types.size() && !struct_pointed_to(answer_.types[i]).empty()) {
      answer_.pointees[i] = layout_of(ask, texts, address_, i, answer_.types[i]);
    }
    answer_.slots.push_back({i, 0, 0});
  }
}

std::string trial_value(const std::string& name) {
  return usual_values(name, false).front();
}

CompileRequest compile_of(const ProbeQuestion& question, const ProbeAnswer& answer) {
  return request_of(question, answer, question.entry, question.epilogue, false);
}

std::optional<std::string> spelling_of(evaluators::compile::Compiler& compiler, const ProbeQuestion& question,
                                       const ProbeAnswer& answer, const std::string& type,
                                       const std::string& within) {
  std::string epilogue;
  if (!within.empty()) epilogue = fmt::format("using namespace {};\n", within);
  epilogue += fmt::format("template <class evo_type> __global__ void {}() {{}}", signature_kernel);
  const auto artifact = compiler.compile(request_of(
      question, answer, fmt::format("{}<void (*)({}*)>", signature_kernel, type), epilogue, false));
  if (!artifact) return std::nullopt;
  std::vector<std::string> types = parameter_types(artifact->entry);
  if (types.size() != 1 || !types.front().ends_with("*")) return std::nullopt;
  types.front().pop_back();
  return trimmed(types.front());
}

tl::expected<ProbeAnswer, model::Failure> probe(evaluators::compile::Compiler& compiler,
                                                const ProbeQuestion& question) {
  Prober prober(compiler, question, false);
  auto answer = prober.run();
  if (answer || prober.missing_headers() == 0) return answer;
  // A header of another module brings along host code of it: it is taken where nothing else helps.
  Prober wide(compiler, question, true);
  auto again = wide.run();
  return again || wide.missing_headers() < prober.missing_headers() ? std::move(again) : std::move(answer);
}

}  // namespace evo::intake
