// What is said while a command takes its time.
#include "terminal/waiting.hpp"

#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <unistd.h>

namespace evo::terminal {
namespace {

using namespace std::chrono_literals;

class Listener {
 public:
  Waiting::Say say() {
    return [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(text);
      told_.notify_all();
    };
  }
  /// Returns when there are as many lines.
  std::vector<std::string> lines(std::size_t count) {
    std::unique_lock lock(mutex_);
    told_.wait(lock, [&] { return lines_.size() >= count; });
    return lines_;
  }

  /// Returns when there is a line with the word.
  std::string line_with(const std::string& word) {
    std::unique_lock lock(mutex_);
    told_.wait(lock, [&] { return !lines_.empty() && lines_.back().find(word) != std::string::npos; });
    return lines_.back();
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<std::string> lines_;
};

bool names(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

TEST(Waiting, APhaseThatGoesOnIsToldAgainAndAgain) {
  Listener listener;
  Waiting waiting(listener.say(), 5ms);
  waiting.on("compiling k.cu");
  for (const std::string& line : listener.lines(3)) EXPECT_TRUE(names(line, "compiling k.cu")) << line;
}

// It is for the thread that waits for it, though that one be set up later.
TEST(Waiting, ItsThreadTakesNoSignal) {
  struct sigaction nothing {
  }, usual{};
  nothing.sa_handler = [](int) {};
  sigaction(SIGUSR1, &nothing, &usual);
  Listener listener;
  Waiting waiting(listener.say(), 1h);
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  EXPECT_FALSE(sigismember(&before, SIGUSR1)) << "the caller's are as they were";
  kill(getpid(), SIGUSR1);
  std::this_thread::sleep_for(200ms);  // whoever else may take it has
  const timespec soon{5, 0};
  EXPECT_EQ(sigtimedwait(&one, nullptr, &soon), SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  sigaction(SIGUSR1, &usual, nullptr);
}

TEST(Waiting, TheLatestPhaseIsTold) {
  Listener listener;
  Waiting waiting(listener.say(), 5ms);
  waiting.on("first");
  (void)listener.lines(1);
  waiting.on("second");
  EXPECT_TRUE(names(listener.line_with("second"), "second"));
}

TEST(Waiting, HowFarItHasComeIsToldUntilAnotherPhaseBegins) {
  Listener listener;
  Waiting waiting(listener.say(), 5ms);
  waiting.on("first");
  waiting.so_far("57 experiments");
  EXPECT_TRUE(names(listener.line_with("57 experiments"), "first"));
  waiting.on("second");
  EXPECT_FALSE(names(listener.line_with("second"), "57 experiments"));
}

TEST(Waiting, NobodyHearsOfShortPhasesOrWithoutAny) {
  Listener listener;
  {
    Waiting waiting(listener.say(), 1h);
    waiting.on("long, and over soon");
    waiting.heard();
  }
  {
    Waiting waiting(listener.say(), 1ms);
    waiting.on("");
    std::this_thread::sleep_for(20ms);
  }
  { Waiting waiting(Waiting::Say(), 1ms); }
  EXPECT_TRUE(listener.lines(0).empty());
}

TEST(Waiting, QuietIsQuiet) {
  CommonOptions common;
  common.quiet = true;
  Waiting waiting(common);
  waiting.on("nothing");
}

}  // namespace
}  // namespace evo::terminal
