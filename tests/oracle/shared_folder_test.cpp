// What processes of one run make once for all of them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reference_bytes.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/oracle/shared_folder.hpp"
#include "evaluators/process/temporary_folder.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t roomy = 1 << 24;

std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) count += entry.file_size() > 0 ? 1 : 0;
  return count;
}

TEST(SharedFolder, OneMakesAndOthersWaitForIt) {
  const process::TemporaryFolder folder("evo-shared-test");
  const SharedFolder shared(folder.path(), roomy);
  std::atomic<int> made = 0;
  std::vector<std::jthread> threads;
  std::vector<std::string> seen(8);
  for (std::string& one : seen) {
    threads.emplace_back([&shared, &made, &one] {
      const SharedFolder::Claim claim = shared.take("a name / of \n any kind");
      if (claim.blob) {
        one = *claim.blob;
        return;
      }
      ++made;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      one = "what was made";
      claim.keep(one);
    });
  }
  threads.clear();
  EXPECT_EQ(made, 1);
  for (const std::string& one : seen) EXPECT_EQ(one, "what was made");
}

TEST(SharedFolder, WhoKeepsNothingLetsTheNextMakeIt) {
  const process::TemporaryFolder folder("evo-shared-test");
  const SharedFolder shared(folder.path(), roomy);
  { EXPECT_FALSE(shared.take("name").blob); }
  const auto again = shared.take("name");
  ASSERT_FALSE(again.blob);
  again.keep("blob");
  EXPECT_EQ(shared.take("name").blob, "blob");
}

TEST(SharedFolder, WhatCannotBeKeptIsMadeByAllThatWaitedAtOnce) {
  const process::TemporaryFolder folder("evo-shared-test");
  const SharedFolder shared(folder.path(), 4);
  EXPECT_FALSE(shared.fits(5));
  std::atomic<int> making = 0, most = 0;
  std::vector<std::jthread> threads;
  auto first = std::make_unique<SharedFolder::Claim>(shared.take("name"));
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const auto claim = shared.take("name");
      ASSERT_FALSE(claim.blob);
      most = std::max<int>(most, ++making);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      claim.keep("too long");
      --making;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  first->keep("too long");
  first.reset();
  threads.clear();
  EXPECT_GT(most, 1);
}

