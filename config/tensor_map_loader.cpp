#include "config/tensor_map_loader.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "config/keys.hpp"

namespace evo::config {
namespace {

constexpr std::size_t largest_rank = 5;  // CUDA driver API, cuTensorMapEncodeTiled

std::vector<std::size_t> read_order(const Reader& reader, std::size_t rank) {
  std::vector<std::size_t> order;
  for (const Reader& item : reader.items()) {
    const auto dimension = static_cast<std::size_t>(item.integer(0, static_cast<std::int64_t>(rank) - 1));
    if (std::find(order.begin(), order.end(), dimension) != order.end())
      item.fail(fmt::format("the dimension {} occurs twice", dimension));
    order.push_back(dimension);
  }
  if (order.size() != rank)
    reader.fail(fmt::format("{} dimensions of {}: every one occurs once", order.size(), rank));
  return order;
}

}  // namespace

model::TensorMapModel read_tensor_map(const Reader& reader, const std::vector<model::Argument>& arguments) {
  reader.expect_keys(key_names(tensor_map_keys()));
  model::TensorMapModel map;
  map.name = reader.at("name").text();
  std::vector<std::string> arrays;
  for (const model::Argument& argument : arguments) {
    if (argument.role != model::ArgumentRole::scalar) arrays.push_back(argument.name);
  }
  const Reader argument_key = reader.at("argument");
  map.argument = argument_key.choice(arrays, "array");
  const model::Argument& argument =
      *std::find_if(arguments.begin(), arguments.end(),
                    [&](const model::Argument& each) { return each.name == map.argument; });
  const std::size_t rank = argument.shape.size();
  if (rank < 1 || rank > largest_rank)
    argument_key.fail(
        fmt::format("{} has {} dimensions; a tensor map takes 1 to {}", map.argument, rank, largest_rank));
  if (const auto order = reader.find("order")) {
    map.order = read_order(*order, rank);
  } else {
    map.order.resize(rank);
    std::iota(map.order.rbegin(), map.order.rend(), std::size_t{0});
  }
  const Reader box = reader.at("box");
  for (const Reader& side : box.items()) map.box.push_back(side.expression());
  if (map.box.size() != rank)
    box.fail(fmt::format("{} sides; {} has {} dimensions", map.box.size(), map.argument, rank));
  const auto swizzle = reader.find("swizzle");
  map.swizzle = swizzle ? swizzle->expression() : model::Expression(0);
  return map;
}

}  // namespace evo::config
