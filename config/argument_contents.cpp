#include "config/argument_contents.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "config/argument_items.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "config/npy.hpp"
#include "model/hash.hpp"

namespace evo::config {
namespace {

using model::ArgumentRole;
using model::FillForm;

/// A number, or an expression over axes.
model::Fill::Number read_number(const Reader& reader, const std::vector<std::string>& axes) {
  const std::string text = reader.text();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) {
    if (!std::isfinite(number)) reader.fail(fmt::format("expected a finite number, not '{}'", text));
    return {{}, number};
  }
  model::Fill::Number read{reader.expression(), {}};
  for (const std::string& name : read.expression.names()) {
    if (std::find(axes.begin(), axes.end(), name) == axes.end())
      reader.fail(fmt::format("expression '{}': unknown name '{}'{}", text, name, suggestion(name, axes)));
  }
  return read;
}

std::size_t numbers_of(FillForm form) {
  switch (form) {
    case FillForm::permutation:
    case FillForm::offsets:
    case FillForm::constant:
      return 1;
    default:
      return 2;
  }
}

class Fills {
 public:
  Fills(const std::filesystem::path& folder, const model::Problem& problem)
      : folder_(folder), problem_(problem) {
    for (const model::Axis& axis : problem.axes) axes_.push_back(axis.name);
    for (const model::Argument& argument : problem.arguments) {
      if (model::is_given(argument.role)) inputs_.push_back(argument.name);
    }
  }

  [[nodiscard]] const std::vector<std::string>& inputs() const { return inputs_; }
  [[nodiscard]] const std::string& recordings() const { return recordings_; }

  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    const auto found = std::ranges::find(problem_.arguments, name, &model::Argument::name);
    return static_cast<std::size_t>(found - problem_.arguments.begin());
  }

  /// `reader` is what stands under `fill` for the argument `index`.
  model::Fill read(const Reader& reader, std::size_t index) {
    model::Fill fill;
    fill.file = reader.file();
    fill.line = reader.line();
    if (reader.is_scalar()) {
      const auto forms = model::fill_form_names();
      const std::string word = reader.text();
      if (word != "normal" && std::find(forms.begin(), forms.end(), word) != forms.end())
        reader.fail(fmt::format("the fill {} takes {}: {}", word, word == "npy" ? "a file" : "numbers",
                                key(fill_keys(), word).description));
      (void)reader.choice({"normal"}, "fill without numbers");
      fill.numbers = {{{}, 0.0}, {{}, 1.0}};
      return fill;
    }
    reader.expect_keys(key_names(fill_keys()));
    const std::vector<std::string> keys = reader.keys();
    if (keys.size() != 1) reader.fail("a fill has one form, as {uniform: [0, 1]}");
    const Reader value = reader.at(keys.front());
    const auto names = model::fill_form_names();
    fill.form = static_cast<FillForm>(std::find(names.begin(), names.end(), keys.front()) - names.begin());
    if (fill.form == FillForm::npy) {
      read_recording(value, fill);
    } else if (model::follows_another(fill.form)) {
      read_follower(value, keys.front(), index, fill);
    } else {
      read_numbers(value, keys.front(), fill);
    }
    return fill;
  }

 private:
  void read_numbers(const Reader& value, const std::string& form, model::Fill& fill) const {
    const std::size_t wanted = numbers_of(fill.form);
    if (fill.form == FillForm::offsets && value.is_sequence()) {
      if (value.items().size() != 2)
        value.fail("offsets takes n, or [n, least]: how many elements there are, and a row has at least");
      for (const Reader& item : value.items()) fill.numbers.push_back(read_number(item, axes_));
      return;
    }
    if (wanted == 1) {
      if (!value.is_scalar()) value.fail(fmt::format("{} takes one number", form));
      fill.numbers.push_back(read_number(value, axes_));
      return;
    }
    if (!value.is_sequence() || value.items().size() != wanted)
      value.fail(fmt::format("{} takes a list of two: {}", form, key(fill_keys(), form).description));
    for (const Reader& item : value.items()) fill.numbers.push_back(read_number(item, axes_));
  }

