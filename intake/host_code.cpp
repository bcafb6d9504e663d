#include "intake/host_code.hpp"

#include <algorithm>
#include <set>

#include "evaluators/compile/virtual_headers.hpp"
#include "intake/macros.hpp"
#include "intake/pieces.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;

void blank(std::string& source, std::size_t begin, std::size_t end, const std::string& what,
           std::vector<Cut>& cuts) {
  cuts.push_back({line_at(source, begin), line_at(source, end), what});
  blank_piece(source, begin, end);
}

/// Blanks, for each of the lines, the first piece there that may go. What the text declares is read once: of
/// a large header a hundred lines fail at a time.
template <class MayGo, class What>
std::string without_pieces(const std::string& source, const std::vector<int>& lines, const MayGo& may_go,
                           const What& what, std::vector<Cut>& cuts) {
  std::string result = source;
  const std::vector<Piece> pieces = pieces_of(source);
  std::set<std::size_t> gone;
  for (const int line : lines) {
    const std::size_t first = begin_of_line(source, line), next = begin_of_line(source, line + 1);
    const auto piece = std::ranges::find_if(
        pieces, [&](const Piece& each) { return each.begin < next && each.end >= first && may_go(each); });
    if (piece != pieces.end() && gone.insert(piece->begin).second)
      blank(result, piece->begin, piece->end, what(*piece), cuts);
  }
  return result;
}

