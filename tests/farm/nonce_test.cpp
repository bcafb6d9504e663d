// How an end proves to a server that it holds a key.
#include <fstream>

#include "tests/support/fake_nats.hpp"
#include "tests/support/nats_server.hpp"

namespace evo::test {
namespace {

/// The pair of NATS' own documentation. Its signature of "evo23" begins with a zero byte, that of "evo1" does
/// not.
constexpr const char* public_key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
constexpr const char* seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr const char* zero_first = "evo23";
constexpr const char* other = "evo1";

class Nonce : public testing::Test {
 protected:
  void SetUp() override {
    try {
      static_cast<void>(nats::load_library());
    } catch (const model::Exception& error) {
      GTEST_SKIP() << error.what();
    }
    std::string name = (fs::temp_directory_path() / "evo-nonce-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(file()) << seed << "\n" << public_key << "\n";
    fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] fs::path file() const { return folder_ / "key"; }
  [[nodiscard]] nats::Access access(const FakeNats& server) const {
    return nats::access_of(server.url(), file().string(), "");
  }

  fs::path folder_;
};

TEST_F(Nonce, OfWhichTheSignatureBeginsWithZeroIsAskedForAgain) {
  FakeNats server({{zero_first}, {other}});
  EXPECT_NO_THROW(nats::Connection{access(server)});
  EXPECT_EQ(server.gone, 1);
  EXPECT_EQ(server.with_signature, 1);
  EXPECT_EQ(server.without, 0) << "which a server refuses";
}

TEST_F(Nonce, IsAskedForAgainWhenAConnectionComesBack) {
  FakeNats server({{other, "", true}, {zero_first}, {other}});
  const nats::Connection connection(access(server));
  for (int looks = 0; looks < 500 && server.with_signature < 2; ++looks) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(server.with_signature, 2);
  EXPECT_EQ(server.without, 0);
}

TEST_F(Nonce, OfOneWordAloneEndsAtLast) {
  FakeNats server({Greeting{zero_first}});
  EXPECT_THROW(nats::Connection{access(server)}, model::Exception);
  EXPECT_EQ(server.without, 0);
}

TEST_F(Nonce, IsNotSignedWithAKeyThatOthersMayRead) {
  FakeNats server({Greeting{other}});
  const nats::Access mine = access(server);
  EXPECT_NO_THROW(nats::Connection{mine});
  fs::permissions(file(), fs::perms::others_read, fs::perm_options::add);
  EXPECT_THROW(nats::Connection{mine}, model::Exception);
  EXPECT_EQ(server.with_signature, 1);
}

TEST_F(Nonce, AServerThatHadNoTimeToHearWhoItIsIsWaitedFor) {
  FakeNats server({{other, "Authentication Timeout"}, {other}});
  nats::Access patient = access(server);
  patient.wait = 60s;
  EXPECT_NO_THROW(nats::Connection{patient});
  EXPECT_EQ(server.with_signature, 2);
  FakeNats refuses({Greeting{other, "Authorization Violation"}});
  patient.url = refuses.url();
  EXPECT_THROW(nats::Connection{patient}, model::Exception) << "at once";
  EXPECT_EQ(refuses.with_signature, 1);
}

}  // namespace
}  // namespace evo::test
