#include "model/error.hpp"

#include <fmt/format.h>

namespace evo::model {

std::string Error::text() const {
  std::string where = file;
  if (!where.empty() && line > 0) where += fmt::format(":{}", line);
  if (!where.empty() && line > 0 && column > 0) where += fmt::format(":{}", column);
  return where.empty() ? message : where + ": " + message;
}

}  // namespace evo::model
