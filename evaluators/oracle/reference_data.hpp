// Inputs of a case and what a candidate's outputs are held to: the answer, and all that is granted beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/oracle/blurred.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/undecided.hpp"
#include "evaluators/oracle/undefined.hpp"

namespace evo::evaluators::oracle {

/// A property of kept data that is found when it is first asked for. Thread-safe; copies share what was
/// found.
class Found {
 public:
  template <class Find>
  [[nodiscard]] bool or_find(const Find& find) const {
    std::call_once(state_->once, [&] { state_->value = find(); });
    return state_->value;
  }

 private:
  struct State {
    std::once_flag once;
    bool value = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// What a device knows the inputs by (devices::Device::digest), made when it is first asked for. Thread-safe;
/// copies share what was made.
class InputDigests {
 public:
  using Digests = std::vector<std::optional<std::uint64_t>>;
  template <class Make>
  [[nodiscard]] const Digests& or_make(const Make& make) const {
    std::call_once(state_->once, [&] { state_->digests = make(); });
    return state_->digests;
  }

 private:
  struct State {
    std::once_flag once;
    Digests digests;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

struct ReferenceData : Reference {
  InputBuffers inputs;
  /// Of integers that `outputs` holds to 53 bits only (exact_words.hpp).
  ExactWords words{};
  /// False: the answer to these inputs is beyond the output's type, or there is none. Only of structured
  /// inputs, which nobody declared.
  bool in_domain = true;
  /// selects_inputs(), and float_keeps_integers() of the oracle and the case: every trial asks.
  Found selects{}, keeps_integers{};
  InputDigests digests{};
  /// Asked where integers differ from `outputs` (undecided.hpp). Empty where they are held to them bit for
  /// bit: on inputs that are there for equals and ties, which a change of the inputs breaks.
  NearbyAnswers nearby{};
  /// Asked where floating-point outputs differ: what the oracle's own roundings decide. Empty on sampled
  /// rows.
  BlurredElements blurred{};
  /// Asked where outputs differ: elements that the reference leaves undefined. Empty on sampled rows.
  UndefinedElements undefined{};
  /// Asked where floating-point outputs differ by more than is granted. Empty on sampled rows, and where
  /// nothing is granted for moves.
  BlurredElements moved{};
};

/// What data is asked for. Holds references.
struct DataOf {
  const model::Case& bound;
  const model::InputSet& set;
  const InputKey& key;
  bool plain = false;       ///< with the plain_errors for the rule reference_factor
  double conditioning = 0;  ///< with how far the answer moves when inputs change by so much; 0: without
  double whole_flops = 0;   ///< above it rows are sampled
};

/// Makes it; of these `rows` of the output only, where there are some and the oracle computes rows, and of
/// the inputs `made`, where they are there already. Throws model::Exception(invalid_configuration): see
/// ReferenceCache::get.
[[nodiscard]] std::shared_ptr<const ReferenceData> make_reference_data(const Catalogue& known,
                                                                       const std::string& oracle,
                                                                       const DataOf& of,
                                                                       std::vector<std::int64_t> rows = {},
                                                                       std::optional<InputBuffers> made = {});

/// Puts into `data`, which another process made and kept, what is not kept with it. `with_nearby`: it had
/// answers nearby.
void find_again(const Oracle& oracle, const DataOf& of, bool with_nearby, ReferenceData& data);

}  // namespace evo::evaluators::oracle
