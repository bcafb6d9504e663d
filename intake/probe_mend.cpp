// Prober: what it does about a text that does not compile.
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "intake/constexpr_marks.hpp"
#include "intake/host_builtins.hpp"
#include "intake/idle_libraries.hpp"
#include "intake/macros.hpp"
#include "intake/probe_text.hpp"
#include "intake/prober.hpp"
#include "intake/reachable.hpp"
#include "intake/standard_names.hpp"

namespace evo::intake {

bool Prober::mend(const model::Failure& failure) {
  if (leave_out_the_unreached(failure)) return true;
  for (const model::Evidence& evidence : failure.evidence) {
    if (mend_include(evidence)) return true;
  }
  if (mend_foreign(failure)) return true;
  if (add_standard_headers(failure) || add_headers_beside(failure) ||
      add_own_header(failure, is_former_cub_name, cub_names, cub_names_header))
    return true;
  if (add_own_header(failure, is_host_builtin, host_builtins, host_builtins_header)) return true;
  if (add_own_header(failure, is_loop_name, loop_names, loop_names_header)) {
    answer_.notes.push_back(
        "CUDA_KERNEL_LOOP is of a header that is not there: it is taken for a loop over all threads of the "
        "grid");
    return true;
  }
  if (failure.reason == "include_not_found") return false;
  bool found = false;
  for (const model::Evidence& evidence : failure.evidence) {
    const std::string name = quoted(evidence.message);
    const std::string* text = text_of(evidence);
    const bool open = question_.find_macros && evidence.message.starts_with("identifier ") &&
                      evidence.message.ends_with("is undefined") && text != nullptr &&
                      stands_for_number(answer_.source, name) &&
                      // What a header misses is mostly a type or a variable of another one.
                      (text == &answer_.source || is_macro_name(name));
    // What the text declares as a type is no macro that somebody defines, nor is a template's parameter: it
    // is missed where the rest of its template does not compile.
    if (!open || declares_type(question_.source, name) || is_template_parameter(*text, name, evidence.line) ||
        in_host_code(evidence.line) || !standard_header_for(evidence.message).empty() ||
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
    bool changed = types && leave_out_members(failure);
    if (changed) return true;
    for (const auto& [text, lines] : lines_of(failure)) {
      std::vector<Cut> in_header;
      std::string cut =
          without_declarations(*text, lines, types, text == &answer_.source ? answer_.cuts : in_header);
      changed = changed || cut != *text;
      *text = std::move(cut);
    }
    if (changed) return true;
  }
  return mend_others(failure);
}

bool Prober::mend_host_members(const model::Failure& failure) {
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

bool Prober::leave_out_members(const model::Failure& failure) {
  bool changed = false;
  std::map<std::string*, std::vector<std::pair<int, int>>> types;
  for (const model::Evidence& evidence : failure.evidence) {
    std::string* text = text_of(evidence);
    if (text == nullptr) continue;
    // Cuts leave the lines where they are.
    const auto known = types.find(text);
    const auto& in_types = known != types.end() ? known->second : types[text] = lines_of_types(*text);
    const bool member = std::ranges::any_of(in_types, [&](const std::pair<int, int>& each) {
      return each.first < evidence.line && evidence.line <= each.second;
    });
    if (!member) continue;
    std::vector<Cut> in_header;
    std::string cut =
        without_unmarked_member(*text, evidence.line, text == &answer_.source ? answer_.cuts : in_header);
    changed = changed || cut != *text;
    for (const Cut& each : in_header)
      answer_.notes.push_back(fmt::format("{} is left out of a header, line {}, that it does not compile in",
                                          each.what, each.first));
    *text = std::move(cut);
  }
  return changed;
}

bool Prober::leave_out_the_unreached(const model::Failure& failure) {
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
  answer_.source = without_host_members(answer_.source);
  for (auto& [name, text] : answer_.headers) text = without_host_members(text);
  const int count = keep_reachable(answer_.source, answer_.headers, needed);
  if (count == 0) {
    answer_ = std::move(before);
    return mark_constexpr();
  }
  without_idle_libraries(answer_.source, answer_.headers);
  (void)mark_constexpr();
  answer_.notes.push_back(
      fmt::format("{} declarations that the kernel does not use are left out of the copy", count));
  unsliced_ = std::move(before);
  if (!first_failure_) first_failure_ = failure;
  return true;
}

bool Prober::mark_constexpr() {
  bool changed = false;
  const auto mark = [&](std::string& text) {
    std::string marked = with_constexpr_marked(text);
    changed = changed || marked != text;
    text = std::move(marked);
  };
  mark(answer_.source);
  for (auto& [name, text] : answer_.headers) mark(text);
  return changed;
}

bool Prober::mend_others(const model::Failure& failure) {
  if (!first_failure_) first_failure_ = failure;
  std::string plain = question_.entry.substr(0, question_.entry.find('<'));
  plain = plain.substr(plain.rfind(':') == std::string::npos ? 0 : plain.rfind(':') + 1);
  bool changed = false;
  for (const auto& [text, lines] : lines_of(failure)) {
    std::vector<Cut> in_header;
    std::string cut =
        without_functions(*text, lines, plain, text == &answer_.source ? answer_.cuts : in_header);
    changed = changed || cut != *text;
    *text = std::move(cut);
  }
  return changed;
}

std::map<std::string*, std::vector<int>> Prober::lines_of(const model::Failure& failure) {
  std::map<std::string*, std::vector<int>> lines;
  for (const model::Evidence& evidence : failure.evidence) {
    if (std::string* text = text_of(evidence); text != nullptr) lines[text].push_back(evidence.line);
  }
  return lines;
}

std::string* Prober::header_of(const std::string& file) {
  if (file.empty()) return nullptr;
  if (const auto exact = answer_.headers.find(file); exact != answer_.headers.end()) return &exact->second;
  for (auto& [name, text] : answer_.headers) {
    if (file.ends_with("/" + name)) return &text;
  }
  return nullptr;
}

std::string* Prober::text_of(const model::Evidence& evidence) {
  if (std::string* header = header_of(evidence.file)) return header;
  const std::string name = std::filesystem::path(evidence.file).filename().string();
  const std::string own = std::filesystem::path(question_.file).filename().string();
  return evidence.file.empty() || name == own ? &answer_.source : nullptr;
}

bool Prober::with_ones(const model::Failure& failure) {
  const bool again = !modest_ && !answer_.missing.empty() && !failure.evidence.empty();
  modest_ = true;
  return again;
}

bool Prober::in_host_code(int line) const {
  std::vector<Cut> cuts;
  (void)without_host_functions(answer_.source, cuts);
  return std::any_of(cuts.begin(), cuts.end(),
                     [&](const Cut& c) { return c.first <= line && line <= c.last; });
}

}  // namespace evo::intake
