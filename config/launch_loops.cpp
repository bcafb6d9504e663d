#include "config/launch_loops.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "model/variant.hpp"

namespace evo::config {
namespace {

bool is_loop_name(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isdigit(c) != 0 || c == '_' || (std::isalpha(c) != 0 && std::islower(c) != 0);
         });
}

/// `text` as an expression that stands where `at` does.
model::Expression made(const std::string& text, const model::Expression& at) {
  return model::Expression::parse(text, at.file(), at.line()).value();
}

}  // namespace

void add_loops(const Reader& repeat, std::size_t& number, std::vector<model::LaunchLoop>& loops) {
  if (!repeat.is_map() || repeat.keys().empty())
    repeat.fail("expected {NAME: COUNT}, or {NAME: {from, to, step}}: k: n counts from 0 to n - 1");
  for (const std::string& name : repeat.keys()) {
    const Reader value = repeat.at(name);
    if (!is_loop_name(name)) value.fail(fmt::format("'{}' is no lower-case name, such as k", name));
    if (std::ranges::any_of(loops, [&](const auto& around) { return around.name == name; }))
      value.fail(fmt::format("{} counts around this already", name));
    model::LaunchLoop loop;
    loop.name = name;
    loop.number = number++;
    if (value.is_map()) {
      value.expect_keys({"from", "to", "step"});
      loop.from = value.at("from").expression();
      loop.to = value.at("to").expression();
      const auto step = value.find("step");
      loop.step = step ? step->expression() : made("1", loop.to);
    } else {
      const model::Expression count = value.expression();
      loop.from = made("0", count);
      loop.to = made(fmt::format("({}) - 1", count.text()), count);
      loop.step = made("1", count);
    }
    loops.push_back(std::move(loop));
  }
}

std::vector<std::string> check_loops(
    const model::Problem& problem, const model::Template& kernel, const model::LaunchModel& launch,
    const std::vector<std::string>& all,
    const std::function<void(const model::Expression&, const std::vector<std::string>&)>& check) {
  std::vector<std::string> known = all;
  for (const model::LaunchLoop& loop : launch.loops) {
    const bool gene = kernel.space.find(loop.name) != nullptr;
    if (gene || problem.find_axis(loop.name)) {
      throw Invalid{{fmt::format("repeat: {} is {} already", loop.name, gene ? "a gene" : "an axis"),
                     loop.to.file(), loop.to.line(), 0}};
    }
    if (std::ranges::find(known, loop.name) != known.end()) {
      throw Invalid{
          {fmt::format("repeat: {} has a meaning already", loop.name), loop.to.file(), loop.to.line(), 0}};
    }
    for (const model::Expression* bound : {&loop.from, &loop.to, &loop.step}) check(*bound, known);
    known.push_back(loop.name);
  }
  return known;
}

void check_follower(const model::Problem& problem, const model::Argument& argument) {
  if (argument.role != model::ArgumentRole::scalar || !model::follows_loop(problem, argument.scalar)) return;
  const model::Expression& value = argument.scalar.expression;
  if (argument.scalar.form == model::ScalarValue::Form::integer && !model::is_floating(argument.dtype))
    return;
  throw Invalid{{fmt::format("{}: only an integer can follow a loop of launches", argument.name),
                 value.file(), value.line(), 0}};
}

}  // namespace evo::config
