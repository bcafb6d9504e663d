// The document's numbers are those of the other verbs' --json.
#include "report/document.hpp"

#include <gtest/gtest.h>

#include "engine/lineage.hpp"
#include "report/gain.hpp"
#include "report/json_output.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;
using testing::invent_run;
using testing::Scratch;

/// One run, invented once for all tests of this file.
const RunView& view() {
  static const Scratch scratch;
  static const RunView made = [] {
    invent_run(scratch / "run", {.templates = {}});
    return read_run(scratch / "run");
  }();
  return made;
}

const json::object& document() {
  static const json::object made = run_document(view());
  return made;
}

const json::array& column(const char* name) {
  return document().at("columns").at(name).as_array();
}

json::value word(const char* name, std::size_t row) {
  const json::value& words = document().at("columns").at(name);
  return words.at("values").at(static_cast<std::size_t>(words.at("of").at(row).as_int64()));
}

TEST(Document, ColumnsHoldWhatLineageSays) {
  const json::object lineage = lineage_to_json(view().ledger.trials);
  const json::array& variants = lineage.at("variants").as_array();
  ASSERT_EQ(column("index").size(), variants.size());
  for (std::size_t row = 0; row < variants.size(); ++row) {
    const json::object& variant = variants[row].as_object();
    EXPECT_EQ(column("variant")[row], variant.at("id"));
    EXPECT_EQ(column("generation")[row], variant.at("generation"));
    EXPECT_EQ(column("slot")[row], variant.at("slot"));
    EXPECT_EQ(column("latency_us")[row], variant.at("latency_us")) << "bit for bit";
    EXPECT_EQ(word("status", row), variant.at("status"));
    EXPECT_EQ(word("operator", row), variant.at("operator"));
    EXPECT_EQ(word("template", row), variant.at("template"));
    EXPECT_EQ(word("reason", row), variant.at("reason"));
    EXPECT_EQ(word("rationale", row), variant.at("rationale"));
    EXPECT_EQ(word("gate", row), variant.at("gate").is_null() ? json::value("") : variant.at("gate"));
    const json::array& parents = variant.at("parents").as_array();
    ASSERT_EQ(column("parents")[row].as_array().size(), parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const auto parent = static_cast<std::size_t>(column("parents")[row].at(i).as_int64());
      EXPECT_EQ(column("variant")[parent], parents[i]);
    }
  }
  EXPECT_EQ(document().at("lineage_sha256"), lineage.at("lineage_sha256"));
}

TEST(Document, GenesAreThoseOfTheLineage) {
  const json::object lineage = lineage_to_json(view().ledger.trials);
  const json::value& space = document().at("columns").at("space");
  for (std::size_t row = 0; row < column("index").size(); ++row) {
    json::object genes;
    std::size_t at = 0;
    for (const auto& [gene, values] : space.at(word("template", row).as_string()).as_object())
      genes[gene] = values.at(static_cast<std::size_t>(column("genomes")[row].at(at++).as_int64()));
    EXPECT_EQ(json::value(genes), lineage.at("variants").at(row).at("genes"));
  }
}

TEST(Document, SummaryAndInsightsAreThoseOfRunAndInsights) {
  const json::object summary =
      run_to_json(view().folder.string(), view().experiment, *view().ledger.meta, view().result);
  for (const auto& [key, value] : summary) EXPECT_EQ(document().at(key), value) << key;
  const json::object insights = insights_to_json(view().ledger.insights);
  EXPECT_EQ(document().at("insights"), insights.at("generations").as_array().back());
  EXPECT_EQ(document().at("environment").at("input_seed"), "18446744073709551615")
      << "numbers would be rounded";
}

