// The part of a self-test that depends on no problem.
#include "export/selftest_writer.hpp"

namespace evo::exporting {
namespace {

// What does not depend on the problem.
constexpr const char* harness = R"(
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t check_result = (call);                                                          \
    if (check_result != cudaSuccess) {                                                                \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_result)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

template <class T>
double to_number(T value) { return static_cast<double>(value); }
inline double to_number(__half value) { return static_cast<double>(static_cast<float>(value)); }
inline double to_number(__nv_bfloat16 value) { return static_cast<double>(static_cast<float>(value)); }
template <class T>
T from_number(float value) {
  if constexpr (std::is_integral<T>::value) return static_cast<T>(static_cast<long long>(value * 4));
  else return static_cast<T>(value);
}

/// A strided array on the host and on the device. Between its strides it may hold elements that belong to no
/// index.
template <class T>
struct Array {
  std::vector<long long> shape, strides;
  std::vector<T> host;
  T* device = nullptr;

  Array(std::vector<long long> shape_, std::vector<long long> strides_)
      : shape(std::move(shape_)), strides(std::move(strides_)) {
    long long extent = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) extent = shape[i] == 0 ? 0 : extent + (extent > 0 ? (shape[i] - 1) * strides[i] : 0);
    host.resize(static_cast<std::size_t>(extent));
    CHECK(cudaMalloc(reinterpret_cast<void**>(&device), bytes()));
    std::memset(static_cast<void*>(host.data()), 0xff, bytes());  // not-a-number in every float type
    upload();
  }
  ~Array() { cudaFree(device); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::size_t bytes() const { return host.size() * sizeof(T); }
  void upload() { CHECK(cudaMemcpy(device, host.data(), bytes(), cudaMemcpyHostToDevice)); }
  void download() { CHECK(cudaMemcpy(host.data(), device, bytes(), cudaMemcpyDeviceToHost)); }
  void randomise(unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (auto& element : host) element = from_number<T>(normal(generator));
    upload();
  }
  /// The same numbers in another type.
  template <class From>
  void take(const Array<From>& other) {
    for (std::size_t at = 0; at < host.size(); ++at) host[at] = static_cast<T>(to_number(other.host[at]));
    upload();
  }
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<long long> index(shape.size(), 0);
    for (const long long size : shape) {
      if (size <= 0) return;
    }
    while (true) {
      long long offset = 0;
      for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
      visit(static_cast<std::size_t>(offset));
      std::size_t at = index.size();
      while (at > 0 && ++index[at - 1] == shape[at - 1]) index[--at] = 0;
      if (at == 0) return;
    }
  }
};

/// Half a unit in the last place of T at `value`.
template <class T>
double half_ulp(double value) {
  if (std::is_integral<T>::value) return 0;
  const int precision = sizeof(T) == 2 ? (to_number(from_number<T>(1.00390625f)) == 1.0 ? 8 : 11) : sizeof(T) == 4 ? 24 : 53;
  const int lowest = precision == 11 ? -14 : -126;
  const int exponent = value == 0 || !std::isfinite(value) ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, exponent - precision);
}

/// Prints the errors of one output; false if they exceed the accuracy class, or if an element outside was
/// written.
template <class T, class E>
bool agree(const char* name, Array<T>& result, Array<E>& expected) {
  result.download();
  expected.download();
  double error2 = 0, reference2 = 0, worst = 0;
  long long count = 0;
  bool finite = true;
  std::vector<bool> addressed(result.host.size(), false);
  result.for_each([&](std::size_t at) {
    addressed[at] = true;
    const double got = to_number(result.host[at]), want = to_number(expected.host[at]);
    finite = finite && std::isfinite(got);
    error2 += (got - want) * (got - want);
    reference2 += want * want;
    // The rounding of the output's own type is no error of the kernel.
    worst = std::fmax(worst, std::fabs(got - want) - half_ulp<T>(want));
    ++count;
  });
  bool inside = true;
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(result.host.data());
  for (std::size_t at = 0; at < addressed.size(); ++at) {
    if (addressed[at]) continue;
    for (std::size_t b = 0; b < sizeof(T); ++b) inside = inside && bytes[at * sizeof(T) + b] == 0xff;
  }
  const double frobenius = std::sqrt(error2 / std::fmax(reference2, 1e-300));
  const double over_rms = worst / std::fmax(std::sqrt(reference2 / static_cast<double>(count)), 1e-300);
  std::printf("  %s: max error %.3g (%.3g of rms, bound %.3g), relative error %.3g (bound %.3g)%s%s\n", name,
              worst, over_rms, max_abs_over_rms, frobenius, relative_frobenius, finite ? "" : ", NOT FINITE",
              inside ? "" : ", WROTE OUTSIDE OF THE ARRAY");
  return finite && inside && over_rms <= max_abs_over_rms && frobenius <= relative_frobenius;
}
)";

}  // namespace

const char* selftest_harness() {
  return harness;
}

}  // namespace evo::exporting
