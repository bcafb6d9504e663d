// Which of a problem's parameters each parameter of a reference is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "intake/reference.hpp"

namespace evo::intake {

/// A reference's parameter: one of the problem's, or a struct of the members at these places.
struct Matched {
  std::vector<std::size_t> at;
  std::string structure;  ///< its type; "" of one that is one of the problem's
  friend bool operator==(const Matched&, const Matched&) = default;
};

/// In the order of the reference's parameters: by name, or by place where there are as many. Throws
/// model::Exception(invalid_configuration) where that cannot be said.
[[nodiscard]] std::vector<Matched> match_parameters(const Reference& reference,
                                                    const std::vector<ReferenceParameter>& parameters);

}  // namespace evo::intake
