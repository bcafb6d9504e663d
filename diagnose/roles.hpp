// What the lines of a kernel do for the computation, read from its text: which parameters are the problem's,
// what is summed, what is divided by, where inputs are read and outputs stored.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnose/mutants.hpp"
#include "diagnose/subject.hpp"

namespace evo::diagnose {

class Roles {
 public:
  explicit Roles(const Subject& subject);

  /// nullptr where the source's kernel could not be read.
  [[nodiscard]] const KernelNames* names() const { return known_ ? &names_ : nullptr; }
  [[nodiscard]] const SourceText& text() const { return text_; }

  /// Lines, ascending. Of an argument of the problem by name: where its elements are read or written, where a
  /// scalar stands in an expression.
  [[nodiscard]] std::vector<int> uses(const std::string& argument) const;
  /// Where elements of an output are written.
  [[nodiscard]] std::vector<int> stores() const;
  /// Where what the outputs are divided by is added to or scaled; likewise what is divided.
  [[nodiscard]] std::vector<int> normaliser() const;
  [[nodiscard]] std::vector<int> accumulator() const;
  [[nodiscard]] std::vector<int> divisions() const;
  [[nodiscard]] std::vector<int> exponentials() const;
  [[nodiscard]] std::vector<int> maxima() const;
  /// Comparisons with a flag of the problem beside them, or of what a flag decides.
  [[nodiscard]] std::vector<int> masks() const;
  /// Where a value of 16 bits is kept that is no element of an argument.
  [[nodiscard]] std::vector<int> half_storage() const;
  [[nodiscard]] std::vector<int> loops() const;
  /// Where something of 64 bits, or a product, goes into an integer of fewer.
  [[nodiscard]] std::vector<int> narrowings() const;

  /// What stands at a line: "loop", "guard", "shuffle", "maximum", "exponential", "output", "input",
  /// "scalar", "flag", "sum", "return", "shared", "normaliser", "accumulator", and "input.NAME" for each
  /// input read there.
  [[nodiscard]] std::set<std::string> at(int line) const;

 private:
  /// The parameters of one launch's kernel, and what they are passed on as.
  void add_launch(const Subject& subject, const model::LaunchModel& launch);
  void add_argument(const Subject& subject, std::size_t i, std::set<Place> places);
  [[nodiscard]] bool has(const Statement& statement, std::initializer_list<std::string_view> parts) const;
  [[nodiscard]] int line_of(const Statement& statement) const;
  template <class Test>
  [[nodiscard]] std::vector<int> lines_where(Test test) const;
  [[nodiscard]] std::set<Place> divisors() const;

  std::string source_;
  SourceText text_;
  std::vector<Variable> variables_;
  KernelNames names_;
  bool known_ = false;
  std::vector<std::pair<std::string, std::set<Place>>> arguments_;  ///< of the problem, and their aliases
  std::set<std::string> outputs_, inputs_, scalars_, flags_, wide_;
};

}  // namespace evo::diagnose