  void read_follower(const Reader& value, const std::string& form, std::size_t index,
                     model::Fill& fill) const {
    if (!value.is_sequence() || value.items().size() != 2) {
      value.fail(fill.form == FillForm::column
                     ? "column takes an argument and a column: [ARGUMENT, 0]"
                     : fmt::format("{} takes the argument in which rows begin and where the last may end: "
                                   "[ARGUMENT, n]",
                                   form));
    }
    const Reader name = value.items()[0];
    fill.argument = index_of(name.choice(inputs_, "input"));
    if (fill.argument == index) {
      name.fail(fill.form == FillForm::column ? "an argument is no column of itself"
                                              : "rows do not begin where they end: name another argument");
    }
    const auto& other = problem_.arguments[fill.argument].fill;
    if (other && model::follows_another(other->form))
      name.fail(
          fmt::format("{} itself follows another; name the argument that has the numbers", name.text()));
    fill.numbers.push_back(read_number(value.items()[1], axes_));
  }

  void read_recording(const Reader& value, model::Fill& fill) {
    const std::filesystem::path file = folder_ / value.text();
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    std::error_code ignored;
    if (!stream || std::filesystem::is_directory(file, ignored))
      value.fail(fmt::format("the file {} cannot be read", file.string()));
    const std::string bytes = text.str();
    auto array = recording_of(bytes);
    if (!array) value.fail(fmt::format("{}: {}", value.text(), array.error().message));
    auto recording = std::make_shared<model::Recording>(std::move(*array));
    recording->name = value.text() + " " + model::Hasher().add(bytes).finish();
    recordings_ += recording->name + "\n";
    fill.recording = std::move(recording);
  }

  std::filesystem::path folder_;
  const model::Problem& problem_;
  std::vector<std::string> axes_, inputs_;
  std::string recordings_;
};

model::ScalarRange read_range(const Reader& range, const model::Argument& argument) {
  constexpr double most = 0x1p52;
  if (argument.role != ArgumentRole::scalar)
    range.fail("only a scalar has a range; what an array holds is its fill");
  const std::vector<Reader> ends = range.items();
  if (ends.size() != 2) range.fail("a range is [LEAST, LARGEST]");
  const model::ScalarRange read{ends[0].number(-most, most), ends[1].number(-most, most)};
  if (read.most < read.least) range.fail("the largest is less than the least");
  const auto [low, high] = model::range_of(argument.dtype);
  if (!model::is_floating(argument.dtype) && (read.least < low || read.most > high))
    range.fail(fmt::format("{} holds {} to {}", model::name_of(argument.dtype), low, high));
  return read;
}

model::SpecialValues read_special(const Reader& special, const model::Argument& argument) {
  const bool short_range =
      argument.dtype == model::DType::f8e4m3 || argument.dtype == model::DType::f8e5m2;  // no infinity in one
  if (!model::is_given(argument.role) || !model::is_floating(argument.dtype) || short_range)
    special.fail("only an input or an inout of f16, bf16, f32 or f64 can hold NaN and infinity");
  model::SpecialValues read;
  for (const Reader& item : special.items()) {
    const std::string word = item.choice({"nan", "inf"}, "special value");
    (word == "nan" ? read.nan : read.infinity) = true;
  }
  return read;
}

/// The argument that this fill follows; "": none, or it is not written as it should.
std::string followed_by(const Reader& fill) {
  if (!fill.is_map()) return {};
  for (const char* form : {"column", "ends", "lengths"}) {
    const auto value = fill.find(form);
    if (value) return value->is_sequence() && !value->items().empty() ? value->items()[0].text() : form;
  }
  return {};
}

/// fill: {constant: 0}
bool holds_one_number(const Reader& argument) {
  const auto fill = argument.find("fill");
  return fill && fill->is_map() && fill->find("constant").has_value();
}

}  // namespace

