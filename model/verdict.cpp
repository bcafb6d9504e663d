#include "model/verdict.hpp"

#include "model/enum_names.hpp"

namespace evo::model {
namespace {

constexpr std::array<std::string_view, 18> status_names{"proven",
                                                        "parse_error",
                                                        "illegal",
                                                        "compile_error",
                                                        "compile_timeout",
                                                        "over_budget",
                                                        "no_op",
                                                        "sanitizer_fail",
                                                        "launch_error",
                                                        "device_fault",
                                                        "timeout",
                                                        "wrong",
                                                        "nondeterministic",
                                                        "unsupported",
                                                        "quarantined",
                                                        "correct_slower",
                                                        "tie",
                                                        "better"};

constexpr std::array<std::string_view, 7> gate_names{"legality",    "compile", "resources", "sanitize",
                                                     "correctness", "latency", "profile"};

}  // namespace

std::string_view name_of(Status status) {
  return detail::enum_name(status_names, status);
}
std::optional<Status> status_from_name(std::string_view name) {
  return detail::enum_from_name<Status>(status_names, name);
}

bool is_proven_correct(Status status) {
  return status == Status::proven || status == Status::correct_slower || status == Status::tie ||
         status == Status::better;
}

std::string_view name_of(Gate gate) {
  return detail::enum_name(gate_names, gate);
}
std::optional<Gate> gate_from_name(std::string_view name) {
  return detail::enum_from_name<Gate>(gate_names, name);
}

}  // namespace evo::model
