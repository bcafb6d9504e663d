// The mistakes that the outputs of one observation agree with: what asks for them, and what weighs them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/answers.hpp"

namespace evo::diagnose {

class AnswerList {
 public:
  using Coordinates = std::vector<std::int64_t>;
  /// Where an element is taken from; nullopt: a zero.
  using From = std::function<std::optional<Coordinates>(const Coordinates&)>;

  /// `fitting`: every mistake under which the outputs would be as they are, also where these are correct.
  /// `seen` and the subject are kept by reference.
  AnswerList(const Subject& subject, const Observation& seen, const evaluators::oracle::Oracle& oracle,
             bool fitting)
      : subject_(subject), seen_(seen), oracle_(oracle), fitting_(fitting) {}

  /// The output that is looked at from here on: the number of an argument.
  void look_at(std::size_t output);

  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] const Observation& seen() const { return seen_; }
  [[nodiscard]] const evaluators::oracle::Oracle& oracle() const { return oracle_; }
  [[nodiscard]] std::size_t output() const { return output_; }
  /// Its elements, as the candidate left them.
  [[nodiscard]] const std::vector<double>& actual() const { return actual_; }

  /// Adds the answer where the outputs agree with it much better than with what is correct, over the elements
  /// of `mask` (empty: all).
  void weigh(const std::string& name, const std::string& argument, const std::string& text,
             const std::vector<double>& expected, const std::vector<bool>& mask = {});
  /// The oracle's answer to other inputs or scalars, weighed.
  void ask(const std::string& name, const std::string& argument, const std::string& text,
           const model::Case& bound, const evaluators::oracle::InputBuffers& inputs);
  /// The oracle's answer to input `i` with its elements taken from elsewhere, weighed.
  void moved(const std::string& name, std::size_t i, const std::string& text, const From& from);

  /// The inputs with other values in argument `i`.
  [[nodiscard]] evaluators::oracle::InputBuffers with(std::size_t i, const std::vector<double>& values) const;

  /// Nearest first.
  [[nodiscard]] std::vector<Answer> take();

 private:
  const Subject& subject_;
  const Observation& seen_;
  const evaluators::oracle::Oracle& oracle_;
  bool fitting_;
  std::size_t output_ = 0;
  std::vector<double> actual_;
  std::vector<Answer> answers_;
};

/// `values` of an array, each taken from where `from` says; a zero where it says nowhere, or outside.
[[nodiscard]] std::vector<double> moved_values(const model::BoundArgument& argument,
                                               const std::vector<double>& values,
                                               const AnswerList::From& from);

/// A reference of more floating-point operations is not asked for again and again.
inline constexpr double most_answer_flops = 1 << 25;

/// A scalar that counts as another number; a flag as the other one.
void ask_scalar(AnswerList& list, std::size_t argument);
/// An input that is another one, scaled, ignored, or read from other places.
void ask_input(AnswerList& list, std::size_t argument);
/// Right elements that stand elsewhere, or are off by a factor.
void ask_outputs(AnswerList& list);
/// The answer to a smaller or larger problem, of which the outputs have a part: what lies past a bound does
/// not count, or zeros past the end do.
void ask_sizes(AnswerList& list, const std::string& axis);

}  // namespace evo::diagnose
