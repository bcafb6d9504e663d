#include "config/stop_if.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "config/nearest.hpp"

namespace evo::config {
namespace {

constexpr const char* example = "no gain of 1 % in 200 trials or 10 minutes";
constexpr double most_trials = 1e12, most_seconds = 1e9;

/// Words; a number and what stands behind it without a blank are two.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool number = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n') {
      number = false;
      words.emplace_back();
      continue;
    }
    const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (words.empty() || (number && !digit)) words.emplace_back();
    number = digit;
    words.back() += c;
  }
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  return words;
}

class Sentence {
 public:
  explicit Sentence(const Reader& value) : value_(value), words_(words_of(value.text())) {}

  model::StopIf read() {
    model::StopIf found;
    take("no");
    take("gain");
    if (!ended() && word() == "of") {
      ++at_;
      found.gain = number(0, 100) / 100;
      take("%", {"percent"});
    }
    take("in");
    period(found);
    if (!ended()) {
      take("or");
      period(found);
    }
    if (!ended()) fail(fmt::format("ends with '{}', which is too much", word()));
    return found;
  }

 private:
  [[nodiscard]] bool ended() const { return at_ == words_.size(); }
  [[nodiscard]] const std::string& word() const { return words_[at_]; }
  [[noreturn]] void fail(const std::string& what) const {
    value_.fail(fmt::format("'{}' {}; a sentence such as '{}' is meant", value_.text(), what, example));
  }

  void take(const std::string& expected, const std::vector<std::string>& others = {}) {
    if (ended()) fail(fmt::format("ends where '{}' is missing", expected));
    std::vector<std::string> known{expected};
    known.insert(known.end(), others.begin(), others.end());
    if (std::find(known.begin(), known.end(), word()) == known.end()) {
      fail(fmt::format("has '{}' where '{}' is expected{}", word(), expected,
                       nearest(word(), known) ? suggestion(word(), known) : ""));
    }
    ++at_;
  }

  double number(double low, double high) {
    if (ended()) fail("ends where a number is missing");
    double found = 0;
    const std::string& digits = word();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), found);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(found))
      fail(fmt::format("has '{}' where a number is expected", digits));
    if (found <= low || found > high)
      fail(fmt::format("has {}, which is not above {} and at most {}", digits, low, high));
    ++at_;
    return found;
  }

  void period(model::StopIf& found) {
    const std::string digits = ended() ? std::string() : word();
    const double count = number(0, most_trials);
    constexpr std::pair<const char*, double> units[] = {{"second", 1}, {"minute", 60}, {"hour", 3600}};
    if (ended()) fail("ends where 'trials' or a unit of time is missing");
    if (word() == "trials" || word() == "trial") {
      if (found.trials > 0) fail("names trials twice");
      if (count != std::floor(count)) fail(fmt::format("has {} trials, which is no whole number", digits));
      found.trials = static_cast<std::int64_t>(count);
      ++at_;
      return;
    }
    std::vector<std::string> known{"trials"};
    for (const auto& [unit, seconds] : units) {
      known.push_back(std::string(unit) + "s");
      if (word() != unit && word() != known.back()) continue;
      if (found.seconds > 0) fail("names a time twice");
      if (count * seconds > most_seconds) fail(fmt::format("has a time above {} seconds", most_seconds));
      found.seconds = count * seconds;
      ++at_;
      return;
    }
    fail(fmt::format("has '{}' behind {}{}", word(), digits, suggestion(word(), known)));
  }

  const Reader& value_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

}  // namespace

model::StopIf read_stop_if(const Reader& value) {
  if (!value.is_scalar()) value.fail(fmt::format("expected a sentence such as '{}'", example));
  return Sentence(value).read();
}

}  // namespace evo::config
