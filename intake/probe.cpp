#include "intake/probe.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/gene_names.hpp"
#include "intake/macros.hpp"
#include "intake/probe_text.hpp"
#include "intake/reachable.hpp"
#include "intake/signature.hpp"
#include "intake/standard_names.hpp"
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
  request.source += fmt::format("#line 1 \"{}\"\n{}\n{}\n", name, answer.source, epilogue);
  request.source_file = name;
  request.entry = entry;
  request.arch = question.arch;
  request.headers = answer.headers;
  return request;
}

/// Of a library that kernels use, too: not of the system, nor one that evo knows as the host's.
bool of_a_library(const std::string& header) {
  const bool below = header.find('/') != std::string::npos;
  const bool device = header.ends_with(".cuh") || header.ends_with(".hpp");
  return (below || device) && (!is_host_header(header) || header.starts_with("boost/preprocessor"));
}

class Prober {
 public:
  Prober(evaluators::compile::Compiler& compiler, const ProbeQuestion& question)
      : compiler_(compiler), question_(question) {
    UserHeaders found = user_headers(question.file, question.source);
    answer_.source = std::move(found.source);
    answer_.headers = std::move(found.headers);
    answer_.fetched = std::move(found.fetched);
    answer_.cuts = std::move(found.cuts);
    if (std::string text = with_torch_names(answer_.source); text != answer_.source) {
      answer_.source = std::move(text);
      answer_.headers.emplace(torch_names, torch_header());
      answer_.notes.push_back(std::string(torch_names) + " is in the place of PyTorch's headers");
    }
    // A #define of the user's headers yields to what is asked for, as it does in a template.
    for (auto& [header, text] : answer_.headers) {
      for (const auto& [macro, value] : question.macros) {
        for (std::string without; (without = without_definition(text, macro)) != text;) text = without;
      }
    }
  }

