#include "suites/attack_manifest.hpp"

#include "config/yaml_reader.hpp"
#include "model/error.hpp"

namespace evo::suites {
namespace {

Attack read_attack(const config::Reader& reader, const std::filesystem::path& folder) {
  reader.expect_keys({"id", "file", "check", "problem", "template", "workload", "target", "verdict", "gate",
                      "reason", "title", "why", "set"});
  Attack attack;
  attack.id = reader.at("id").text();
  attack.title = reader.at("title").text();
  const std::string verdict = reader.at("verdict").choice({"reject", "accept", "missed"}, "verdict");
  attack.verdict = verdict == "reject"   ? AttackVerdict::reject
                   : verdict == "accept" ? AttackVerdict::accept
                                         : AttackVerdict::missed;
  if (const auto check = reader.find("check")) {
    attack.name = check->text();
  } else {
    const std::string file = reader.at("file").text();
    attack.file = folder / file;
    attack.name = attack.file.stem().string();
    attack.problem = reader.at("problem").text();
    attack.kernel = reader.at("template").text();
    attack.workload = reader.optional_text("workload");
    attack.target = reader.optional_text("target");
    if (const auto set = reader.find("set")) {
      for (const config::Reader& item : set->items()) attack.set.push_back(item.text());
    }
  }
  if (attack.verdict == AttackVerdict::reject) {
    attack.gate = reader.at("gate").text();
    attack.reasons = reader.at("reason").alternatives();
  }
  if (attack.verdict == AttackVerdict::missed) attack.why = reader.at("why").text();
  return attack;
}

}  // namespace

std::vector<Attack> read_attacks(const std::filesystem::path& folder) try {
  const config::Reader reader = config::Reader::load((folder / "expected.yaml").string());
  std::vector<Attack> attacks;
  for (const config::Reader& entry : reader.at("fixtures").items())
    attacks.push_back(read_attack(entry, folder));
  return attacks;
} catch (const config::Invalid& invalid) {
  throw model::Exception(model::ExitCode::invalid_configuration, invalid.error.text());
}

std::vector<Attack> read_bugs(const std::filesystem::path& folder) {
  auto table = load_seeded_bugs((folder / "bugs.yaml").string());
  if (!table) throw model::Exception(model::ExitCode::invalid_configuration, table.error().text());
  std::vector<Attack> attacks;
  for (SeededBug& bug : table->bugs) {
    Attack attack;
    attack.id = bug.id;
    attack.title = attack.name = bug.name;
    attack.problem = table->problem;
    attack.kernel = bug.template_name;
    attack.gate = bug.gate;
    attack.reasons = bug.reasons;
    attack.why = bug.needs_gpu;
    attack.bug = std::move(bug);
    attacks.push_back(std::move(attack));
  }
  return attacks;
}

}  // namespace evo::suites
