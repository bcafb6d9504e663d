#include "farm/code.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "farm/message.hpp"
#include "model/hash.hpp"

namespace evo::farm {
namespace {

using evaluators::gates::DeviceJob;

constexpr std::string_view mark = "sha256:";
constexpr std::size_t hash_digits = 64;
/// Shorter texts cost more to fetch than to carry; longer ones are no message with what stands around them.
constexpr std::size_t least_bytes = 1024, most_bytes = max_message_bytes - 1024;

std::vector<std::string*> code_of(DeviceJob& job) {
  std::vector<std::string*> all{&job.artifact.ptx, &job.artifact.cubin};
  if (job.opponent) {
    all.push_back(&job.opponent->artifact.ptx);
    all.push_back(&job.opponent->artifact.cubin);
  }
  return all;
}

/// Empty: the text names no code.
std::string hash_in(std::string_view text) {
  if (text.size() != mark.size() + hash_digits || !text.starts_with(mark)) return {};
  text.remove_prefix(mark.size());
  const bool digits =
      std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return digits ? std::string(text) : std::string();
}

}  // namespace

std::vector<Code> take_code_out(DeviceJob& job) {
  std::vector<Code> taken;
  for (std::string* text : code_of(job)) {
    if (text->size() < least_bytes || text->size() > most_bytes) continue;
    std::string hash = model::sha256(*text);
    std::string name = fmt::format("{}{}", mark, hash);
    taken.push_back({std::move(hash), std::move(*text)});
    *text = std::move(name);
  }
  return taken;
}

void put_code_back(DeviceJob& job, const FindCode& find) {
  for (std::string* text : code_of(job)) {
    const std::string hash = hash_in(*text);
    if (hash.empty()) continue;
    auto found = find(hash);
    if (!found)
      throw CodeMissing(
          fmt::format("the farm has no code of the hash {}, or its server lets a worker read none: one of an "
                      "older evo farm up has to be started again",
                      hash));
    *text = std::move(*found);
  }
}

std::optional<std::string> CodeCache::find(const std::string& hash, const FindCode& fetch) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto place = places_.find(hash); place != places_.end()) {
      kept_.splice(kept_.begin(), kept_, place->second);
      return place->second->bytes;
    }
  }
  auto fetched = fetch(hash);
  if (!fetched || model::sha256(*fetched) != hash) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (places_.contains(hash)) return fetched;  // another thread was faster
  kept_.push_front({hash, *fetched});
  places_.emplace(hash, kept_.begin());
  bytes_ += fetched->size();
  while (bytes_ > most_bytes_ && kept_.size() > 1) {
    bytes_ -= kept_.back().bytes.size();
    places_.erase(kept_.back().hash);
    kept_.pop_back();
  }
  return fetched;
}

std::size_t CodeCache::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace evo::farm