/// Whether the code names this side of one of the objects.
bool says_side(const std::string& source, std::initializer_list<std::string_view> objects, char side) {
  const std::vector<Token> tokens = code_of(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool named = std::any_of(objects.begin(), objects.end(),
                                   [&](std::string_view object) { return tokens[i].is(object); });
    if (named && tokens[i + 2].text == std::string(1, side)) return true;
  }
  return false;
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
      "cublas", "cufft", "curand.h", "cusparse", "cusolver", "cudnn", "nccl", "nvml", "npp", "cub/device/",
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

std::string without_declarations(const std::string& source, const std::vector<int>& lines, bool types,
                                 std::vector<Cut>& cuts) {
  return without_pieces(
      source, lines,
      [&](const Piece& piece) { return piece.function.empty() && !piece.device && (types || !piece.type); },
      [](const Piece&) { return std::string("a declaration"); }, cuts);
}

std::string without_functions(const std::string& source, const std::vector<int>& lines,
                              const std::string& keep, std::vector<Cut>& cuts) {
  return without_pieces(
      source, lines,
      [&](const Piece& piece) { return !piece.function.empty() && !piece.type && piece.function != keep; },
      [](const Piece& piece) { return piece.function + ", which does not compile,"; }, cuts);
}

std::string without_host_member(const std::string& source, int line, std::vector<Cut>& cuts) {
  const std::vector<Token> tokens = code_of(source);
  const auto first = std::ranges::find_if(tokens, [&](const Token& t) { return t.line >= line; });
  std::size_t at = static_cast<std::size_t>(first - tokens.begin());
  // Back to where the member begins; an access specifier ends in front of it.
  std::size_t begin = at;
  while (begin > 0) {
    const Token& before = tokens[begin - 1];
    const bool access = before.is(":") && begin > 1 &&
                        (tokens[begin - 2].is("public") || tokens[begin - 2].is("private") ||
                         tokens[begin - 2].is("protected"));
    if (before.is(";") || before.is("{") || before.is("}") || access) break;
    --begin;
  }
  const std::size_t head = behind_template(tokens, begin, tokens.size());
  bool parameters = false, initialisers = false;
  std::size_t end = head;
  for (; end < tokens.size(); ++end) {
    const Token& token = tokens[end];
    if (token.is("}")) return source;
    if (token.is(";")) break;
    if (token.is("(") || token.is("[")) {
      parameters = true;
      end = diagnose::closing(tokens, end);
    } else if (token.is(":") && parameters) {
      initialisers = true;
    } else if (token.is("{")) {
      const bool value = initialisers && tokens[end - 1].kind == diagnose::TokenKind::name;  // : n{n}
      end = diagnose::closing(tokens, end);
      if (!value) break;
    }
  }
  if (!parameters || end >= tokens.size() || begin == 0) return source;
  std::string result = source;
  blank(result, tokens[begin].begin, tokens[end].end(), "a member function of the host", cuts);
  return result;
}

namespace {

/// Is what begins at `begin` and ends in front of `end` one whole member function of the type in `piece`?
/// Where the line of an error is within a function, what is left out around it is a statement of that.
bool is_member_function(const std::string& source, const Piece& piece, std::size_t begin, std::size_t end) {
  int depth = 0;
  bool body = false, assigned = false, parameters = false;
  for (const Token& token : code_of(source)) {
    if (token.begin < piece.begin || token.begin >= end) continue;
    if (token.begin < begin) {
      depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
      continue;
    }
    if (depth != 1) return false;
    // "static const int k = f(3);" is a number of the type, and "operator=(" is none.
    assigned = assigned || (token.is("=") && !parameters);
    if (token.is("operator")) return true;
    parameters = parameters || token.is("(");
    body = body || token.is("{");
    if (body) break;
  }
  return depth == 1 && parameters && !assigned;
}

}  // namespace

std::vector<std::pair<int, int>> lines_of_types(const std::string& source) {
  std::vector<std::pair<int, int>> lines;
  for (const Piece& piece : pieces_of(source)) {
    if (piece.type) lines.emplace_back(line_at(source, piece.begin), line_at(source, piece.end));
  }
  return lines;
}

std::string without_unmarked_member(const std::string& source, int line, std::vector<Cut>& cuts) {
  const std::vector<Piece> pieces = pieces_of(source);
  const std::size_t first = begin_of_line(source, line);
  const auto type = std::ranges::find_if(
      pieces, [&](const Piece& piece) { return piece.type && piece.begin < first && first <= piece.end; });
  if (type == pieces.end()) return source;
  std::vector<Cut> own;
  std::string rest = without_host_member(source, line, own);
  if (own.empty()) return source;
  const auto begin = static_cast<std::size_t>(std::ranges::mismatch(source, rest).in1 - source.begin());
  const auto end = source.size() -
                   static_cast<std::size_t>(
                       std::mismatch(source.rbegin(), source.rend(), rest.rbegin()).first - source.rbegin());
  if (!is_member_function(source, *type, begin, end)) return source;
  const std::set<std::string> marks = device_marks(source);
  const auto marked = [&](const Token& token) {
    return token.line >= own.front().first && token.line <= own.front().last &&
           (token.is("__device__") || token.is("__global__") || is_macro_name(token.text) ||
            marks.contains(token.text));
  };
  if (std::ranges::any_of(code_of(source), marked)) return source;
  cuts.insert(cuts.end(), own.begin(), own.end());
  return rest;
}

std::string without_host_members(const std::string& source) {
  const std::vector<Token> tokens = code_of(source);
  std::vector<int> lines;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__host__")) continue;
    const auto ends = [&](std::size_t at) {
      return tokens[at].is(";") || tokens[at].is("{") || tokens[at].is("}");
    };
    std::size_t begin = i, end = i;
    while (begin > 0 && !ends(begin - 1)) --begin;
    while (end < tokens.size() && !ends(end) && !tokens[end].is("(")) ++end;
    bool device = false;
    for (std::size_t k = begin; k < end; ++k)
      device = device || tokens[k].is("__device__") || is_macro_name(tokens[k].text);
    if (!device) lines.push_back(tokens[i].line);
  }
  std::string result = source;
  std::vector<Cut> cuts;
  for (const int line : lines) result = without_host_member(result, line, cuts);
  return result;
}

bool asks_for_side(const std::string& source, char side) {
  return says_side(source, {"threadIdx", "blockIdx"}, side);
}

bool asks_for_thread_side(const std::string& source, char side) {
  // By another name, `block.thread_index()` or `uint3 t = threadIdx`, the compiled code alone knows.
  const std::vector<Token> tokens = code_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool whole = tokens[i].is("threadIdx") && (i + 1 == tokens.size() || !tokens[i + 1].is("."));
    if (whole || tokens[i].is("thread_index")) return true;
  }
  return says_side(source, {"threadIdx"}, side);
}

}  // namespace evo::intake
