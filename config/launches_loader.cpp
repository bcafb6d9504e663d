#include "config/launches_loader.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "config/argument_items.hpp"
#include "config/keys.hpp"
#include "config/launch_loops.hpp"
#include "config/nearest.hpp"
#include "config/problem_parts.hpp"
#include "model/variant.hpp"

namespace evo::config {
namespace {

/// "d_filter", "ns::table".
bool is_qualified_name(const std::string& name) {
  bool fresh = true;  // a name begins here
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c == ':' && !fresh && i + 1 < name.size() && name[i + 1] == ':') {
      fresh = true;
      ++i;
      continue;
    }
    const bool letter = std::isalpha(c) != 0 || c == '_';
    if (!letter && (fresh || std::isdigit(c) == 0)) return false;
    fresh = false;
  }
  return !fresh;
}

std::vector<std::size_t> read_args(const Reader& reader, const std::vector<model::Argument>& arguments) {
  std::vector<std::string> names;
  for (const model::Argument& argument : arguments) names.push_back(argument.name);
  std::vector<std::string> all = names;
  for (const model::Argument& argument : arguments) {
    if (!argument.structure.empty() && all.back() != argument.structure) all.push_back(argument.structure);
  }
  std::vector<std::size_t> chosen;
  for (const Reader& item : reader.items()) {
    const std::string name = item.choice(all, "argument");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].structure == name) chosen.push_back(i);
      }
      continue;
    }
    const auto index = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (!arguments[index].symbol.empty()) {
      item.fail(fmt::format("{} is in the variable {} of the module, so that it is no parameter", name,
                            arguments[index].symbol));
    }
    chosen.push_back(index);
  }
  return chosen;
}

model::LaunchModel read_step(const Reader& reader, const std::vector<model::Argument>& arguments) {
  std::vector<std::string> known = key_names(launch_step_keys());
  const std::vector<std::string> shared = key_names(launch_keys());
  known.insert(known.end(), shared.begin(), shared.end());
  reader.expect_keys(known);
  model::LaunchModel launch = read_launch_of(reader, arguments);
  launch.entry = reader.at("entry").text();
  if (const auto when = reader.find("when")) launch.when = when->expression();
  return launch;
}

/// The launches of a list, within these loops: single ones, and lists that are made again and again.
void add_steps(const Reader& list, const std::vector<model::Argument>& arguments,
               const std::vector<model::LaunchLoop>& around, std::size_t& loops,
               std::vector<model::LaunchModel>& launches) {
  const std::vector<Reader> steps = list.items();
  if (steps.empty()) list.fail("expected at least one launch");
  for (const Reader& step : steps) {
    std::vector<model::LaunchLoop> within = around;
    if (const auto repeat = step.find("repeat")) add_loops(*repeat, loops, within);
    if (const auto group = step.find("launches")) {
      if (!step.find("repeat")) step.fail("launches within launches need repeat: {NAME: COUNT}");
      step.expect_keys({"repeat", "launches"});
      add_steps(*group, arguments, within, loops, launches);
      continue;
    }
    launches.push_back(read_step(step, arguments));
    launches.back().loops = std::move(within);
  }
}

}  // namespace

model::LaunchModel read_launch_of(const Reader& reader, const std::vector<model::Argument>& arguments) {
  model::LaunchModel launch = read_launch(reader, arguments);
  if (const auto args = reader.find("args")) launch.arguments = read_args(*args, arguments);
  return launch;
}

void read_launches(const Reader& reader, const std::vector<model::Argument>& arguments,
                   model::Template& kernel) {
  const auto list = reader.find("launches");
  if (!list) {
    kernel.entry = reader.at("entry").text();
    const Reader launch = reader.at("launch");
    launch.expect_keys(key_names(launch_keys()));
    kernel.launch = read_launch_of(launch, arguments);
    return;
  }
  for (const char* single : {"launch", "entry"}) {
    if (const auto other = reader.find(single))
      other->fail(fmt::format("with launches, each launch has its own: there is no {} besides", single));
  }
  std::vector<model::LaunchModel> launches;
  std::size_t loops = 0;
  add_steps(*list, arguments, {}, loops, launches);
  kernel.launch = std::move(launches.front());
  kernel.later_launches.assign(std::make_move_iterator(launches.begin() + 1),
                               std::make_move_iterator(launches.end()));
  // What tells the template's kernel in messages; each launch names its own.
  kernel.entry = kernel.launch.entry;
}

