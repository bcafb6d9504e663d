// Tokens of workers' own, on a real server.
#include "farm/nats/users.hpp"

#include <fstream>
#include <future>
#include <iterator>

#include <fcntl.h>
#include <sys/file.h>

#include <fmt/format.h>

#include "farm/nats/clock.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

class FarmTokens : public Nats {
 protected:
  void SetUp() override {
    Nats::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    child_.reset();
    options_.port = free_port();
    options_.folder = folder_ / "farm";
    options_.tokens = true;
    nats::claim_place(options_);  // as evo farm up: the folder's lock says that a server is there
    server_ = nats::prepare_server(options_);
    start();
    run_ = made_with(server_.run_token, nats::NatsQueue::of_coordinator);
    run_->clear("run");
  }
  [[nodiscard]] nats::Access access(const fs::path& token) const {
    nats::Access made = nats::access_of(server_.url, token.string(), "");
    made.wait = 60s;
    return made;
  }
  /// The server may be reading of the token.
  template <class Make>
  std::unique_ptr<nats::NatsQueue> made_with(const fs::path& token, const Make& make) {
    for (int tries = 0;; ++tries) {
      try {
        return make(access(token), patient());
      } catch (const model::Exception&) {
        if (tries == 100) throw;
        std::this_thread::sleep_for(50ms);
      }
    }
  }
  std::unique_ptr<nats::NatsQueue> worker_of(const fs::path& token) {
    return made_with(token, [](const nats::Access& mine, const nats::Patience& patience) {
      return nats::NatsQueue::of_worker(mine, patience);
    });
  }
  [[nodiscard]] static bool takes_a_job(farm::Queue& from) {
    for (int tries = 0; tries < 20; ++tries)
      if (const auto job = from.take_job(1000ms)) return true;
    return false;
  }

  nats::ServerOptions options_;
  std::unique_ptr<nats::NatsQueue> run_;
};

TEST_F(FarmTokens, OfAWorkersOwnReadItsAnswersAlone) {
  const auto a = nats::add_worker_token(options_.folder, "a"),
             b = nats::add_worker_token(options_.folder, "b");
  EXPECT_EQ(nats::add_worker_token(options_.folder, "a"), a) << "it is kept";
  const auto mine = worker_of(a), spy = worker_of(b), shared = worker_of(server_.worker_token);
  nats::Connection& of_run = run_->jetstream().connection();
  for (nats::NatsQueue* who : {spy.get(), shared.get()}) {
    nats::Connection& evil = who->jetstream().connection();
    const std::string own = nats::worker_answers(who == spy.get() ? "worker-b" : "worker");
    const auto everything = evil.subscribe("_EVO_WORKER.>"), of_a = evil.subscribe("_EVO_WORKER.worker-a.>"),
               any = evil.subscribe("_EVO_WORKER.*.>"), to_it = evil.subscribe(own + ".x");
    evil.flush(5s);
    run_->put_job({"run", "a"}, std::string("once") + own, "a job");
    EXPECT_TRUE(takes_a_job(*mine)) << "the answer to another";
    of_run.publish(own + ".x", "to it");
    EXPECT_TRUE(to_it->next(5s)) << "what it may read it does";
    EXPECT_FALSE(everything->next(1ms));
    EXPECT_FALSE(of_a->next(1ms));
    EXPECT_FALSE(any->next(1ms));
    run_->clear("run");
  }
}

