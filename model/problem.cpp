#include "model/problem.hpp"

#include <algorithm>

namespace evo::model {
namespace {

template <class Range, class Predicate>
auto find_pointer(const Range& range, Predicate predicate) -> decltype(&*range.begin()) {
  const auto found = std::find_if(range.begin(), range.end(), predicate);
  return found == range.end() ? nullptr : &*found;
}

}  // namespace

const Template* Problem::find_template(std::string_view name_wanted) const {
  return find_pointer(templates, [&](const Template& t) { return t.name == name_wanted; });
}

const Axis* Problem::find_axis(std::string_view name_wanted) const {
  return find_pointer(axes, [&](const Axis& a) { return a.name == name_wanted; });
}

const Tolerance* Problem::find_tolerance(std::string_view accuracy_class) const {
  return find_pointer(tolerances, [&](const Tolerance& t) { return t.accuracy_class == accuracy_class; });
}

bool is_comparator(const Problem& problem, std::string_view template_name) {
  return std::any_of(problem.comparators.begin(), problem.comparators.end(), [&](const Comparator& one) {
    return one.kernel != nullptr && one.kernel->name == template_name;
  });
}

const Template& default_template(const Problem& problem) {
  const Template* own =
      find_pointer(problem.templates, [&](const Template& one) { return !is_comparator(problem, one.name); });
  return own != nullptr ? *own : problem.templates.front();
}

std::vector<Comparator> comparators_of(const Problem& problem) {
  if (!problem.comparators.empty() || problem.comparator.empty()) return problem.comparators;
  return {{"comparator.py", {"comparator.py"}, ComparatorKind::python}};
}

}  // namespace evo::model
