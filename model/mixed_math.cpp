#include "model/mixed_math.hpp"

#include <fmt/format.h>

namespace evo::model {
namespace {

std::string overloads(const char* name) {
  std::string text;
  for (const char* parameters : {"double a, float b", "float a, double b"}) {
    text += fmt::format(
        "__host__ __device__ inline double {0}({1}) {{ return {0}(static_cast<double>(a), "
        "static_cast<double>(b)); }}\n",
        name, parameters);
  }
  return text;
}

/// fmin(x, 255): an int goes to float as well as to double, so that the overloads above would be a choice.
std::string with_integers(const char* name) {
  std::string text;
  for (const char* real : {"double", "float"}) {
    for (const char* whole :
         {"int", "unsigned", "long", "unsigned long", "long long", "unsigned long long"}) {
      const std::string first = fmt::format("{} a, {} b", real, whole);
      const std::string second = fmt::format("{} a, {} b", whole, real);
      for (const std::string& parameters : {first, second}) {
        text += fmt::format(
            "__host__ __device__ inline double {0}({1}) {{ return {0}(static_cast<double>(a), "
            "static_cast<double>(b)); }}\n",
            name, parameters);
      }
    }
  }
  return text;
}

}  // namespace

std::string mixed_math() {
  std::string text;
  for (const char* name : {"pow", "fmax", "fmin", "fmod", "atan2", "hypot", "fdim", "remainder"})
    text += overloads(name);
  for (const char* name : {"fmax", "fmin", "fmod", "atan2"}) text += with_integers(name);
  return text + "#ifdef __CUDACC_RTC__\n" + overloads("copysign") + "#endif\n";
}

}  // namespace evo::model
