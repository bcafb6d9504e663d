#include "farm/nats/crowd.hpp"

#include <fmt/format.h>

#include "farm/nats/streams.hpp"

namespace evo::farm::nats {
namespace {

/// Whoever may say that somebody is there may say so of many.
constexpr std::size_t most_parties = 4096;

}  // namespace

LiveCrowd::LiveCrowd(Jetstream& jetstream)
    : jetstream_(jetstream), signs_(jetstream.connection().subscribe(all_signs)) {
  for (const Signed& sign : present(jetstream)) note(sign);
}

void LiveCrowd::note(const Signed& sign) {
  auto& party = sign.party == Party::worker ? workers_ : runs_;
  if (sign.left) {
    party.erase(sign.name);
    return;
  }
  if (party.size() >= most_parties && !party.contains(sign.name)) return;
  party[sign.name] = {sign.threads, Clock::now()};
}

void LiveCrowd::hear() {
  // Whoever shouts without a pause is not listened to for ever.
  for (std::size_t signs = 0; signs < most_parties; ++signs) {
    const auto heard = signs_->next(std::chrono::milliseconds(1));
    if (!heard) break;
    if (const auto sign = sign_of(heard->subject, heard->data)) note(*sign);
  }
  const auto gone = [oldest = Clock::now() - sign_time](const auto& seen) { return seen.second.at < oldest; };
  std::erase_if(workers_, gone);
  std::erase_if(runs_, gone);
}

Crowd LiveCrowd::of(const std::string& run) {
  const auto stored = jetstream_.api(fmt::format("STREAM.INFO.{}", presence_stream));
  if (!stored && stored.error().code == stream_not_found) make_streams(jetstream_);
  hear();
  Crowd crowd;
  for (const auto& worker : workers_) {
    for (const auto& [line, threads] : worker.second.threads) crowd.threads[line] += threads;
  }
  crowd.others = static_cast<int>(runs_.size() - runs_.count(run));
  return crowd;
}

}  // namespace evo::farm::nats