TEST(Document, FunnelCountsEveryTrialOnce) {
  const json::array& funnel = document().at("funnel").as_array();
  ASSERT_EQ(funnel.size(), 8U);
  EXPECT_EQ(funnel[0].at("reached").to_number<std::int64_t>(), 200);
  std::map<std::string, std::int64_t> ended;
  for (const json::value& stage : funnel) {
    std::int64_t lost = 0;
    for (const json::value& way : stage.at("failed").as_array()) {
      lost += way.at("count").to_number<std::int64_t>();
      ended[std::string(way.at("status").as_string())] += way.at("count").to_number<std::int64_t>();
    }
    EXPECT_EQ(stage.at("reached").to_number<std::int64_t>() - stage.at("passed").to_number<std::int64_t>(),
              lost);
  }
  for (const auto& [status, count] : view().result.progress.counts) {
    if (status == "better" || status == "proven") continue;
    EXPECT_EQ(ended[status], count) << status;
  }
  EXPECT_EQ(funnel[7].at("passed").to_number<std::int64_t>(), view().result.progress.counts.at("better"));
}

TEST(Document, SourcesAreTheOnesThatWereTried) {
  const json::object& sources = document().at("sources").as_object();
  const json::array& lines = sources.at("lines").as_array();
  ASSERT_GT(sources.at("of").as_array().size(), 5U);
  EXPECT_EQ(sources.at("of").at(0).at("trial"), document().at("champion_trial"));
  for (const json::value& entry : sources.at("of").as_array()) {
    std::string text;
    for (const json::value& part : entry.at("source").as_array())
      for (std::int64_t i = 0; i < part.at(1).as_int64(); ++i)
        text += std::string(lines[static_cast<std::size_t>(part.at(0).as_int64() + i)].as_string()) + "\n";
    const auto row = static_cast<std::size_t>(entry.at("trial").as_int64());
    const std::string& hash = view().ledger.trials[row].source_hash;
    EXPECT_TRUE(model::sha256(text) == hash || model::sha256(text.substr(0, text.size() - 1)) == hash) << row;
  }
}

TEST(Document, ASourceThatIsNoLongerTheOneThatWasTriedIsNotShown) {
  RunView changed = view();
  const std::int64_t champion = document().at("champion_trial").as_int64();
  changed.ledger.trials[static_cast<std::size_t>(champion)].source_hash = std::string(64, '0');
  const json::object made = run_document(changed);
  for (const json::value& entry : made.at("sources").at("of").as_array())
    EXPECT_NE(entry.at("trial"), champion);
  EXPECT_NE(json::serialize(made.at("notices")).find("changed since the run"), std::string::npos);
}

engine::TrialRecord timed(const char* variant, double us, double half, model::LatencyKind kind) {
  engine::TrialRecord trial;
  trial.variant = variant;
  trial.status = model::Status::better;
  model::Latency latency;
  latency.kind = kind;
  latency.microseconds = us;
  if (kind == model::LatencyKind::measured) latency.ci95 = {us - half, us + half};
  trial.latencies = {{"w", 1, latency}};
  return trial;
}