  tl::expected<ProbeAnswer, model::Failure> run() {
    constexpr int most_rounds = 60;
    for (int round = 0;; ++round) {
      auto artifact = compiler_.compile(request(question_.entry, question_.epilogue));
      if (artifact) {
        answer_.artifact = std::move(*artifact);
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
        model::Failure failure =
            sliced_failure_ ? *sliced_failure_ : first_failure_.value_or(artifact.error());
        // In front: what follows from it comes next.
        for (const auto& [header, line] : not_found_)
          failure.evidence.insert(
              failure.evidence.begin(),
              {"error", fmt::format("\"{}\" is not beside the file; copy it there", header), "", line, {}});
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
    return std::move(answer_);
  }

 private:
  [[nodiscard]] CompileRequest request(const std::string& entry, const std::string& epilogue) const {
    return request_of(question_, answer_, entry, epilogue, modest_);
  }

  /// Does one thing about a failure; false: nothing can be done.
  bool mend(const model::Failure& failure) {
    if (leave_out_the_unreached(failure)) return true;
    for (const model::Evidence& evidence : failure.evidence) {
      if (mend_include(evidence)) return true;
    }
    if (mend_foreign(failure)) return true;
    if (add_standard_headers(failure) || add_headers_beside(failure) || add_cub_names(failure)) return true;
    if (failure.reason == "include_not_found") return false;
    bool found = false;
    for (const model::Evidence& evidence : failure.evidence) {
      const std::string name = quoted(evidence.message);
      const bool open = question_.find_macros && evidence.message.starts_with("identifier ") &&
                        evidence.message.ends_with("is undefined") && stands_for_number(answer_.source, name);
      if (!open || in_host_code(evidence.line) || !standard_header_for(evidence.message).empty() ||
          std::find(answer_.missing.begin(), answer_.missing.end(), name) != answer_.missing.end())
        continue;
      answer_.missing.push_back(name);
      found = true;
    }
    if (found) return true;
    if (!host_cut_) {
      host_cut_ = true;
      std::string cut = without_host_functions(answer_.source, answer_.cuts);
      bool changed = cut != answer_.source;
      answer_.source = std::move(cut);
      for (auto& [name, text] : answer_.headers) {
        std::vector<Cut> in_header;
        std::string bare = without_host_functions(text, in_header);
        changed = changed || bare != text;
        text = std::move(bare);
      }
      if (changed) return true;
    }
    if (mend_host_members(failure)) return true;
    for (const bool types : {false, true}) {
      bool changed = false;
      for (const model::Evidence& evidence : failure.evidence) {
        std::string* text = text_of(evidence);
        if (text == nullptr) continue;
        std::vector<Cut> in_header;
        std::string cut = without_declaration(*text, evidence.line, types,
                                              text == &answer_.source ? answer_.cuts : in_header);
        changed = changed || cut != *text;
        *text = std::move(cut);
      }
      if (changed) return true;
    }
    return mend_others(failure);
  }

  /// __host__ alone, in a class whose other members the kernel needs. The last first: lines stay.
  bool mend_host_members(const model::Failure& failure) {
    bool changed = false;
    for (const model::Evidence& evidence : failure.evidence) {
      std::string* text = text_of(evidence);
      const auto says = [&](std::string_view words) {
        return evidence.message.find(words) != std::string::npos;
      };
      // Marked as the host's, or not marked at all.
      if (text == nullptr ||
          !(says("explicitly marked as a __host__") || says("without execution space annotations")))
        continue;
      std::vector<Cut> in_header;
      std::string cut =
          without_host_member(*text, evidence.line, text == &answer_.source ? answer_.cuts : in_header);
      changed = changed || cut != *text;
      *text = std::move(cut);
    }
    return changed;
  }

  /// Once: of the file and its headers, only what the kernel leads to.
  bool leave_out_the_unreached(const model::Failure& failure) {
    if (sliced_) return false;
    sliced_ = true;
    std::vector<std::string> needed;
    const auto add = [&](const std::string& text) {
      for (std::string& name : names_of(text)) needed.push_back(std::move(name));
    };
    add(question_.entry);
    add(question_.prologue);
    add(question_.epilogue);
    for (const auto& [macro, value] : question_.macros) add(value);
    ProbeAnswer before = answer_;
    const int count = keep_reachable(answer_.source, answer_.headers, needed);
    if (count == 0) return false;
    answer_.notes.push_back(
        fmt::format("{} declarations that the kernel does not use are left out of the copy", count));
    unsliced_ = std::move(before);
    if (!first_failure_) first_failure_ = failure;
    return true;
  }

  /// Other kernels of the file, and functions that only they call, may be written for another toolkit. Where
  /// the kernel needs them after all, the first failure is the one to show.
  bool mend_others(const model::Failure& failure) {
    if (!first_failure_) first_failure_ = failure;
    std::string plain = question_.entry.substr(0, question_.entry.find('<'));
    plain = plain.substr(plain.rfind(':') == std::string::npos ? 0 : plain.rfind(':') + 1);
    bool changed = false;
    for (const model::Evidence& evidence : failure.evidence) {
      std::string* text = text_of(evidence);
      if (text == nullptr) continue;
      std::vector<Cut> in_header;
      std::string cut =
          without_function(*text, evidence.line, plain, text == &answer_.source ? answer_.cuts : in_header);
      changed = changed || cut != *text;
      *text = std::move(cut);
    }
    return changed;
  }

  /// The user's header that a compiler calls `file`; null for others.
  std::string* header_of(const std::string& file) {
    if (file.empty()) return nullptr;
    if (const auto exact = answer_.headers.find(file); exact != answer_.headers.end()) return &exact->second;
    for (auto& [name, text] : answer_.headers) {
      if (file.ends_with("/" + name)) return &text;
    }
    return nullptr;
  }

  /// The text that an error stands in: the file's own, or a header of the user's; null for others.
  std::string* text_of(const model::Evidence& evidence) {
    if (std::string* header = header_of(evidence.file)) return header;
    const std::string name = std::filesystem::path(evidence.file).filename().string();
    const std::string own = std::filesystem::path(question_.file).filename().string();
    return evidence.file.empty() || name == own ? &answer_.source : nullptr;
  }

  bool add_include(const model::Evidence& evidence, const std::string& included) {
    std::string* text = text_of(evidence);
    if (text == nullptr || included_.contains({text, included})) return false;
    std::string more = with_line(*text, "#include " + included);
    if (more == *text) return false;
    *text = std::move(more);
    included_.insert({text, included});
    answer_.notes.push_back("#include " + included + " is added to the copy: it has " +
                            last_quoted(evidence.message));
    return true;
  }

  /// What nvcc's host headers bring along: uint8_t, std::numeric_limits.
  bool add_standard_headers(const model::Failure& failure) {
    bool changed = false;
    for (const model::Evidence& evidence : failure.evidence) {
      const std::string header = standard_header_for(evidence.message);
      if (!header.empty()) changed = add_include(evidence, "<" + header + ">") || changed;
    }
    return changed;
  }

  /// Functors that CUB has no more: cub::Max of 12 is cuda::maximum of 13.
  bool add_cub_names(const model::Failure& failure) {
    bool changed = false;
    for (const model::Evidence& evidence : failure.evidence) {
      if (!is_former_cub_name(evidence.message)) continue;
      answer_.headers.emplace(cub_names, cub_names_header());
      changed = add_include(evidence, fmt::format("\"{}\"", cub_names)) || changed;
    }
    return changed;
  }

  /// A file that others include after the types that it takes: the header beside it that declares them.
  bool add_headers_beside(const model::Failure& failure) {
    bool changed = false;
    for (const model::Evidence& evidence : failure.evidence) {
      if (!evidence.message.starts_with("identifier ") || !evidence.message.ends_with("is undefined"))
        continue;
      const auto place = header_declaring(folder(), quoted(evidence.message));
      if (!place) continue;
      const std::string header = place->filename().string();
      if (answer_.headers.contains(header)) continue;
      std::ifstream stream(*place, std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(stream), {}};
      if (!add_include(evidence, '"' + header + '"')) continue;
      for (const auto& [macro, value] : question_.macros) {
        for (std::string without; (without = without_definition(text, macro)) != text;) text = without;
      }
      answer_.headers[header] = std::move(text);
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] std::filesystem::path folder() const {
    const std::filesystem::path parent = std::filesystem::path(question_.file).parent_path();
    return parent.empty() ? "." : parent;
  }

  /// Too much shared memory, or assertions about sizes: once more with the smallest values.
  bool with_ones(const model::Failure& failure) {
    const bool again = !modest_ && !answer_.missing.empty() && !failure.evidence.empty();
    modest_ = true;
    return again;
  }

  /// An error in a header that is neither the user's: host libraries are left out, all at once.
  bool mend_foreign(const model::Failure& failure) {
    const bool foreign = std::ranges::any_of(
        failure.evidence, [&](const model::Evidence& evidence) { return text_of(evidence) == nullptr; });
    if (!foreign) return false;
    bool changed = without_host_headers(answer_.source, answer_.headers, answer_.cuts);
    std::vector<std::string> names;
    for (const auto& [name, text] : answer_.headers) names.push_back(name);
    for (const std::string& name : names) {
      std::vector<Cut> in_header;
      changed = without_host_headers(answer_.headers[name], answer_.headers, in_header) || changed;
    }
    return changed;
  }

  bool mend_include(const model::Evidence& evidence) {
    const bool missing = evidence.message.find("could not open source file") != std::string::npos ||
                         evidence.message.find("cannot open source file") != std::string::npos ||
                         evidence.kind == "forbidden_include" ||
                         evidence.message.find("include") != std::string::npos;
    const std::string header = quoted(evidence.message);
    if (!missing || header.empty()) return false;
    const auto beside = std::filesystem::path(question_.file).parent_path() / header;
    std::ifstream stream(beside, std::ios::binary);
    // The problem file names headers without folders.
    if (stream && header.find('/') == std::string::npos && !answer_.headers.contains(header)) {
      answer_.headers[header] = {std::istreambuf_iterator<char>(stream), {}};
      return true;
    }
    if (of_a_library(header)) left_out_.insert(header);
    std::string cut = without_include(answer_.source, header, answer_.cuts);
    // <name> is the system's, which NVRTC has not.
    if (cut != answer_.source && !is_host_header(header) &&
        answer_.source.find('"' + header + '"') != std::string::npos)
      not_found_.emplace_back(header, answer_.cuts.back().first);
    if (cut == answer_.source) {
      // It stands in a header that was found beside the source.
      for (auto& [name, text] : answer_.headers) {
        std::vector<Cut> in_header;
        std::string bare = without_include(text, header, in_header);
        if (bare == text) continue;
        text = std::move(bare);
        return true;
      }
    }
    const bool changed = cut != answer_.source;
    answer_.source = std::move(cut);
    return changed;
  }

  /// Whether the line is in a function that would be cut.
  [[nodiscard]] bool in_host_code(int line) const {
    std::vector<Cut> cuts;
    (void)without_host_functions(answer_.source, cuts);
    return std::any_of(cuts.begin(), cuts.end(),
                       [&](const Cut& c) { return c.first <= line && line <= c.last; });
  }

  /// A template over the kernel's type: its name in the module spells the type out.
  void read_types() {
    const std::string probe =
        fmt::format("template <class evo_type> __global__ void {}() {{}}", signature_kernel);
    const auto artifact =
        compiler_.compile(request(fmt::format("{}<decltype(&{})>", signature_kernel, question_.entry),
                                  question_.epilogue + "\n" + probe));
    if (!artifact) return;
    answer_.types = parameter_types(artifact->entry);
  }

  /// Structs by value: what their members are, and where.
  void read_layouts() {
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
        StructLayout layout = layout_of(ask, texts, question_.entry, i, answer_.types[i]);
        const bool whole = layout.objection.empty();
        for (const StructMember& member : layout.members) {
          if (whole) answer_.slots.push_back({i, member.offset, bytes_of_type(member.type)});
        }
        answer_.layouts[i] = layout;
        if (whole && !layout.members.empty()) continue;
      } else if (i < answer_.types.size() && !struct_pointed_to(answer_.types[i]).empty()) {
        answer_.pointees[i] = layout_of(ask, texts, question_.entry, i, answer_.types[i]);
      }
      answer_.slots.push_back({i, 0, 0});
    }
  }

  evaluators::compile::Compiler& compiler_;
  const ProbeQuestion& question_;
  ProbeAnswer answer_;
  std::set<std::string> left_out_;  ///< headers of libraries that may be more than the host's
  std::vector<std::pair<std::string, int>> not_found_;  ///< headers that are left out, and their lines
  std::optional<model::Failure> first_failure_;         ///< before functions were left out
  std::set<std::pair<const std::string*, std::string>> included_;  ///< added, by text
  std::optional<model::Failure> sliced_failure_;                   ///< with what the kernel reaches alone
  std::optional<ProbeAnswer> unsliced_;  ///< before what the kernel does not reach was left out
  bool host_cut_ = false, sliced_ = false;
  bool modest_ = false;  ///< open names are 1
};

}  // namespace

std::string trial_value(const std::string& name) {
  return usual_values(name, false).front();
}

CompileRequest compile_of(const ProbeQuestion& question, const ProbeAnswer& answer) {
  return request_of(question, answer, question.entry, question.epilogue, false);
}

tl::expected<ProbeAnswer, model::Failure> probe(evaluators::compile::Compiler& compiler,
                                                const ProbeQuestion& question) {
  return Prober(compiler, question).run();
}

}  // namespace evo::intake
