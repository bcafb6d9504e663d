// What a stranger says of himself, field by field: nothing where he says something else.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "farm/message.hpp"

namespace evo::farm {

/// Printable and bounded; empty where it is no text.
[[nodiscard]] inline std::string text_in(const boost::json::object& sign, const char* key) {
  const boost::json::value* found = sign.if_contains(key);
  return found != nullptr && found->is_string() ? said(std::string(found->as_string())) : std::string();
}

/// Any number; 0 where it is none of 64 bits.
[[nodiscard]] inline std::int64_t number_in(const boost::json::object& sign, const char* key) {
  const boost::json::value* found = sign.if_contains(key);
  boost::system::error_code none;
  return found != nullptr && found->is_number() ? found->to_number<std::int64_t>(none) : 0;
}

}  // namespace evo::farm
