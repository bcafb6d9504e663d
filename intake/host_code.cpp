#include "intake/host_code.hpp"

#include <algorithm>
#include <set>

#include "diagnose/tokens.hpp"
#include "evaluators/compile/virtual_headers.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

int line_at(const std::string& source, std::size_t offset) {
  return 1 + static_cast<int>(
                 std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

void blank(std::string& source, std::size_t begin, std::size_t end, const std::string& what,
           std::vector<Cut>& cuts) {
  cuts.push_back({line_at(source, begin), line_at(source, end), what});
  for (std::size_t i = begin; i < end; ++i) {
    if (source[i] != '\n') source[i] = ' ';
  }
}

/// A declaration or definition at namespace level.
struct Piece {
  std::size_t begin = 0, end = 0;  ///< offsets
  std::string function;            ///< its name, of a function with a body
  bool device = false, type = false;
};

std::vector<Token> code_of(const std::string& source) {
  std::vector<Token> tokens = diagnose::tokens_of(source);
  std::erase_if(tokens, [](const Token& t) { return t.directive; });
  return tokens;
}

/// Macros of the text that stand for what marks device code: #define HOST_DEVICE __host__ __device__.
std::set<std::string> device_marks(const std::string& source) {
  std::set<std::string> names;
  std::string macro;  // whose definition it is
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].directive || tokens[i].is("#")) macro.clear();
    if (!tokens[i].directive) continue;
    if (tokens[i].is("define") && i + 1 < tokens.size()) macro = tokens[i + 1].text;
    const bool marks = tokens[i].is("__device__") || tokens[i].is("__global__");
    if (marks && !macro.empty()) names.insert(macro);
  }
  return names;
}

/// The name in front of the first bracket that is no attribute's.
std::string function_name(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i + 1 < end; ++i) {
    const bool attribute = tokens[i].text.starts_with("__launch_bounds__") || tokens[i].is("__attribute__") ||
                           tokens[i].is("alignas") || tokens[i].is("__align__");
    if (tokens[i].kind == TokenKind::name && tokens[i + 1].is("(") && !attribute) return tokens[i].text;
  }
  return {};
}

std::vector<Piece> pieces_of(const std::string& source) {
  const std::vector<Token> tokens = code_of(source);
  const std::set<std::string> marks = device_marks(source);
  std::vector<Piece> pieces;
  std::size_t start = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool linkage = tokens[i].is("{") && i > 0 && tokens[i - 1].is("\"C\"");
    bool space = linkage;
    for (std::size_t k = start; k < i && tokens[i].is("{"); ++k) space = space || tokens[k].is("namespace");
    if (space || (tokens[i].is("}") && start == i)) {
      start = i + 1;  // what stands in it is at namespace level too
      continue;
    }
    if (tokens[i].is("(") || tokens[i].is("[")) {
      i = diagnose::closing(tokens, i);
      continue;
    }
    if (!tokens[i].is("{") && !tokens[i].is(";")) continue;
    Piece piece;
    bool assigned = false;
    // Behind template <...>, the first word says what it is.
    std::size_t first = start;
    while (first + 1 < i && tokens[first].is("template") && tokens[first + 1].is("<")) {
      int depth = 0;
      for (++first; first < i; ++first) {
        if (tokens[first].is("<")) ++depth;
        if (tokens[first].is(">")) --depth;
        if (tokens[first].is(">>")) depth -= 2;
        if (depth <= 0) break;
      }
      ++first;
    }
    for (std::size_t k = first; k < i; ++k) {
      const std::string& text = tokens[k].text;
      piece.device = piece.device || text == "__global__" || text == "__device__" || text == "constexpr" ||
                     text == "__constant__" || marks.contains(text);
      piece.type = piece.type || (k == first && (text == "struct" || text == "class" || text == "union" ||
                                                 text == "enum" || text == "typedef" || text == "using"));
      assigned = assigned || text == "=";
    }
    std::size_t last = i;
    if (tokens[i].is("{")) {
      last = std::min(diagnose::closing(tokens, i), tokens.size() - 1);
      if (!assigned) piece.function = function_name(tokens, start, i);
      if (piece.function.empty() && last + 1 < tokens.size() && !tokens[last + 1].is(";")) {
        // struct { } name; and arrays
        while (last + 1 < tokens.size() && !tokens[last].is(";") && !tokens[last].is("}")) ++last;
      } else if (piece.function.empty() && last + 1 < tokens.size()) {
        ++last;
      }
    }
    if (start < tokens.size()) {
      piece.begin = tokens[start].begin;
      piece.end = tokens[last].end();
      pieces.push_back(piece);
    }
    i = last;
    start = last + 1;
  }
  return pieces;
}

}  // namespace

