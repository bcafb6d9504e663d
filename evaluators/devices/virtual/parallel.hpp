// Workers of one launch.
#pragma once

#include <cstddef>
#include <functional>

namespace evo::evaluators::virtual_device {

/// Host threads that a launch started here may use.
[[nodiscard]] std::size_t available_workers();

/// Calls work(0) .. work(count - 1), some or all of them at the same time, and returns when all have
/// returned. Under the thread sanitizer the workers are threads of their own: it cannot see into TBB's
/// scheduler, and would have to be told to look away from all that runs under it.
void run_workers(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace evo::evaluators::virtual_device