void read_contents_keys(const Reader& reader, model::Argument& argument) {
  const ArgumentRole role = argument.role;
  if (const auto before = reader.find("before")) {
    (void)before->choice({"zero"}, "content");
    if (role != ArgumentRole::output) {
      before->fail(role == ArgumentRole::workspace
                       ? "a workspace says zeroed: true"
                       : "only an output can begin with zeros: what other arguments hold is given");
    }
    argument.zeroed = true;
  }
  if (const auto unwritten = reader.find("unwritten")) {
    (void)unwritten->choice({"keep"}, "rule");
    if (role != ArgumentRole::inout && !argument.zeroed)
      unwritten->fail(
          "only what is known before the launch can be kept: an output needs before: zero, or the "
          "role inout");
    argument.keeps_unwritten = true;
  }
  for (const char* word : {"unused", "neutral"}) {
    const auto given = reader.find(word);
    if (!given || !given->boolean()) continue;
    // What holds the same number before each launch, and is written then, has no other contents to ask for.
    const bool one_number =
        role == ArgumentRole::inout && word == std::string_view("neutral") && holds_one_number(reader);
    if (role != ArgumentRole::input && role != ArgumentRole::scalar && !one_number)
      given->fail(
          fmt::format("only an input or a scalar can be {}, and an inout neutral that holds one number "
                      "(fill: {{constant: 0}})",
                      word));
    argument.neutral = true;
  }
  if (const auto fixed = reader.find("fixed"); fixed && fixed->boolean()) {
    if (role != ArgumentRole::scalar)
      fixed->fail("only a scalar can be fixed: kernels are shown no other value of it");
    argument.fixed = true;
  }
  if (const auto range = reader.find("range")) argument.range = read_range(*range, argument);
  if (const auto special = reader.find("special")) argument.special = read_special(*special, argument);
  if (const auto reproducible = reader.find("reproducible")) {
    if (!model::is_judged(role)) reproducible->fail("only an output or an inout can be reproducible or not");
    argument.reproducible = reproducible->boolean();
    if (!argument.reproducible && !model::is_floating(argument.dtype)) {
      reproducible->fail(
          "integers are the same in any order of additions: only an array of floating-point numbers can "
          "differ between equal launches");
    }
  }
  if (const auto fill = reader.find("fill"); fill && !model::is_given(role))
    fill->fail("only an input or an inout has contents of its own; an output may say before: zero");
}

std::string read_fills(const Reader& reader, const std::filesystem::path& folder, model::Problem& problem) {
  Fills fills(folder, problem);
  const std::vector<Reader> arguments = argument_items(reader.at("args"));
  // What follows others after them: what it is taken from is then known.
  for (const bool followers : {false, true}) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto fill = arguments[i].find("fill");
      const std::string follows = fill ? followed_by(*fill) : "";
      if (!fill || follows.empty() == followers) continue;
      for (const Reader& other : arguments) {
        const auto source = other.find("fill");
        const bool chained = followers && source && !followed_by(*source).empty() &&
                             follows == other.at("name").text() && follows != arguments[i].at("name").text();
        if (chained)
          fill->at(fill->keys().front())
              .fail(
                  fmt::format("{} itself follows another; name the argument that has the numbers", follows));
      }
      problem.arguments[i].fill = fills.read(*fill, i);
    }
  }
  // A recorded set stands in front of those of the file.
  const auto named = reader.find("input_sets");
  const std::vector<Reader> sets = named ? named->items() : std::vector<Reader>{};
  const std::size_t ahead = problem.input_sets.size() - std::min(problem.input_sets.size(), sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const auto section = sets[s].find("fill");
    if (!section) continue;
    for (std::size_t other = 0; other < s; ++other) {
      if (problem.input_sets[ahead + other].name == problem.input_sets[ahead + s].name)
        section->fail(fmt::format("two input sets are called {}; a set with fills needs a name of its own",
                                  problem.input_sets[ahead + s].name));
    }
    section->expect_keys(fills.inputs());
    for (const std::string& name : section->keys())
      problem.input_sets[ahead + s].fills[name] = fills.read(section->at(name), fills.index_of(name));
  }
  return fills.recordings();
}

void refuse_inout(const Reader& reader, const model::Problem& problem) {
  for (const model::OracleSource& source : problem.oracles) {
    const bool knows = source.kind == model::OracleKind::kernel ||
                       source.kind == model::OracleKind::command ||
                       source.kind == model::OracleKind::expression;
    if (knows) continue;
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      if (problem.arguments[i].role != ArgumentRole::inout) continue;
      argument_items(reader.at("args"))[i].at("role").fail(fmt::format(
          "the oracle {} knows no inout; a kernel of your own does: oracle: {{kernel: reference.cu}}",
          source.kind == model::OracleKind::builtin ? source.name
                                                    : std::string(model::name_of(source.kind))));
    }
  }
}

}  // namespace evo::config
