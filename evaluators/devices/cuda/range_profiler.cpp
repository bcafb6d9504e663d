#include "evaluators/devices/cuda/range_profiler.hpp"

#include <fmt/format.h>

#include "evaluators/devices/cuda/context.hpp"

namespace evo::evaluators::cuda {

namespace {

/// A chip's counters take a dozen passes; a work that has not ended by then never will.
constexpr int most_repetitions = 200;

}  // namespace

tl::expected<std::unique_ptr<RangeProfiler>, NoCounters> RangeProfiler::open(
    cupti::ApiPointer api, CUcontext context, int ordinal, const std::vector<std::string>& metrics) {
  std::unique_ptr<RangeProfiler> profiler(new RangeProfiler(std::move(api), context));
  if (auto done = profiler->set_up(ordinal, metrics); !done) return tl::unexpected(done.error());
  return profiler;
}

RangeProfiler::~RangeProfiler() {
  if (ranges_ != nullptr) {
    cupti::OnRanges disable;
    disable.ranges = ranges_;
    api_->disable(&disable);
  }
  if (host_ != nullptr) {
    cupti::HostDeinitialize gone;
    gone.host = host_;
    api_->host_deinitialize(&gone);
  }
  if (initialized_) {
    cupti::Initialize end;
    api_->deinitialize(&end);
  }
}

NoCounters RangeProfiler::refused(cupti::Result result, const char* call) const {
  NoCounters why;
  why.not_permitted = result == cupti::not_permitted || result == cupti::not_permitted_in_guest;
  why.reason = fmt::format("{}: {}", call, cupti::describe(*api_, result));
  return why;
}

std::vector<const char*> RangeProfiler::names() const {
  std::vector<const char*> list;
  for (const std::string& metric : metrics_) list.push_back(metric.c_str());
  return list;
}

tl::expected<void, NoCounters> RangeProfiler::set_up(int ordinal, const std::vector<std::string>& metrics) {
  cupti::Initialize begin;
  if (const auto r = api_->initialize(&begin)) return tl::unexpected(refused(r, "cuptiProfilerInitialize"));
  initialized_ = true;
  cupti::ChipName chip;
  chip.device = static_cast<std::size_t>(ordinal);
  if (const auto r = api_->chip_name(&chip)) return tl::unexpected(refused(r, "cuptiDeviceGetChipName"));
  chip_ = chip.chip;
  // What this board and driver let be counted; a chip that CUPTI does not know by its name needs it.
  cupti::CounterAvailability available;
  available.context = context_;
  if (const auto r = api_->counter_availability(&available))
    return tl::unexpected(refused(r, "cuptiProfilerGetCounterAvailability"));
  availability_.resize(available.image_bytes);
  available.image = availability_.data();
  if (const auto r = api_->counter_availability(&available))
    return tl::unexpected(refused(r, "cuptiProfilerGetCounterAvailability"));
  cupti::HostInitialize host;
  host.chip = chip_.c_str();
  host.availability = availability_.data();
  if (const auto r = api_->host_initialize(&host))
    return tl::unexpected(refused(r, "cuptiProfilerHostInitialize"));
  host_ = host.host;
  if (auto done = add_metrics(metrics); !done) return done;
  cupti::Enable enable;
  enable.context = context_;
  if (const auto r = api_->enable(&enable)) return tl::unexpected(refused(r, "cuptiRangeProfilerEnable"));
  ranges_ = enable.ranges;
  return {};
}

tl::expected<void, NoCounters> RangeProfiler::add_metrics(const std::vector<std::string>& metrics) {
  for (const std::string& metric : metrics) {
    cupti::MetricProperties known;
    known.host = host_;
    known.metric = metric.c_str();
    if (api_->metric_properties(&known) == cupti::success) metrics_.push_back(metric);
  }
  if (metrics_.empty())
    return tl::unexpected(NoCounters{false, fmt::format("CUPTI has none of the counters on {}", chip_)});
  std::vector<const char*> list = names();
  cupti::AddMetrics add;
  add.host = host_;
  add.metrics = list.data();
  add.count = list.size();
  if (const auto r = api_->add_metrics(&add))
    return tl::unexpected(refused(r, "cuptiProfilerHostConfigAddMetrics"));
  cupti::ConfigImageSize size;
  size.host = host_;
  if (const auto r = api_->config_image_size(&size))
    return tl::unexpected(refused(r, "cuptiProfilerHostGetConfigImageSize"));
  config_.resize(size.bytes);
  cupti::ConfigImage image;
  image.host = host_;
  image.bytes = config_.size();
  image.image = config_.data();
  if (const auto r = api_->config_image(&image))
    return tl::unexpected(refused(r, "cuptiProfilerHostGetConfigImage"));
  return {};
}

tl::expected<std::vector<std::vector<double>>, NoCounters> RangeProfiler::count(
    std::size_t kernels, const std::function<bool()>& work) {
  std::vector<const char*> list = names();
  cupti::CounterDataSize size;
  size.ranges = ranges_;
  size.metrics = list.data();
  size.count = list.size();
  size.most_ranges = kernels;
  size.most_nodes = static_cast<std::uint32_t>(kernels);
  if (const auto r = api_->counter_data_size(&size))
    return tl::unexpected(refused(r, "cuptiRangeProfilerGetCounterDataSize"));
  std::vector<std::uint8_t> data(size.bytes);
  cupti::InitializeCounterData fresh;
  fresh.ranges = ranges_;
  fresh.bytes = data.size();
  fresh.counter_data = data.data();
  if (const auto r = api_->counter_data_initialize(&fresh))
    return tl::unexpected(refused(r, "cuptiRangeProfilerCounterDataImageInitialize"));
  cupti::SetConfig config;
  config.ranges = ranges_;
  config.config_bytes = config_.size();
  config.config = config_.data();
  config.counter_data_bytes = data.size();
  config.counter_data = data.data();
  config.range_mode = cupti::range_around_each_kernel;
  // CUPTI's own replay saves and restores memory between two repetitions, which cools the caches; so the work
  // is repeated here, each time behind itself.
  config.replay_mode = cupti::user_replay;
  config.most_ranges_a_pass = kernels;
  if (const auto r = api_->set_config(&config))
    return tl::unexpected(refused(r, "cuptiRangeProfilerSetConfig"));
  cupti::Stop stop;
  stop.ranges = ranges_;
  for (int i = 0; i < most_repetitions && stop.all_submitted == 0; ++i) {
    cupti::OnRanges start;
    start.ranges = ranges_;
    if (const auto r = api_->start(&start)) return tl::unexpected(refused(r, "cuptiRangeProfilerStart"));
    const bool worked = work();
    if (const auto r = api_->stop(&stop)) return tl::unexpected(refused(r, "cuptiRangeProfilerStop"));
    if (!worked) return {};
  }
  cupti::OnRanges decode;
  decode.size = sizeof(cupti::OnRanges);
  decode.ranges = ranges_;
  if (const auto r = api_->decode(&decode)) return tl::unexpected(refused(r, "cuptiRangeProfilerDecodeData"));
  cupti::CounterDataInfo info;
  info.counter_data = data.data();
  info.bytes = data.size();
  if (const auto r = api_->counter_data_info(&info))
    return tl::unexpected(refused(r, "cuptiRangeProfilerGetCounterDataInfo"));
  if (info.ranges != kernels || decode.out != 0)
    return tl::unexpected(
        NoCounters{false, fmt::format("CUPTI counted {} launches, and {} were made", info.ranges, kernels)});
  std::vector<std::vector<double>> rows;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    std::vector<double>& row = rows.emplace_back(list.size());
    cupti::Evaluate evaluate;
    evaluate.host = host_;
    evaluate.counter_data = data.data();
    evaluate.counter_data_bytes = data.size();
    evaluate.range = kernel;
    evaluate.metrics = list.data();
    evaluate.count = list.size();
    evaluate.values = row.data();
    if (const auto r = api_->evaluate(&evaluate))
      return tl::unexpected(refused(r, "cuptiProfilerHostEvaluateToGpuValues"));
  }
  return rows;
}

void tell_profiler(const CudaContext& context, bool begins) {
  tell_profiler(context.driver(), begins);
}

tl::expected<std::unique_ptr<LaunchCounters>, NoCounters> open_launch_counters(
    CudaContext& context, int ordinal, const std::vector<std::string>& metrics) {
  auto api = cupti::load();
  if (!api) return tl::unexpected(NoCounters{false, api.error()});
  auto profiler = RangeProfiler::open(std::move(*api), context.handle(), ordinal, metrics);
  if (!profiler) return tl::unexpected(profiler.error());
  return std::move(*profiler);
}

}  // namespace evo::evaluators::cuda
