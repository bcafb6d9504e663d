// The process that runs under compute-sanitizer. It talks to the driver alone: every buffer is an allocation
// of its own and of its exact size, so that memcheck sees an access past its end.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/agreement/launch_folder.hpp"
#include "evaluators/devices/cuda/driver_api.hpp"

namespace evo::bench {
namespace {

namespace fs = std::filesystem;
namespace cuda = evaluators::cuda;

/// A launch that takes longer hangs: its barrier waits for threads that never come.
constexpr std::chrono::seconds longest_launch{20};

struct Refused {
  std::string why;
};

std::string read_bytes(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Refused{"cannot read " + file.string()};
  return {std::istreambuf_iterator<char>(stream), {}};
}

void say(const std::string& line) {
  std::printf("evo-launch %s\n", line.c_str());
  std::fflush(stdout);
}

class Launcher {
 public:
  explicit Launcher(const cuda::DriverApi& driver) : driver_(driver) {
    CUdevice device = 0;
    check(driver_.device_get(&device, 0), "device");
    check(driver_.context_retain(&context_, device), "context");
    check(driver_.context_make_current(context_), "context");
  }

  void run(const fs::path& folder, int index) {
    const std::string cubin = read_bytes(folder / fmt::format("{:03}.cubin", index));
    std::istringstream plan(read_bytes(folder / fmt::format("{:03}.launches", index)));
    CUmodule module = nullptr;
    check(driver_.module_load(&module, cubin.data()), "module");
    CUfunction function = nullptr;
    std::string word;
    unsigned shape[7] = {};
    bool open = false;
    while (plan >> word) {
      if (word == "entry") {
        plan >> word;
        check(driver_.module_function(&function, module, word.c_str()), "entry");
      } else if (word == "case") {
        if (open) launch(function, shape);
        for (unsigned& value : shape) plan >> value;
        open = true;
      } else if (word == "scalar") {
        plan >> word;
        std::vector<unsigned char> bytes;
        for (std::size_t i = 0; i + 1 < word.size(); i += 2)
          bytes.push_back(static_cast<unsigned char>(std::stoi(word.substr(i, 2), nullptr, 16)));
        arguments_.push_back(std::move(bytes));
      } else if (word == "buffer") {
        std::size_t bytes = 0, shift = 0;
        plan >> bytes >> shift >> word;
        add_buffer(folder, bytes, shift, word);
      }
    }
    if (open) launch(function, shape);
    check(driver_.module_unload(module), "unload");
  }

 private:
  void check(CUresult result, const char* what) const {
    if (result != CUDA_SUCCESS) throw Refused{fmt::format("{}: {}", what, cuda::describe(driver_, result))};
  }

  void add_buffer(const fs::path& folder, std::size_t bytes, std::size_t shift, const std::string& file) {
    CUdeviceptr base = 0;
    check(driver_.memory_allocate(&base, shift + std::max<std::size_t>(bytes, 1)), "memory");
    buffers_.push_back(base);
    const CUdeviceptr address = base + shift;
    if (file == "-") {
      check(driver_.fill_bytes(address, 0xff, std::max<std::size_t>(bytes, 1), nullptr), "fill");
    } else {
      inputs_.push_back(read_bytes(folder / file));
      check(driver_.copy_to_device(address, inputs_.back().data(), inputs_.back().size(), nullptr), "copy");
    }
    const auto* first = reinterpret_cast<const unsigned char*>(&address);
    arguments_.emplace_back(first, first + sizeof address);
  }

  void launch(CUfunction function, const unsigned (&s)[7]) {
    check(driver_.function_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         static_cast<int>(s[6])),
          "shared memory");
    std::vector<void*> pointers;
    for (std::vector<unsigned char>& argument : arguments_) pointers.push_back(argument.data());
    CUevent done = nullptr;
    check(driver_.event_create(&done, CU_EVENT_DISABLE_TIMING), "event");
    check(
        driver_.launch(function, s[0], s[1], s[2], s[3], s[4], s[5], s[6], nullptr, pointers.data(), nullptr),
        "launch");
    check(driver_.event_record(done, nullptr), "event");
    const auto start = std::chrono::steady_clock::now();
    CUresult state = driver_.event_query(done);
    while (state == CUDA_ERROR_NOT_READY) {
      if (std::chrono::steady_clock::now() - start > longest_launch)
        throw Refused{"hang: the launch never ends"};
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      state = driver_.event_query(done);
    }
    check(state, "kernel");
    check(driver_.event_destroy(done), "event");
    for (const CUdeviceptr buffer : buffers_) check(driver_.memory_free(buffer), "free");
    buffers_.clear();
    inputs_.clear();
    arguments_.clear();
  }

  const cuda::DriverApi& driver_;
  CUcontext context_ = nullptr;
  std::vector<CUdeviceptr> buffers_;
  std::vector<std::string> inputs_;  ///< of copies that may be under way
  std::vector<std::vector<unsigned char>> arguments_;
};

}  // namespace

int launch_folder(const fs::path& folder, int first, int last) {
  const auto driver = cuda::load_driver();
  if (!driver) {
    say("failed -1 " + driver.error());
    return 4;
  }
  int index = first;
  try {
    Launcher launcher(**driver);
    for (; index <= last; ++index) {
      std::error_code ignored;
      if (!fs::exists(folder / fmt::format("{:03}.cubin", index), ignored)) continue;  // did not compile
      say(fmt::format("begin {}", index));
      launcher.run(folder, index);
      say(fmt::format("end {}", index));
    }
  } catch (const Refused& refused) {
    say(fmt::format("failed {} {}", index, refused.why));
    std::_Exit(3);  // a context with a fault or a hang cannot be torn down
  }
  return 0;
}

}  // namespace evo::bench