std::string without_host_functions(const std::string& source, std::vector<Cut>& cuts) {
  std::string result = source;
  for (const Piece& piece : pieces_of(source)) {
    if (!piece.function.empty() && !piece.device && !piece.type)
      blank(result, piece.begin, piece.end, piece.function, cuts);
  }
  return result;
}

std::string without_include(const std::string& source, const std::string& header, std::vector<Cut>& cuts) {
  std::string result = source;
  for (std::size_t begin = 0; begin < result.size();) {
    const std::size_t end = std::min(result.find('\n', begin), result.size());
    const std::string line = result.substr(begin, end - begin);
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash != std::string::npos && line[hash] == '#' && line.find("include") != std::string::npos &&
        (line.find('"' + header + '"') != std::string::npos ||
         line.find('<' + header + '>') != std::string::npos))
      blank(result, begin, end, "#include of " + header, cuts);
    begin = end + 1;
  }
  return result;
}

std::vector<std::string> includes_of(const std::string& source) {
  std::vector<std::string> headers;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string line = source.substr(begin, end - begin);
    const std::size_t hash = line.find_first_not_of(" \t");
    const std::size_t open = line.find_first_of("<\"");
    const std::size_t close = open == std::string::npos ? open : line.find_first_of(">\"", open + 1);
    if (hash != std::string::npos && line[hash] == '#' && line.find("include") < open &&
        close != std::string::npos)
      headers.push_back(line.substr(open + 1, close - open - 1));
    begin = end + 1;
  }
  return headers;
}

bool is_host_header(const std::string& header) {
  static const std::vector<std::string> libraries{
      "cublas", "cufft", "curand.h", "cusparse", "cusolver", "cudnn", "nccl", "nvml", "npp",
      "cuda_profiler_api", "cudaProfiler", "nvToolsExt", "nvtx3", "thrust/", "helper_", "omp.h", "mpi.h",
      "unistd.h", "sys/", "time.h",
      // Of C and of the system, for main() and the reading of files.
      "ctype.h", "fcntl.h", "errno.h", "signal.h", "getopt.h", "pthread.h", "dirent.h", "locale.h",
      "termios.h", "setjmp.h", "malloc.h", "memory.h", "strings.h", "windows.h", "direct.h", "io.h",
      "conio.h", "arpa/", "netinet/", "GL/", "opencv2/", "torch/", "ATen/", "c10/", "pybind11/", "gtest/",
      "gflags/", "glog/", "boost/", "cuda_gl_interop"};
  for (const std::string& library : libraries) {
    if (header.starts_with(library)) return true;
  }
  // What evo has for kernels stays.
  return header.find('.') == std::string::npos && header.find('/') == std::string::npos &&
         !evaluators::compile::virtual_headers().contains(header);
}

std::string without_declaration(const std::string& source, int line, bool types, std::vector<Cut>& cuts) {
  for (const Piece& piece : pieces_of(source)) {
    if (line_at(source, piece.begin) > line || line_at(source, piece.end) < line) continue;
    if (!piece.function.empty() || piece.device || (piece.type && !types)) continue;
    std::string result = source;
    blank(result, piece.begin, piece.end, "a declaration", cuts);
    return result;
  }
  return source;
}

std::string without_function(const std::string& source, int line, const std::string& keep,
                             std::vector<Cut>& cuts) {
  for (const Piece& piece : pieces_of(source)) {
    if (line_at(source, piece.begin) > line || line_at(source, piece.end) < line) continue;
    if (piece.function.empty() || piece.type || piece.function == keep) continue;
    std::string result = source;
    blank(result, piece.begin, piece.end, piece.function + ", which does not compile,", cuts);
    return result;
  }
  return source;
}

bool asks_for_side(const std::string& source, char side) {
  const std::vector<Token> tokens = code_of(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if ((tokens[i].is("threadIdx") || tokens[i].is("blockIdx")) && tokens[i + 2].text == std::string(1, side))
      return true;
  }
  return false;
}

}  // namespace evo::intake
