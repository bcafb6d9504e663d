// Takes a suite's fixtures up the ladder, over input seeds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "session/evaluation_stack.hpp"
#include "suites/results.hpp"

namespace evo::suites {

/// One of `of` parts of a suite that together are the whole: every `of`th fixture from the `part`th on.
struct SuiteShare {
  int part = 1, of = 1;  ///< 1 <= part <= of
};

/// "2/3". Throws model::Exception(usage) for anything else.
[[nodiscard]] SuiteShare parse_share(const std::string& text);

struct SuiteRequest {
  bool bugs = false;              ///< the table of bugs instead of the attacks
  std::filesystem::path folder;   ///< of the suite; empty: find_suite()
  std::vector<std::string> only;  ///< parts of names, or ids; empty: all
  SuiteShare share;               ///< of what `only` leaves
  std::string device;             ///< empty: virtual
  int threads = 0;                ///< 0 = one per core
  int seeds = 1;
  std::optional<std::uint64_t> input_seed;  ///< what the seeds come from; drawn if it is not given
};

struct SuiteReport {
  std::string device;
  AttackSeeds seeds;
  std::vector<AttackRow> rows;
  bool as_it_should_be = false;  ///< good()
};

/// suites/attacks or, for `bugs`, suites/bugs: below the working directory, of the installation that
/// `executable` is in (share/evo/suites), or of the source tree above it. Throws model::Exception(usage) when
/// it is in none of them.
[[nodiscard]] std::filesystem::path find_suite(bool bugs, const std::string& executable);

/// Every fixture on the first seed; then those whose verdict may hang on it on the others. `tell` hears what
/// is not as expected while several seeds take their time. Throws model::Exception: (usage) for a folder or a
/// name that is not there, (invalid_configuration) for a manifest or a fixture that does not fit.
[[nodiscard]] SuiteReport run_suite(const SuiteRequest& request, const session::Tell& tell);

}  // namespace evo::suites
