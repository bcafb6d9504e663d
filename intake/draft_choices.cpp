// Which macros are genes, and which are sizes.
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
#include "source/tokens.hpp"

namespace evo::intake {

void DraftMaker::add_fixed_choices() {
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

bool DraftMaker::takes_sizes() const {
  return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(), [&](const Parameter& p) {
    return !p.pointer && p.type != "float" && p.type != "double" && names_size(p.name);
  });
}

void DraftMaker::settle_macros() {
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
      open_.push_back(fmt::format("{}: {} is not defined{}: --gene {}=VALUE,... (or --axis {}=SIZE)",
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
  // The kernel's own text asks for both sides, and no array of a fixed size stands behind them.
  const std::string body = source_.substr(kernel_.begin, kernel_.end - kernel_.begin);
  const bool tiled = body.find("__shared__") != std::string::npos;
  if (!run_ && draft_.genes.empty() && answer_.use.thread_y && !answer_.use.thread_z && !tiled &&
      request_.block.empty() && occurs(names_of(body), "blockDim") && !occurs(names, "BLOCK_X") &&
      !occurs(names, "BLOCK_Y")) {
    const std::string why = "of the launch alone: the kernel asks for blockDim";
    draft_.genes.push_back({"BLOCK_X", {"8", "16", "32"}, "16", false, why, ""});
    draft_.genes.push_back({"BLOCK_Y", {"4", "8", "16"}, "16", false, why, ""});
  }
  for (const DraftGene& each : draft_.genes) check_used(each, names);
  for (DraftGene& each : draft_.genes) each.text = stands_for_text(each);
}

std::vector<std::string> DraftMaker::values_of(const std::string& name) const {
  const bool tile = meaning_of(name) == GeneMeaning::tile;
  const bool beside =
      std::any_of(answer_.missing.begin(), answer_.missing.end(), [&](const std::string& other) {
        return meaning_of(other) == GeneMeaning::threads && side_of(other) == side_of(name);
      });
  if (tile && beside) return {"1", "2", "4"};
  return usual_values(name, several_sides());
}

bool DraftMaker::several_sides() const {
  return answer_.use.thread_y || answer_.use.thread_z;
}

bool DraftMaker::stands_for_text(const DraftGene& each) const {
  const auto compared = [&](const std::string& value) {
    const std::string name = each.name + "_" + value;
    return occurs(names_of(source_), name) || std::ranges::any_of(answer_.headers, [&](const auto& header) {
             return occurs(names_of(header.second), name);
           });
  };
  return std::ranges::all_of(each.values, [&](const std::string& value) {
    const auto first = static_cast<unsigned char>(value.front());
    const bool name = std::isalpha(first) != 0 || first == '_';
    return name && value != "true" && value != "false" && !compared(value);
  });
}

namespace {

/// Whether a header mentions the name, but as a parameter of its macros: a variable of it would not compile.
bool leaves_open(const std::string& header, const std::string& name) {
  bool own = false;  // of the macro that is being defined
  const std::vector<source::Token> tokens = source::tokens_of(header);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].directive || (tokens[i].first && tokens[i].is("#"))) own = false;
    if (tokens[i].directive && tokens[i].is("define") && i + 2 < tokens.size() && tokens[i + 2].is("(") &&
        tokens[i + 2].begin == tokens[i + 1].end()) {
      const std::size_t close = source::closing(tokens, i + 2);
      for (std::size_t k = i + 2; k < close && k < tokens.size(); ++k) own = own || tokens[k].is(name);
    }
    if (!own && tokens[i].is(name)) return true;
  }
  return false;
}

}  // namespace

void DraftMaker::check_used(const DraftGene& each, const std::vector<std::string>& names) const {
  std::string elsewhere =
      request_.grid + " " + request_.block + " " + request_.dynamic_smem + " " + draft_.entry;
  for (const std::string& constraint : draft_.constraints) elsewhere += " " + constraint;
  // What the build defines is asked for by a library's header.
  const bool in_header = std::ranges::any_of(
      answer_.headers, [&](const auto& header) { return leaves_open(header.second, each.name); });
  if (in_header || occurs(names, each.name) || occurs(names_of(elsewhere), each.name) ||
      meaning_of(each.name) == GeneMeaning::threads)
    return;
  std::vector<std::string> known = answer_.missing;
  for (const DefinedMacro& defined : macros_.defined) known.push_back(defined.name);
  for (const AskedMacro& asked : macros_.asked) known.push_back(asked.name);
  refuse(model::ExitCode::usage,
         fmt::format("--gene {}: {} does not mention it{}", each.name, request_.kernel,
                     config::nearest(each.name, known) ? config::suggestion(each.name, known) : ""));
}

}  // namespace evo::intake
