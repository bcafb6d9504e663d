#include "model/define.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/problem.hpp"

namespace evo::model {

std::string with_values(const std::string& text, const Environment& environment) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const auto found =
        end == std::string::npos ? environment.end() : environment.find(text.substr(at + 1, end - at - 1));
    if (found == environment.end()) {
      result += text[at];
      continue;
    }
    result += to_string(found->second);
    at = end;
  }
  return result;
}

std::string render_defines(const Template& kernel, const Space& bound_space, const Genome& genome) {
  Environment environment = bound_space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  std::string text;
  for (const Define& define : kernel.defines) {
    if (!define.value) {
      text += fmt::format("#define {} {}\n", define.name, with_values(define.text, environment));
    } else if (const auto value = define.value->evaluate(environment)) {
      text += fmt::format("#define {} {}\n", define.name, to_string(*value));
    } else {
      std::string why = value.error().message;
      std::replace(why.begin(), why.end(), '\n', ' ');
      text += fmt::format("#error {}: {}\n", define.name, why);
    }
  }
  return text;
}

std::vector<std::string> compile_options(const Template& kernel, const Genome& genome) {
  std::vector<std::string> options = kernel.options;
  for (const Gene& gene : kernel.space.genes()) {
    if (gene.options.empty()) continue;
    const auto position = gene.index_of(genome.at(gene.name));
    if (!position) continue;
    const std::vector<std::string>& more = gene.options.at(*position);
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

}  // namespace evo::model
