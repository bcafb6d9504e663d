#include "evaluators/devices/cuda/pc_sampler.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "evaluators/devices/cuda/context.hpp"

namespace evo::evaluators::cuda {
namespace {

/// Per GPU: a round of a few launches fills a small part of it.
constexpr std::size_t hardware_bytes = std::size_t{256} << 20, scratch_bytes = std::size_t{32} << 20;
/// Answers without an end would be a fault of CUPTI's.
constexpr int most_answers = 10000;
/// CUPTI's threads put what the hardware wrote to instructions; they wake so often.
constexpr std::chrono::milliseconds wakes{5}, decoded_within{25};

/// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" is "long_scoreboard". Samples in which the scheduler
/// issued from no warp at all are told again under names of their own, which end so: they would count twice.
std::string short_name(std::string_view name) {
  if (name.ends_with("_not_issued")) return {};
  for (const std::string_view before : {std::string_view("issue_stalled_"), std::string_view("stalled_")}) {
    if (const std::size_t at = name.find(before); at != std::string_view::npos)
      return std::string(name.substr(at + before.size()));
  }
  return {};
}

}  // namespace

void PcSampler::Buffer::resize(std::size_t count, std::size_t reasons) {
  pcs.assign(count, {});
  stalls.assign(count * reasons, {});
  for (std::size_t i = 0; i < count; ++i) pcs[i].stalls = &stalls[i * reasons];
  data = {};
  data.room = count;
  data.pcs = pcs.data();
}

PcSampler::PcSampler(cupti::ApiPointer api, CUcontext context, std::string cubin, PcSamplerSettings settings)
    : api_(std::move(api)), context_(context), cubin_(std::move(cubin)), settings_(settings) {}

tl::expected<std::unique_ptr<PcSampler>, NoCounters> PcSampler::open(cupti::ApiPointer api, CUcontext context,
                                                                     std::string cubin,
                                                                     std::set<std::string> kernels,
                                                                     PcSamplerSettings settings) {
  std::unique_ptr<PcSampler> sampler(new PcSampler(std::move(api), context, std::move(cubin), settings));
  sampler->kernels_ = std::move(kernels);
  if (auto done = sampler->set_up(); !done) return tl::unexpected(done.error());
  return sampler;
}

PcSampler::~PcSampler() {
  if (!enabled_) return;
  cupti::OnContext disable;
  disable.context = context_;
  api_->sampling_disable(&disable);
}

NoCounters PcSampler::refused(cupti::Result result, const char* call) const {
  NoCounters why;
  why.not_permitted = result == cupti::not_permitted || result == cupti::not_permitted_in_guest;
  why.reason = fmt::format("{}: {}", call, cupti::describe(*api_, result));
  return why;
}

tl::expected<void, NoCounters> PcSampler::set_up() {
  if (!api_->samples()) return tl::unexpected(NoCounters{false, api_->name + " has no PC sampling"});
  cupti::CubinCrc crc;
  crc.cubin = cubin_.data();
  crc.cubin_bytes = cubin_.size();
  if (const auto r = api_->cubin_crc(&crc)) return tl::unexpected(refused(r, "cuptiGetCubinCrc"));
  crc_ = crc.crc;
  cupti::OnContext enable;
  enable.context = context_;
  if (const auto r = api_->sampling_enable(&enable))
    return tl::unexpected(refused(r, "cuptiPCSamplingEnable"));
  enabled_ = true;
  if (auto done = name_reasons(); !done) return done;
  return configure();
}

tl::expected<void, NoCounters> PcSampler::name_reasons() {
  std::size_t count = 0;
  cupti::StallReasonCount counted;
  counted.context = context_;
  counted.count = &count;
  if (const auto r = api_->stall_reason_count(&counted))
    return tl::unexpected(refused(r, "cuptiPCSamplingGetNumStallReasons"));
  indices_.assign(count, 0);
  std::vector<char> text(count * cupti::stall_name_bytes);
  std::vector<char*> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(&text[i * cupti::stall_name_bytes]);
  cupti::StallReasons reasons;
  reasons.context = context_;
  reasons.count = count;
  reasons.indices = indices_.data();
  reasons.names = names.data();
  if (const auto r = api_->stall_reasons(&reasons))
    return tl::unexpected(refused(r, "cuptiPCSamplingGetStallReasons"));
  for (std::size_t i = 0; i < count; ++i) {
    text[(i + 1) * cupti::stall_name_bytes - 1] = '\0';
    if (std::string name = short_name(names[i]); !name.empty()) reasons_[indices_[i]] = std::move(name);
  }
  if (reasons_.empty())
    return tl::unexpected(NoCounters{false, "CUPTI knows no reasons for which a warp waits on this GPU"});
  return {};
}

tl::expected<void, NoCounters> PcSampler::configure() {
  using cupti::SamplingAttribute;
  at_the_end_.resize(settings_.pcs_at_a_time, indices_.size());
  now_.resize(settings_.pcs_at_a_time, indices_.size());
  std::vector<cupti::SamplingSetting> all;
  const auto set = [&](SamplingAttribute attribute) -> cupti::SamplingSetting& {
    cupti::SamplingSetting& one = all.emplace_back();
    one.attribute = attribute;
    return one;
  };
  set(SamplingAttribute::stall_reasons).stalls = {indices_.size(), indices_.data()};
  set(SamplingAttribute::period).number = settings_.log2_period;
  set(SamplingAttribute::hardware_bytes).bytes = hardware_bytes;
  set(SamplingAttribute::scratch_bytes).bytes = scratch_bytes;
  set(SamplingAttribute::buffer).buffer = &at_the_end_.data;
  set(SamplingAttribute::start_and_stop).number = 1;
  set(SamplingAttribute::mode).number = cupti::continuous_mode;
  set(SamplingAttribute::format).number = cupti::parsed_format;
  set(SamplingAttribute::wakes_ms).number = static_cast<std::uint32_t>(wakes.count());
  cupti::SamplingSettings settings;
  settings.context = context_;
  settings.count = all.size();
  settings.settings = all.data();
  const auto result = api_->sampling_set(&settings);
  if (result == cupti::success) return {};
  NoCounters why = refused(result, "cuptiPCSamplingSetConfigurationAttribute");
  for (const cupti::SamplingSetting& one : all) {
    if (one.status != cupti::success)
      why.reason += fmt::format(", attribute {}", static_cast<int>(one.attribute));
  }
  return tl::unexpected(std::move(why));
}

tl::expected<LaunchSamples, NoCounters> PcSampler::sample(const std::function<bool()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + settings_.longest;
  LaunchSamples found;
  std::map<Place, SampledPlace> places;
  std::uint64_t kept = 0;
  for (int round = 0; round < settings_.most_rounds; ++round) {
    cupti::OnContext range;
    range.context = context_;
    if (const auto r = api_->sampling_start(&range))
      return tl::unexpected(refused(r, "cuptiPCSamplingStart"));
    bool worked = true;
    for (int i = 0; worked && i < settings_.repetitions_a_round; ++i) {
      worked = work();
      ++found.repetitions;
    }
    // A context that a fault took down is asked for nothing more.
    if (!worked) return LaunchSamples{};
    if (const auto r = api_->sampling_stop(&range)) return tl::unexpected(refused(r, "cuptiPCSamplingStop"));
    std::this_thread::sleep_for(decoded_within);
    if (auto done = drain(places, found); !done) return tl::unexpected(done.error());
    kept = 0;
    for (const auto& place : places) {
      for (const auto& stall : place.second.stalls) kept += stall.second;
    }
    if (kept >= settings_.enough || Clock::now() >= until) break;
  }
  if (kept == 0)
    return tl::unexpected(
        NoCounters{false, fmt::format("CUPTI has no sample of the kernel in {} launches ({} samples in all, "
                                      "{} dropped)",
                                      found.repetitions, found.all, found.dropped)});
  for (auto& [key, place] : places) {
    find_line(place);
    found.places.push_back(std::move(place));
  }
  return found;
}

tl::expected<void, NoCounters> PcSampler::drain(std::map<Place, SampledPlace>& places, LaunchSamples& found) {
  for (int answer = 0; answer < most_answers; ++answer) {
    now_.data.pcs_here = now_.data.pcs_left = 0;
    now_.data.all_samples = now_.data.dropped = 0;
    cupti::GetSamples get;
    get.context = context_;
    get.data = &now_.data;
    const auto result = api_->sampling_data(&get);
    // Full: the oldest samples are there, the later ones are not.
    if (result != cupti::success && result != cupti::buffer_full)
      return tl::unexpected(refused(result, "cuptiPCSamplingGetData"));
    found.all += now_.data.all_samples;
    found.dropped += now_.data.dropped;
    // The names are not freed, though CUPTI's header asks for that: of CUDA 13.0 each later answer, and the
    // next sampler's, has the same pointer. What stays is one string for each kernel of the process.
    for (std::size_t i = 0; i < std::min(now_.data.pcs_here, now_.pcs.size()); ++i) add(now_.pcs[i], places);
    if (now_.data.pcs_here == 0 && now_.data.pcs_left == 0) break;
  }
  return {};
}

void PcSampler::add(const cupti::PcSamples& pc, std::map<Place, SampledPlace>& places) {
  // What other modules run beside it is not the kernel's. The driver may have loaded a copy of other bytes.
  if (pc.function == nullptr || (pc.cubin_crc != crc_ && !kernels_.contains(pc.function))) return;
  SampledPlace& place = places[{pc.function, pc.offset}];
  place.function = pc.function;
  place.offset = pc.offset;
  for (std::size_t i = 0; i < std::min(pc.stall_count, indices_.size()); ++i) {
    const auto reason = reasons_.find(pc.stalls[i].reason);
    if (reason != reasons_.end() && pc.stalls[i].samples > 0)
      place.stalls[reason->second] += pc.stalls[i].samples;
  }
}

void PcSampler::find_line(SampledPlace& place) const {
  cupti::SourceOfSass source;
  source.cubin = cubin_.data();
  source.cubin_bytes = cubin_.size();
  source.function = place.function.c_str();
  source.offset = place.offset;
  // It fails for a place that the line table does not have.
  if (api_->source_of_sass(&source) == cupti::success && source.file != nullptr) {
    place.file = source.folder == nullptr || *source.folder == '\0'
                     ? std::string(source.file)
                     : fmt::format("{}/{}", source.folder, source.file);
    place.line = static_cast<int>(source.line);
  }
  std::free(source.file);
  std::free(source.folder);
}

tl::expected<std::unique_ptr<LaunchSampler>, NoCounters> open_launch_sampler(
    CudaContext& context, const model::Artifact& artifact) {
  auto api = cupti::load();
  if (!api) return tl::unexpected(NoCounters{false, api.error()});
  std::set<std::string> kernels{artifact.entry};
  for (const model::FurtherKernel& other : artifact.others) kernels.insert(other.entry);
  auto sampler = PcSampler::open(std::move(*api), context.handle(), artifact.cubin, std::move(kernels));
  if (!sampler) return tl::unexpected(sampler.error());
  return std::move(*sampler);
}

}  // namespace evo::evaluators::cuda
