// What an input holds, where the kinds of input sets do not say it well: indices, sorted offsets, the column
// of another array, a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/expression.hpp"

namespace evo::model {

/// An array that was read from a file: row-major.
struct Recording {
  std::string name;  ///< of the file and its contents: equal names, equal values
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

enum class FillForm : std::uint8_t {
  normal,       ///< mean, deviation; nothing beyond four deviations
  uniform,      ///< [low, high], both included
  integers,     ///< [low, high], both included
  permutation,  ///< of 0 .. n - 1: the whole array, or each row (along the last dimension)
  offsets,      ///< each row ascends from 0 to this number, by at least the second one (0) each time
  sorted,       ///< each row ascends within [low, high]
  zipf,         ///< 0 .. n - 1, k with a probability proportional to (k + 1)^-s
  constant,     ///< this number everywhere
  ramp,         ///< start + step * index of the element
  column,       ///< column j of another argument
  npy,          ///< a recording; index modulo its size along each dimension
  distinct,     ///< integers within [low, high], none twice in the array
  ends,         ///< element k: where a row ends that begins at element k of another argument, at most n
  lengths       ///< element k: how long such a row is
};
/// Whether its numbers hang on those of another argument: a column, or rows that begin there.
[[nodiscard]] bool follows_another(FillForm form);
/// In the order of the enumerators, as problem.yaml names them.
[[nodiscard]] std::span<const std::string_view> fill_form_names();

/// Contents of an argument, its numbers as expressions over axes.
struct Fill {
  struct Number {
    Expression expression;
    std::optional<double> number{};  ///< instead of the expression
  };
  FillForm form = FillForm::normal;
  std::vector<Number> numbers;
  std::size_t argument = 0;  ///< where follows_another(): index of the other argument
  std::shared_ptr<const Recording> recording{};
  std::string file{};  ///< where it stands, for errors
  int line = 0;
};

/// The same for one workload.
struct BoundFill {
  FillForm form = FillForm::normal;
  double a = 0, b = 0;       ///< the form's numbers, in its order
  std::size_t argument = 0;  ///< where follows_another()
  std::string recorded{};    ///< form npy: the recording's name
  std::shared_ptr<const Recording> recording{};

  /// Any element may be any number from low() to high() whatever the others are.
  [[nodiscard]] bool has_range() const;
  [[nodiscard]] double low() const;
  [[nodiscard]] double high() const;
  /// The same numbers in every draw.
  [[nodiscard]] bool is_fixed() const;
};

struct Problem;
struct BoundArgument;

/// Binds the fills of the problem's arguments and of its input sets. An Error names the fill's file and line:
/// bounds in the wrong order or beyond the type, a permutation or a column of another size.
[[nodiscard]] Expected<void> bind_fills(const Problem& problem, const Environment& environment,
                                        std::vector<BoundArgument>& arguments);

}  // namespace evo::model
