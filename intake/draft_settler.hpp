// What the self-test finds in a problem that evo inferred: guesses of evo's own are mended before the run.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evaluators/selftest/selftest.hpp"
#include "intake/draft.hpp"
#include "intake/request.hpp"

namespace evo::intake {

/// The array of which a run says that the reference leaves elements alone; "" where `message` says nothing of
/// the kind.
[[nodiscard]] std::string left_by_reference(const std::string& message);

/// Whether a run says that more blocks of the reference would write more.
[[nodiscard]] bool says_too_few_threads(const std::string& message);

/// Mends one guess after another, as long as each is another one. What the user has said is left as it is.
class DraftSettler {
 public:
  explicit DraftSettler(const Request& request);

  /// Changes the draft so that the check may pass; false where none of evo's guesses is at fault, or all were
  /// tried: the draft is then what it was before the last guess that did not help.
  bool mend(Draft& draft, const evaluators::selftest::Check& failed);

  /// Where the reference is refused since its guessed launch is too small, the next launch; where it leaves
  /// elements of an array as they are, keep_what_is_left(). False for another message.
  bool mend_reference(Draft& draft, const std::string& message);

  /// Where the reference is refused since it leaves elements of an array as they are (`message` says so), as
  /// a filter does that keeps nothing: the array keeps what was there. False for another message, and for an
  /// array that was tried or told.
  bool keep_what_is_left(Draft& draft, const std::string& message);

  /// Where the kernel, the baseline of a run, is refused with `shown` for an integer that was given as one
  /// number: the scalar is kept to the numbers next to that, or to itself, where those failed or are no
  /// range. False where the user has said what it may be, and for what is no such scalar.
  bool keep_near(Draft& draft, const std::string& scalar, std::int64_t shown, const std::string& reason);

 private:
  [[nodiscard]] bool told(const std::string& argument) const;
  bool give_positive_numbers(Draft& draft);
  void give_shares(Draft& draft);
  bool give_another_value(DraftArgument& argument, Draft& draft);
  /// Beyond a bound that was drawn, all data may be alike.
  bool give_another_threshold(Draft& draft);
  /// What a large sum is added to: numbers that show beside it.
  bool give_large_numbers(DraftArgument& argument, Draft& draft);
  /// What a maximum or a count is taken with.
  bool give_more_integers(DraftArgument& argument, Draft& draft);
  /// A field of an array of structs that changes nothing is one that neither kernel nor reference uses.
  bool leave_field_alone(const std::string& array, const std::string& name, Draft& draft);
  /// Of a scalar: its first value, and no note.
  void restore(DraftArgument& argument, Draft& draft);
  /// Takes back the note of a guess, if it made one.
  void forget(const std::string& guess, Draft& draft);
  void note(const std::string& guess, const std::string& text, Draft& draft);

  std::set<std::string> told_;
  std::set<std::string> tried_;
  std::map<std::string, std::string> first_;  ///< values of scalars that got another
  std::map<std::string, std::string> drawn_;  ///< of shares, what they were before
  std::map<std::string, std::string> near_;   ///< ranges of scalars that keep_near() gave
  std::map<std::string, std::string> notes_;  ///< of guesses that stand
  std::string changed_;              ///< the scalar that got another value last; "": another guess was made
  std::vector<std::string> fed_;     ///< inputs that evo may give positive numbers
  std::vector<std::string> shared_;  ///< scalars that evo may take for shares
  std::size_t rounds_ = 0;           ///< of positive numbers and shares
};

}  // namespace evo::intake
