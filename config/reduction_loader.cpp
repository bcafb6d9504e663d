#include "config/reduction_loader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::config {

void read_reduction(const Reader& reader, model::Argument& argument) {
  const auto key = reader.find("reduce");
  if (!key) return;
  std::vector<std::string> known;
  for (const std::string_view name : model::reduction_names().subspan(1)) known.emplace_back(name);
  const std::string word = key->choice(known, "reduction");
  argument.reduce = static_cast<model::Reduction>(1 + (std::ranges::find(known, word) - known.begin()));
  if (argument.role != model::ArgumentRole::output)
    key->fail("only an output is reduced before it is compared");
  for (const char* other : {"strides", "texture", "surface", "unwritten"}) {
    const bool places = argument.reduce == model::Reduction::sort && std::string_view(other) == "unwritten";
    if (const auto found = reader.find(other); found && !places)
      found->fail(fmt::format("an output with reduce: {} is a plain array: it has no {}", word, other));
  }
  if (argument.reduce == model::Reduction::sort) {
    argument.reproducible = false;  // another order is as good
    return;
  }
  if (argument.shape.empty())
    reader.at("shape").fail(fmt::format("reduce: {} needs a first dimension", word));
  argument.slices = argument.shape.front();
  argument.shape.erase(argument.shape.begin());
  if (argument.shape.empty()) argument.shape.emplace_back(1);
}

}  // namespace evo::config
