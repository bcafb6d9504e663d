// The part of a self-test that depends on no problem.
#include "export/selftest_writer.hpp"

namespace evo::exporting {
namespace {

// What does not depend on the problem.
constexpr const char* harness = R"code(
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t check_result = (call);                                                          \
    if (check_result != cudaSuccess) {                                                                \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_result)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

template <class T>
double to_number(T value) {
  if constexpr (std::is_arithmetic<T>::value) return static_cast<double>(value);
  else return static_cast<double>(static_cast<float>(value));
}
template <class T>
T from_number(float value) {
  if constexpr (std::is_integral<T>::value) return static_cast<T>(static_cast<long long>(value * 4));
  else return static_cast<T>(value);
}

/// As an element of type T holds it.
template <class T>
double rounded(double value) {
  if constexpr (std::is_same<T, double>::value) return value;
  else return to_number(static_cast<T>(static_cast<float>(value)));
}

enum class Reduction { sum, max, min, sort };

/// Root of the mean square and the largest, in units of an output.
struct Errors {
  double rms = 0, largest = 0;
  void widen(const Errors& other) {
    rms = std::fmax(rms, other.rms);
    largest = std::fmax(largest, other.largest);
  }
  Errors scaled(double factor, double more) const { return {factor * rms + more, factor * largest + more}; }
};
inline Errors no_bound() { return {-1, -1}; }

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
  /// The same numbers, each up or down by `relative` of itself and rounded to From; what would leave
  /// [low, high] stays.
  template <class From>
  void move(const Array<From>& other, unsigned seed, double relative, double low = -HUGE_VAL, double high = HUGE_VAL) {
    std::mt19937 generator(seed);
    for (std::size_t at = 0; at < host.size(); ++at) {
      const double value = to_number(other.host[at]), sign = (generator() & 1) != 0 ? 1 : -1;
      const double moved = rounded<From>(value * (1 + sign * relative));
      host[at] = static_cast<T>(moved >= low && moved <= high ? moved : value);
    }
    upload();
  }
  /// As a kernel has a dense array of which it writes `count` slices.
  std::vector<long long> in_slices(long long count) const {
    std::vector<long long> all = shape;
    all.insert(all.begin(), count);
    return all;
  }
  std::vector<long long> slice_strides() const {
    std::vector<long long> all = strides;
    all.insert(all.begin(), static_cast<long long>(host.size()));
    return all;
  }
  /// What the slices of `other` make together, in double and then rounded; of an array in any order: in order.
  void reduce(Reduction how, Array& other) {
    other.download();
    const std::size_t slices = host.empty() ? 0 : other.host.size() / host.size();
    for (std::size_t at = 0; at < host.size(); ++at) {
      double all = to_number(other.host[at]);
      for (std::size_t slice = 1; slice < slices; ++slice) {
        const double one = to_number(other.host[slice * host.size() + at]);
        if (how == Reduction::sum) all += one;
        if (how == Reduction::max) all = all >= one || std::isnan(all) ? all : one;
        if (how == Reduction::min) all = all <= one || std::isnan(all) ? all : one;
      }
      if constexpr (std::is_arithmetic<T>::value) host[at] = static_cast<T>(all);
      else host[at] = static_cast<T>(static_cast<float>(all));
    }
    upload();
    if (how == Reduction::sort) sort();
  }
  /// NaNs, what nothing wrote among them, behind all numbers.
  void sort() {
    download();
    std::sort(host.begin(), host.end(), [](const T& a, const T& b) {
      const double x = to_number(a), y = to_number(b);
      return std::isnan(x) || std::isnan(y) ? !std::isnan(x) && std::isnan(y) : x < y;
    });
    upload();
  }
  /// The whole array, gaps included, as it was in memory.
  void read(std::FILE* file) {
    if (host.empty()) return;
    if (std::fread(static_cast<void*>(host.data()), sizeof(T), host.size(), file) != host.size()) {
      std::fprintf(stderr, "the recording is too short\n");
      std::exit(1);
    }
    upload();
  }
  /// Element i of a row-major walk over the shape gets make(i); the last dimension is a row.
  template <class Make>
  void set(Make make) {
    long long number = 0;
    for_each([&](std::size_t at) { host[at] = static_cast<T>(make(number++)); });
    upload();
  }
  long long row() const { return shape.empty() ? 1 : std::max(shape.back(), 1LL); }
  void clear() { std::fill(host.begin(), host.end(), static_cast<T>(0)); upload(); }
  void fill_normal(unsigned seed, double mean, double deviation) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal(0, 1);
    set([&](long long) { return mean + deviation * std::fmax(-4, std::fmin(4, normal(generator))); });
  }
  void fill_uniform(unsigned seed, double low, double high) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    set([&](long long) { return uniform(generator); });
  }
  void fill_integers(unsigned seed, double low, double high) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<long long> uniform(static_cast<long long>(low), static_cast<long long>(high));
    set([&](long long) { return uniform(generator); });
  }
  void fill_permutation(unsigned seed, double n) {
    std::mt19937 generator(seed);
    std::vector<long long> order(static_cast<std::size_t>(n));
    set([&](long long i) {
      const std::size_t place = static_cast<std::size_t>(i) % order.size();
      if (place == 0) {
        for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<long long>(k);
        std::shuffle(order.begin(), order.end(), generator);
      }
      return order[place];
    });
  }
  /// Each row ascends within [low, high]; with `ends`, from the one to the other.
  void fill_ascending(unsigned seed, double low, double high, bool ends) {
    std::mt19937 generator(seed);
    std::vector<double> sorted(static_cast<std::size_t>(row()));
    set([&](long long i) {
      const std::size_t place = static_cast<std::size_t>(i) % sorted.size();
      if (place == 0) {
        for (double& each : sorted) {
          each = std::is_integral<T>::value
                     ? static_cast<double>(std::uniform_int_distribution<long long>(
                           static_cast<long long>(low), static_cast<long long>(high))(generator))
                     : std::uniform_real_distribution<double>(low, high)(generator);
        }
        std::sort(sorted.begin(), sorted.end());
        if (ends) sorted.front() = low;
        if (ends && sorted.size() > 1) sorted.back() = high;
      }
      return sorted[place];
    });
  }
  void fill_sorted(unsigned seed, double low, double high) { fill_ascending(seed, low, high, false); }
  void fill_offsets(unsigned seed, double last) { fill_ascending(seed, 0, last, true); }
  void fill_zipf(unsigned seed, double n, double s) {
    std::mt19937 generator(seed);
    std::vector<double> weights;
    for (double k = 1; k <= n; ++k) weights.push_back(std::pow(k, -s));
    std::discrete_distribution<long long> zipf(weights.begin(), weights.end());
    set([&](long long) { return zipf(generator); });
  }
  void fill_constant(unsigned, double value) {
    set([&](long long) { return value; });
  }
  void fill_ramp(unsigned, double start, double step) {
    set([&](long long i) { return start + step * static_cast<double>(i); });
  }
  /// Whole numbers of [low, high], none twice.
  void fill_distinct(unsigned seed, double low, double high) {
    std::mt19937 generator(seed);
    std::set<long long> taken;
    std::uniform_int_distribution<long long> any(static_cast<long long>(low), static_cast<long long>(high));
    long long last = static_cast<long long>(low);
    set([&](long long) {
      // Where most are taken the next that is free.
      long long number = any(generator);
      for (int tries = 0; tries < 64 && taken.count(number) != 0; ++tries) number = any(generator);
      if (taken.count(number) != 0) {
        while (taken.count(last) != 0) ++last;
        number = last;
      }
      taken.insert(number);
      return number;
    });
  }
  /// How long rows are that begin where `begins` says, within n; where they end.
  template <class From>
  void fill_rows(unsigned seed, const Array<From>& begins, double n, bool ends) {
    std::mt19937 generator(seed);
    const double usual = 2 * std::ceil(n / static_cast<double>(std::max<std::size_t>(begins.host.size(), 1)));
    std::uniform_int_distribution<long long> any(0, static_cast<long long>(std::fmin(n, usual)));
    set([&](long long i) {
      const double begin = to_number(begins.host[static_cast<std::size_t>(i)]);
      const double length = std::fmin(static_cast<double>(any(generator)), std::fmax(n - begin, 0));
      return ends ? begin + length : length;
    });
  }
  template <class From>
  void fill_ends(unsigned seed, const Array<From>& begins, double n) { fill_rows(seed, begins, n, true); }
  template <class From>
  void fill_lengths(unsigned seed, const Array<From>& begins, double n) { fill_rows(seed, begins, n, false); }
  /// Column j of a dense array of rows.
  template <class From>
  void take_column(const Array<From>& other, double j) {
    set([&](long long i) {
      return to_number(other.host[static_cast<std::size_t>(i * other.row() + static_cast<long long>(j))]);
    });
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

/// Prints the errors of one output; false if they exceed the accuracy class or `allowed`, or if an element outside
/// was written.
template <class T, class E>
bool agree(const char* name, Array<T>& result, Array<E>& expected, const Errors& allowed = no_bound()) {
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
  const double rms = std::sqrt(error2 / static_cast<double>(std::max(count, 1LL)));
  const bool follows = allowed.rms >= 0;  // the data
  if (follows) {
    std::printf("  %s: max error %.3g (allowed %.3g), rms error %.3g (allowed %.3g)", name, worst, allowed.largest,
                rms, allowed.rms);
  } else {
    std::printf("  %s: max error %.3g (%.3g of rms, bound %.3g), relative error %.3g (bound %.3g)", name, worst,
                over_rms, max_abs_over_rms, frobenius, relative_frobenius);
  }
  std::printf("%s%s\n", finite ? "" : ", NOT FINITE", inside ? "" : ", WROTE OUTSIDE OF THE ARRAY");
  const bool allowed_holds = !follows || (rms <= allowed.rms && worst <= allowed.largest);
  return finite && inside && allowed_holds && over_rms <= max_abs_over_rms && frobenius <= relative_frobenius;
}
)code";

}  // namespace

const char* selftest_harness() {
  return harness;
}

}  // namespace evo::exporting