TEST_F(FarmTokens, AreTakenBackOneByOne) {
  const auto a = nats::add_worker_token(options_.folder, "a"),
             b = nats::add_worker_token(options_.folder, "b");
  const auto mine = worker_of(a), other = worker_of(b);
  const nats::Access old = access(a);
  nats::revoke_worker_token(options_.folder, "a");
  const auto is_put_out = [](farm::Queue& queue) {
    try {
      for (int tries = 0; tries < 100; ++tries) static_cast<void>(queue.take_job(100ms));
    } catch (const model::Exception&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(is_put_out(*mine)) << "it was connected";
  EXPECT_THROW(nats::Connection{old}, model::Exception);
  run_->put_job({"run", "a"}, "once", "a job");
  EXPECT_TRUE(takes_a_job(*other)) << "nobody else is";
  EXPECT_THROW(nats::revoke_worker_token(options_.folder, "a"), model::Exception) << "there is none";

  const nats::Access before = access(server_.worker_token);
  nats::revoke_worker_token(options_.folder, "");
  bool refused = false;
  for (int tries = 0; tries < 100 && !refused; ++tries) {
    try {
      const nats::Connection still(before);
      std::this_thread::sleep_for(50ms);
    } catch (const model::Exception&) {
      refused = true;
    }
  }
  EXPECT_TRUE(refused) << "another one was drawn for those who share it";
  EXPECT_TRUE(worker_of(server_.worker_token));
}

// As somebody leaves it who was killed before the server was told.
TEST_F(FarmTokens, ARevocationThatWasCutShortIsFinishedByTheNext) {
  for (const std::string name : {"a", ""}) {
    const fs::path token =
        name.empty() ? server_.worker_token : nats::add_worker_token(options_.folder, name);
    static_cast<void>(worker_of(token));
    const nats::Access old = access(token);
    const fs::path going = token.string() + ".revoked";
    fs::rename(token, going);
    EXPECT_NO_THROW(nats::Connection{old}) << "the server does not know";
    nats::revoke_worker_token(options_.folder, name);
    bool refused = false;
    for (int tries = 0; tries < 100 && !refused; ++tries) {
      try {
        const nats::Connection still(old);
        std::this_thread::sleep_for(50ms);
      } catch (const model::Exception&) {
        refused = true;
      }
    }
    EXPECT_TRUE(refused) << name;
    EXPECT_FALSE(fs::exists(going)) << name;
    EXPECT_EQ(fs::exists(token), name.empty()) << name << ": another one for those who share it";
  }
}

/// A folder without a server.
struct FarmTokensOfAFolder : testing::Test {
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "evo-tokens-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  [[nodiscard]] std::string users() const {
    std::ifstream in(folder / nats::users_file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder;
};

TEST_F(FarmTokensOfAFolder, OfTwoThatComeAtOnceNoneIsLostAndWhatWasTakenBackStaysAway) {
  nats::write_token_users(folder);
  constexpr int each = 12;
  const auto who = [](int thread, int i) { return fmt::format("t{}-{}", thread, i); };
  std::vector<std::future<void>> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.push_back(std::async(std::launch::async, [&, thread] {
      for (int i = 0; i < each; ++i) {
        static_cast<void>(nats::add_worker_token(folder, who(thread, i)));
        if (i % 2 != 0) nats::revoke_worker_token(folder, who(thread, i));
      }
    }));
  for (auto& thread : threads) EXPECT_NO_THROW(thread.get());
  const std::string text = users();
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < each; ++i) {
      const std::string name = who(thread, i);
      EXPECT_EQ(text.find("\"worker-" + name + "\"") != std::string::npos, i % 2 == 0) << name;
      EXPECT_EQ(fs::exists(folder / ("worker-" + name + ".token")), i % 2 == 0) << name;
    }
}

TEST_F(FarmTokensOfAFolder, AFileWithoutATokenLetsNobodyIn) {
  std::ofstream(folder / "worker-a.token") << "something else\n";
  nats::write_token_users(folder);
  EXPECT_EQ(users().find("worker-a"), std::string::npos);
  static_cast<void>(nats::add_worker_token(folder, "a"));
  EXPECT_NE(users().find("\"worker-a\""), std::string::npos);
}

TEST_F(FarmTokensOfAFolder, OneThatIsBeingTakenBackIsListedByNobody) {
  nats::write_token_users(folder);
  const fs::path token = nats::add_worker_token(folder, "a");
  fs::rename(token, token.string() + ".revoked");
  static_cast<void>(nats::add_worker_token(folder, "b"));
  EXPECT_EQ(users().find("\"worker-a\""), std::string::npos);
  EXPECT_NE(users().find("\"worker-b\""), std::string::npos);
  EXPECT_NO_THROW(nats::revoke_worker_token(folder, "a"));
  EXPECT_THROW(nats::revoke_worker_token(folder, "a"), model::Exception) << "it is done";
}

// Whoever is told that it failed may say it again.
TEST_F(FarmTokensOfAFolder, OneThatTheServerCannotBeToldOfIsTakenBackTheNextTime) {
  nats::write_token_users(folder);
  const fs::path token = nats::add_worker_token(folder, "a");
  {
    const int up = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(up, LOCK_EX | LOCK_NB), 0) << "a server that says no number of its process";
    EXPECT_THROW(nats::revoke_worker_token(folder, "a"), model::Exception);
    ::close(up);
  }
  EXPECT_FALSE(fs::exists(token));
  EXPECT_EQ(users().find("\"worker-a\""), std::string::npos);
  EXPECT_NO_THROW(nats::revoke_worker_token(folder, "a"));
}

TEST_F(FarmTokensOfAFolder, WhatBelongsToATakingBackIsDoneBeforeItIsOver) {
  nats::write_token_users(folder);
  const fs::path token = nats::add_worker_token(folder, "a");
  EXPECT_THROW(nats::revoke_worker_token(folder, "a", [](bool) { throw std::runtime_error("away"); }),
               std::runtime_error);
  EXPECT_FALSE(fs::exists(token));
  bool done = false;
  nats::revoke_worker_token(folder, "a", [&](bool is_up) { done = !is_up; });
  EXPECT_TRUE(done) << "the same call finishes it";
  EXPECT_THROW(nats::revoke_worker_token(folder, "a"), model::Exception) << "it is done";
}

// Its number may be another process's by now.
TEST_F(FarmTokensOfAFolder, AServerThatWasKilledIsNotTold) {
  nats::ServerOptions options;
  options.port = free_port();
  options.folder = folder;
  options.tokens = true;
  auto stranger = Child::spawn({"/bin/sleep", "60"}, {});
  std::ofstream(nats::pid_file(folder)) << stranger.pid() << "\n";
  nats::claim_place(options);
  static_cast<void>(nats::prepare_server(options));
  EXPECT_FALSE(fs::exists(nats::pid_file(folder)));
  EXPECT_THROW(static_cast<void>(nats::add_worker_token(folder, "a")), model::Exception);
}

TEST_F(FarmTokensOfAFolder, WhoLooksWhetherAServerIsThereIsNotInTheWayOfOne) {
  nats::ServerOptions options;
  options.port = free_port();
  options.folder = folder;
  std::future<void> claim;
  {
    const nats::UsersLock users(folder);
    const int look = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(look, LOCK_SH | LOCK_NB), 0);
    claim = std::async(std::launch::async, [&] { nats::claim_place(options); });
    claim.wait_for(100ms);
    ::close(look);
  }
  EXPECT_NO_THROW(claim.get());
}

TEST(FarmTokensOfNobody, NeedAFarmThatAsksForThem) {
  const auto code = [](const fs::path& folder, const std::string& name) {
    try {
      static_cast<void>(nats::add_worker_token(folder, name));
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  };
  std::string name = (fs::temp_directory_path() / "evo-tokens-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path folder = name;
  EXPECT_EQ(code(folder, "a"), model::ExitCode::environment) << "no server was there";
  nats::write_no_users(folder);
  EXPECT_EQ(code(folder, "a"), model::ExitCode::environment) << "it asks nobody who he is";
  nats::write_nkey_users(folder, {"UAAA"}, "UBBB");
  EXPECT_EQ(code(folder, "a"), model::ExitCode::environment) << "it has keys in place of tokens";
  nats::write_token_users(folder);
  EXPECT_EQ(code(folder, "a"), model::ExitCode::done);
  for (const std::string wrong : {"", "../a", "a b", ">"})
    EXPECT_EQ(code(folder, wrong), model::ExitCode::usage) << wrong;
  EXPECT_EQ(code(folder, std::string(49, 'a')), model::ExitCode::usage);
  const auto mode = fs::status(folder / "worker-a.token").permissions();
  EXPECT_EQ(mode & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace evo::test