TEST(SharedFolder, AProcessThatWasKilledKeepsNobodyWaiting) {
  const process::TemporaryFolder folder("evo-shared-test");
  const pid_t child = ::fork();
  if (child == 0) {
    const SharedFolder shared(folder.path(), roomy);
    const auto claim = shared.take("name");
    ::_exit(claim.blob ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(SharedFolder(folder.path(), roomy).take("name").blob);
  EXPECT_LT(std::chrono::steady_clock::now() - start,
            std::chrono::duration<double>(SharedFolder::patience_s / 2));
}

TEST(SharedFolder, WhatWasKeptFirstGoesWhereThereIsNoRoom) {
  const process::TemporaryFolder folder("evo-shared-test");
  const SharedFolder shared(folder.path(), 25);
  for (const char* name : {"first", "second", "third"}) {
    const auto claim = shared.take(name);
    ASSERT_FALSE(claim.blob);
    claim.keep("ten bytes.");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(files_in(folder.path()), 2U);
  EXPECT_FALSE(shared.take("first").blob);
  EXPECT_TRUE(shared.take("third").blob);
  shared.take("huge").keep(std::string(26, 'x'));
  EXPECT_FALSE(shared.take("huge").blob);
}

TEST(SharedFolder, AFolderThatIsGoneIsNoHindrance) {
  const SharedFolder shared("/nowhere/at/all", roomy);
  const auto claim = shared.take("name");
  ASSERT_FALSE(claim.blob);
  claim.keep("blob");
  EXPECT_FALSE(shared.take("name").blob);
}

/// c is a rounded up to an integer where it lies at .5: undecided at borders. Counts how often it is asked.
class Rounding final : public ComputedOracle {
 public:
  explicit Rounding(std::atomic<int>& asked) : asked_(asked) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    ++asked_;
    return answer(bound, inputs);
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t>) const override {
    return answer(bound, inputs);
  }

 private:
  static ReferenceOutputs answer(const model::Case& bound, const InputBuffers& inputs) {
    ReferenceOutputs outputs(bound.arguments.size());
    const std::vector<double> a = load_all(bound.arguments[0], inputs[0]);
    for (const double value : a) outputs[1].push_back(std::floor(value + 0.5));
    return outputs;
  }
  static std::vector<double> load_all(const model::BoundArgument& argument,
                                      const std::vector<std::byte>& bytes) {
    std::vector<double> values;
    for (const std::int64_t offset : element_offsets(argument))
      values.push_back(load_element(argument.dtype, bytes.data() + offset * model::size_of(argument.dtype)));
    return values;
  }
  std::atomic<int>& asked_;
};

model::Case rounding_case() {
  model::Case bound;
  bound.name = "rounding";
  bound.arguments.push_back(tests::array_argument("a", model::ArgumentRole::input, model::DType::f32, {300}));
  bound.arguments.push_back(
      tests::array_argument("c", model::ArgumentRole::output, model::DType::i32, {300}));
  return bound;
}

TEST(SharedReferences, AreMadeOnceAndAreTheSameForAll) {
  const process::TemporaryFolder folder("evo-shared-test");
  std::atomic<int> asked = 0;
  Catalogue known = evo::tests::known();
  known.add("rounding", std::make_shared<Rounding>(asked));
  const auto data_of = [&](bool shares, const std::string& whose) {
    ReferenceCache cache(known);
    if (shares) cache.share({folder.path(), roomy}, whose);
    return cache.get("rounding", rounding_case(), {"normal", "normal", {}}, {.seed = 4}, true);
  };
  const auto alone = data_of(false, "");
  const int once = asked;
  const auto first = data_of(true, "one");
  EXPECT_EQ(asked, 2 * once);
  const auto second = data_of(true, "one");
  EXPECT_EQ(asked, 2 * once) << "read, not made";
  ASSERT_TRUE(second->nearby);
  for (const auto& data : {first, second}) {
    EXPECT_EQ(data->inputs, alone->inputs);
    EXPECT_EQ(data->outputs, alone->outputs);
    EXPECT_EQ(data->in_domain, alone->in_domain);
    EXPECT_EQ(data->plain_errors.size(), alone->plain_errors.size());
    const Borders& here = data->nearby(data->inputs, data->outputs, Nearby::moved);
    const Borders& there = alone->nearby(alone->inputs, alone->outputs, Nearby::moved);
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_EQ(here[i].size(), there[i].size());
  }
  const int before = asked;
  static_cast<void>(data_of(true, "another reference of the same name"));
  EXPECT_GT(asked, before);
}

TEST(SharedReferences, OfAttentionKeepErrorsAndRows) {
  const process::TemporaryFolder folder("evo-shared-test");
  model::Case bound = tests::attention_case(1, 2, 200, 16, true);
  bound.flops = 1e8;
  const auto data_of = [&](double whole_flops) {
    ReferenceCache cache(evo::tests::known(), default_cache_bytes(), whole_flops);
    cache.share({folder.path(), roomy}, "");
    return cache.get("attention_forward", bound, {"normal", "normal", {}}, {.seed = 4}, true, 1e-3);
  };
  for (const double whole_flops : {1e9, 1.0}) {
    const auto made = data_of(whole_flops);
    const auto read = data_of(whole_flops);
    EXPECT_EQ(made->rows.empty(), whole_flops > 1);
    EXPECT_EQ(made->rows, read->rows);
    EXPECT_EQ(made->outputs, read->outputs);
    EXPECT_EQ(made->doubled_at_most, read->doubled_at_most);
    ASSERT_EQ(made->conditioning.size(), read->conditioning.size());
    ASSERT_FALSE(made->plain_errors.empty());
    for (std::size_t i = 0; i < made->plain_errors.size(); ++i) {
      EXPECT_EQ(made->plain_errors[i].rms, read->plain_errors[i].rms);
      EXPECT_EQ(made->plain_errors[i].largest, read->plain_errors[i].largest);
      EXPECT_EQ(made->conditioning[i].rms, read->conditioning[i].rms);
      EXPECT_EQ(made->conditioning[i].largest, read->conditioning[i].largest);
    }
  }
}

TEST(SharedReferences, BytesThatAreCutShortOrForeignAreNoReference) {
  ReferenceCache cache(evo::tests::known());
  const auto data =
      cache.get("vector_add", tests::vector_add_case(10), {"normal", "normal", {}}, {.seed = 1});
  const std::string bytes = to_bytes(*data);
  ASSERT_TRUE(from_bytes(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(from_bytes(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(from_bytes(bytes + "x"));
  std::string other = bytes;
  other[0] = 'E';
  EXPECT_FALSE(from_bytes(other));
}

}  // namespace
}  // namespace evo::evaluators::oracle