TEST(Gain, SaysHowSureItIs) {
  using model::LatencyKind;
  const auto base = timed("a", 10, 0.1, LatencyKind::measured);
  const Gain apart = gain_of(base, timed("b", 5, 0.1, LatencyKind::measured), 0.005);
  EXPECT_DOUBLE_EQ(*apart.speedup, 2);
  EXPECT_DOUBLE_EQ((*apart.interval)[0], 9.9 / 5.1);
  EXPECT_DOUBLE_EQ((*apart.interval)[1], 10.1 / 4.9);
  EXPECT_EQ(apart.verdict, Verdict::better);
  EXPECT_EQ(apart.method, "intervals");
  // Apart by their intervals, but by no more than what moments differ by.
  EXPECT_EQ(gain_of(base, timed("b", 9.85, 0.001, LatencyKind::measured), 0.005).verdict, Verdict::tie);
  EXPECT_EQ(gain_of(base, timed("b", 12, 0.1, LatencyKind::measured), 0.005).verdict, Verdict::worse);

  auto paired = timed("b", 9.9, 0.1, LatencyKind::measured);
  paired.paired = model::PairedComparison{"a", 0.98, {0.979, 0.981}, 0.999, 16};
  const Gain in_turn = gain_of(base, paired, 0.005);
  EXPECT_EQ(in_turn.method, "in_turn");
  EXPECT_DOUBLE_EQ(*in_turn.speedup, 1 / 0.98);
  EXPECT_EQ(in_turn.verdict, Verdict::better);
  paired.paired->incumbent = "another";
  EXPECT_EQ(gain_of(base, paired, 0.005).method, "intervals")
      << "a comparison with another says nothing of this one";

  const Gain modelled =
      gain_of(timed("a", 10, 0, LatencyKind::modelled), timed("b", 9.99, 0, LatencyKind::modelled), 0.005);
  EXPECT_EQ(modelled.verdict, Verdict::better);
  EXPECT_FALSE(modelled.interval);
  EXPECT_EQ(gain_of(engine::TrialRecord{}, base, 0.005).verdict, Verdict::unknown);
}

TEST(Path, LeadsFromTheFirstAncestorToTheChampion) {
  const json::array& path = document().at("path").as_array();
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().at("trial"), document().at("champion_trial"));
  EXPECT_TRUE(path.front().at("against_parent").is_null());
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto row = static_cast<std::size_t>(path[i].at("trial").as_int64());
    const auto before = static_cast<std::size_t>(path[i - 1].at("trial").as_int64());
    EXPECT_EQ(view().ledger.trials[row].parents.front(), view().ledger.trials[before].variant);
    EXPECT_FALSE(path[i].at("changes").as_string().empty());
  }
}

TEST(Document, TwoThousandTrialsMakeLessThanTwoMegabytes) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 2000, .population = 100});
  const json::object made = document_of({scratch / "run"});
  EXPECT_LT(json::serialize(made).size(), 1'700'000U) << "the page itself is about 0.15 MB";
}

TEST(Document, ModelsAreCountedAndTheirPromptsLeftOut) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 120, .models = true});
  const RunView priced = read_run(scratch / "run");
  const json::object made = run_document(priced);
  std::int64_t asked = 0, accepted = 0, proposed = 0, correct = 0;
  for (const engine::TrialRecord& trial : priced.ledger.trials) {
    if (trial.operator_name != "llm:tiny") continue;
    ++proposed;
    correct += trial.correct() ? 1 : 0;
  }
  for (const json::value& event : made.at("events").as_array()) {
    if (event.at("kind").as_string() != "model_exchange") continue;
    const json::object& details = event.at("details").as_object();
    ++asked;
    accepted += details.at("verdict").as_string() == "accepted" ? 1 : 0;
    EXPECT_FALSE(details.contains("request") || details.contains("reply"));
  }
  ASSERT_GT(proposed, 0);
  const json::array& models = made.at("models").as_array();
  ASSERT_EQ(models.size(), 1U);
  const json::object& tiny = models.front().as_object();
  EXPECT_EQ(tiny.at("model").as_string(), "tiny");
  EXPECT_EQ(tiny.at("requests").to_number<std::int64_t>(), asked);
  EXPECT_EQ(tiny.at("accepted").to_number<std::int64_t>(), accepted);
  EXPECT_EQ(tiny.at("proposed").to_number<std::int64_t>(), proposed);
  EXPECT_EQ(tiny.at("right").to_number<std::int64_t>(), correct);
  EXPECT_EQ(tiny.at("refused").at("not_json").to_number<std::int64_t>(), asked - accepted);
  EXPECT_DOUBLE_EQ(tiny.at("money").to_number<double>(),
                   static_cast<double>(asked) * (1000 * 2 + 200 * 10) / 1e6);
  EXPECT_TRUE(document().at("models").as_array().empty()) << "none was asked";
}

}  // namespace
}  // namespace evo::report
