// The fields of values that are stored, sent and hashed, listed once. Whoever writes or reads them in a form
// of its own (JSON, bytes, a hash) goes through these lists, in their order: what is stored depends on it.
#pragma once

#include <concepts>
#include <type_traits>

#include "model/artifact.hpp"
#include "model/verdict.hpp"

namespace evo::model {

/// Calls visit(name, field) for every field; the fields of a value that may change may be changed.
template <class Value, class Visit>
requires std::same_as<std::remove_const_t<Value>, Evidence>
void visit_fields(Value& evidence, Visit&& visit) {
  visit("kind", evidence.kind);
  visit("message", evidence.message);
  visit("file", evidence.file);
  visit("line", evidence.line);
  visit("details", evidence.details);
}

template <class Value, class Visit>
requires std::same_as<std::remove_const_t<Value>, ResourceUsage>
void visit_fields(Value& usage, Visit&& visit) {
  visit("registers", usage.registers);
  visit("spill_store_bytes", usage.spill_store_bytes);
  visit("spill_load_bytes", usage.spill_load_bytes);
  visit("stack_bytes", usage.stack_bytes);
  visit("static_smem_bytes", usage.static_smem_bytes);
  visit("constant_bytes", usage.constant_bytes);
  visit("barriers", usage.barriers);
}

}  // namespace evo::model
