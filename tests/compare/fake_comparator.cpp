// A comparator for vector_add that behaves as its argument says: good, dies, hangs, nonsense, wrong, short,
// negative, refuses, no_hello, warm (it never empties an L2).
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>

#include "evaluators/process/child.hpp"

namespace json = boost::json;
namespace process = evo::evaluators::process;

namespace {

std::vector<float> read_floats(const json::value& file) {
  std::ifstream stream(std::string(file.as_string()), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

void compute(const json::object& request, const std::string& mode) {
  const json::object& files = request.at("files").as_object();
  const auto a = read_floats(files.at("a"));
  auto c = read_floats(files.at("b"));
  for (std::size_t i = 0; i < c.size(); ++i) c[i] += a[i];
  if (mode == "wrong") c[3] += 1;
  if (mode == "short") c.pop_back();
  std::ofstream stream(std::string(files.at("c").as_string()), std::ios::binary);
  stream.write(reinterpret_cast<const char*>(c.data()),
               static_cast<std::streamsize>(c.size() * sizeof(float)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "good";
  const auto say = [](const json::object& answer) {
    (void)process::write_stdout_frame(json::serialize(answer));
  };
  while (const auto frame = process::read_stdin_frame()) {
    const json::object request = json::parse(*frame).as_object();
    const std::string op(request.at("op").as_string());
    if (op == "hello") {
      if (mode == "no_hello") {
        say({{"ok", false}, {"reason", "no library here"}});
      } else {
        say({{"ok", true},
             {"name", "Fake 1.0"},
             {"uuid", "GPU-1"},
             {"backends", {"one", "two"}},
             {"skip_in_sweep", json::array{"two"}}});
      }
    } else if (op == "prepare") {
      if (mode == "refuses" && request.at("backend") == "two") {
        say({{"ok", false}, {"reason", "two takes no such shape"}});
        continue;
      }
      compute(request, mode);
      say({{"ok", true}});
    } else if (op == "time") {
      if (mode == "dies") {
        std::fputs("out of luck\n", stderr);
        return 3;
      }
      if (mode == "hangs") std::this_thread::sleep_for(std::chrono::hours(1));
      if (mode == "nonsense") {
        (void)process::write_stdout_frame("not json");
        continue;
      }
      const auto count = request.at("samples").to_number<int>();
      json::array samples;
      for (int i = 0; i < count; ++i) samples.emplace_back(mode == "negative" ? -1.0 : 7.0 + i);
      const bool emptied = mode != "warm" && request.at("emptying_bytes").to_number<int>() > 0;
      say({{"ok", true}, {"samples_us", std::move(samples)}, {"emptied", emptied}});
    } else {
      say({{"ok", true}});
    }
  }
}
