#include "config/argument_items.hpp"

#include <set>

#include <fmt/format.h>

#include "config/problem_parts.hpp"
#include "config/texture_loader.hpp"
#include "model/records.hpp"

namespace evo::config {
namespace {

bool is_struct(const Reader& item) {
  return item.is_map() && item.find("struct").has_value();
}

/// A power of two up to that of a vector of four doubles.
std::int64_t read_alignment(const Reader& align) {
  const std::int64_t bytes = align.integer(1, 128);
  if ((bytes & (bytes - 1)) != 0) align.fail("an alignment is a power of two, in bytes");
  return bytes;
}

model::Argument read_member(const Reader& item, const std::string& structure) {
  if (is_struct(item)) {
    item.at("struct").fail(
        fmt::format("a struct within the struct {}: write its members in its place (a member's align says "
                    "where it begins)",
                    structure));
  }
  model::Argument member = read_argument(item);
  if (!member.symbol.empty())
    item.at("symbol").fail(
        fmt::format("a member of the struct {} is in no variable of the module", structure));
  refuse_texture(item, fmt::format("a member of the struct {} is a pointer or a scalar", structure));
  member.structure = structure;
  if (member.role == model::ArgumentRole::scalar) {
    if (const auto align = item.find("align")) member.alignment = read_alignment(*align);
  }
  return member;
}

}  // namespace

std::vector<Reader> argument_items(const Reader& args) {
  std::vector<Reader> items;
  for (const Reader& item : args.items()) {
    if (!is_struct(item)) {
      items.push_back(item);
      continue;
    }
    for (const Reader& member : item.at("struct").items()) items.push_back(member);
  }
  return items;
}

std::vector<model::Argument> read_arguments(const Reader& args) {
  std::vector<model::Argument> arguments;
  std::set<std::string> names;
  const auto add = [&](const Reader& item, model::Argument argument) {
    if (!names.insert(argument.name).second)
      item.at("name").fail(fmt::format("two arguments are called {}", argument.name));
    arguments.push_back(std::move(argument));
  };
  for (const Reader& item : args.items()) {
    if (!is_struct(item)) {
      model::Argument argument = read_argument(item);
      if (const auto align = item.find("align"); align && argument.role == model::ArgumentRole::scalar)
        align->fail("a scalar has no address, unless it is a member of a struct");
      add(item, std::move(argument));
      continue;
    }
    item.expect_keys({"name", "struct", "align"});
    const std::string name = item.at("name").text();
    if (!names.insert(name).second) item.at("name").fail(fmt::format("two arguments are called {}", name));
    const auto align = item.find("align");
    const std::vector<Reader> members = item.at("struct").items();
    if (members.empty()) item.at("struct").fail("a struct has members: entries like those of args");
    for (const Reader& member : members) {
      model::Argument argument = read_member(member, name);
      if (align) argument.structure_alignment = read_alignment(*align);
      add(member, std::move(argument));
    }
  }
  if (const std::string why = model::record_objection(arguments); !why.empty()) args.fail(why);
  return arguments;
}

}  // namespace evo::config
