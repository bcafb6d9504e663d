#include "model/assumed_work.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

namespace evo::model {

AssumedWork assumed_work(const Problem& problem, const std::vector<BoundArgument>& arguments) {
  AssumedWork work;
  std::vector<double> sizes;
  std::set<std::string> shapes;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (argument.role == ArgumentRole::scalar || argument.role == ArgumentRole::workspace) continue;
    double elements = 1;
    for (const std::int64_t size : argument.shape) elements *= static_cast<double>(size);
    sizes.push_back(elements);
    work.bytes += elements * static_cast<double>(size_of(argument.dtype));
    std::string shape;
    for (const Expression& size : problem.arguments.at(i).shape) shape += size.text() + ";";
    shapes.insert(std::move(shape));
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  if (sizes.empty()) return work;
  work.operations = sizes.front();
  if (shapes.size() > 1 && sizes.size() > 2)
    work.operations = std::max(work.operations, std::sqrt(sizes[0] * sizes[1] * sizes[2]));
  return work;
}

}  // namespace evo::model