void check_launches(
    const model::Problem& problem, const model::Template& kernel, const std::vector<std::string>& fixed,
    const std::vector<std::string>& all,
    const std::function<void(const model::Expression&, const std::vector<std::string>&)>& check) {
  std::vector<const model::LaunchModel*> launches{&kernel.launch};
  for (const model::LaunchModel& later : kernel.later_launches) launches.push_back(&later);
  std::vector<std::string> everywhere = all;  // with the loops of all launches
  for (const model::LaunchModel* launch : launches) {
    const std::vector<std::string> known = check_loops(problem, kernel, *launch, all, check);
    everywhere.insert(everywhere.end(), known.begin() + static_cast<std::ptrdiff_t>(all.size()), known.end());
    if (launch->when) check(*launch->when, launch->loops.empty() ? fixed : known);
    check(launch->static_smem, fixed);
    for (int i = 0; i < 3; ++i) {
      check(launch->grid[i], known);
      check(launch->block[i], known);
    }
    check(launch->dynamic_smem, known);
    for (const auto& map : launch->tensor_maps) {
      for (const auto& side : map.box) check(side, fixed);
      check(map.swizzle, fixed);
    }
  }
  for (const auto& argument : problem.arguments) {
    if (uses_genes(problem, argument.scalar)) {
      check(argument.scalar.expression, everywhere);
      if (argument.scalar.times) check(*argument.scalar.times, everywhere);
    }
    check_follower(problem, argument);
    if (argument.role != model::ArgumentRole::workspace) continue;
    for (const auto& size : argument.shape) check(size, all);
    for (const auto& stride : argument.strides) check(stride, all);
  }
}

bool uses_genes(const model::Problem& problem, const model::ScalarValue& scalar) {
  if (model::follows_loop(problem, scalar)) return true;
  const auto is_gene = [&](const std::string& name) {
    return !problem.find_axis(name) && std::ranges::any_of(problem.templates, [&](const auto& kernel) {
      return kernel.space.find(name) != nullptr;
    });
  };
  return std::ranges::any_of(scalar.expression.names(), is_gene) ||
         (scalar.times && std::ranges::any_of(scalar.times->names(), is_gene));
}

void refuse_genes(const model::Problem& problem, const model::Expression& expression) {
  for (const std::string& name : expression.names()) {
    const bool gene = std::any_of(problem.templates.begin(), problem.templates.end(),
                                  [&](const auto& kernel) { return kernel.space.find(name) != nullptr; });
    if (problem.find_axis(name) || !gene) continue;
    throw Invalid{
        {fmt::format("expression '{}': {} is a gene; of the arguments, only scalars and the shape of "
                     "a workspace may use genes; where the result itself hangs on {}, it is no choice but a "
                     "size (evo tune: --axis {}=VALUE in the place of its --gene)",
                     expression.text(), name, name, name),
         expression.file(), expression.line(), 0}};
  }
}

void read_symbol(const Reader& reader, model::Argument& argument) {
  const auto symbol = reader.find("symbol");
  if (!symbol) return;
  if (argument.role != model::ArgumentRole::input) {
    symbol->fail(
        "only an input can be in a variable of the module: a kernel writes to none, and scalars are "
        "parameters");
  }
  if (const auto strides = reader.find("strides"))
    strides->fail("an argument in a variable of the module has no strides: it is an array of C++");
  argument.symbol = symbol->text();
  if (!is_qualified_name(argument.symbol)) {
    symbol->fail(
        fmt::format("'{}' is no name of a variable, such as d_filter or ns::table", argument.symbol));
  }
}

void check_symbols(const Reader& reader, const std::vector<model::Argument>& arguments) {
  const std::vector<Reader> items = argument_items(reader);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t k = 0; k < i && !arguments[i].symbol.empty(); ++k) {
      if (arguments[k].symbol == arguments[i].symbol) {
        items[i].at("symbol").fail(fmt::format("the variable {} holds the argument {} already",
                                               arguments[i].symbol, arguments[k].name));
      }
    }
  }
}

}  // namespace evo::config
