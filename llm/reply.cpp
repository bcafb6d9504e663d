#include "llm/reply.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::llm {
namespace {

namespace json = boost::json;

constexpr std::string_view search_mark = "<<<<<<< SEARCH";
constexpr std::string_view middle_mark = "=======";
constexpr std::string_view replace_mark = ">>>>>>> REPLACE";

tl::unexpected<Refusal> refuse(std::string reason, std::string message) {
  return tl::make_unexpected(Refusal{std::move(reason), std::move(message)});
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Reads a reply line by line.
class ReplyReader {
 public:
  explicit ReplyReader(std::string_view text) : lines_(lines_of(text)) {}

  Read<Reply> run() {
    while (at_ < lines_.size()) {
      const std::string_view line = trimmed(lines_[at_]);
      Read<bool> read = true;
      if (line == search_mark) {
        read = block();
      } else if (line == replace_mark || (line.starts_with("<<<<<<<") && line.size() < 40)) {
        return refuse("bad_block", fmt::format("line {}: '{}' begins no block", at_ + 1, line));
      } else if (line == "FILE:") {
        read = file();
      } else if (line.starts_with("GENES:")) {
        read = genes(trimmed(line.substr(6)));
      } else if (line.starts_with("NEW_GENE:")) {
        read = new_gene(trimmed(line.substr(9)));
      } else if (line.starts_with("HYPOTHESIS:")) {
        reply_.hypothesis = std::string(trimmed(line.substr(11)));
      } else if (line.starts_with("FACTOR:")) {
        factor(trimmed(line.substr(7)));
      }
      if (!read) return tl::make_unexpected(read.error());
      ++at_;
    }
    if (reply_.hypothesis.empty() || !has_factor_) {
      return refuse("no_prediction", "a reply needs the lines 'HYPOTHESIS: why' and 'FACTOR: 1.2'");
    }
    if (reply_.blocks.empty() && !reply_.file && !reply_.new_genes.empty())
      return refuse("unused_gene", "a new gene needs a block or a FILE: that uses it");
    if (reply_.blocks.empty() && !reply_.file && !reply_.genes)
      return refuse("no_change_given", "the reply has no search/replace block, no FILE: and no GENES:");
    if (!reply_.blocks.empty() && reply_.file)
      return refuse("bad_block", "a reply has search/replace blocks or a whole file, not both");
    return std::move(reply_);
  }

 private:
  Read<bool> block() {
    const std::size_t begin = at_ + 1;
    Block block;
    bool in_search = true;
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string_view line = trimmed(lines_[at_]);
      if (in_search && line == middle_mark) {
        in_search = false;
      } else if (!in_search && line == replace_mark) {
        if (trimmed(block.search).empty())
          return refuse("bad_block", fmt::format("the block at line {} searches for nothing", begin));
        reply_.blocks.push_back(std::move(block));
        return true;
      } else if (line == search_mark || line == replace_mark) {
        break;
      } else {
        std::string& part = in_search ? block.search : block.replace;
        part += lines_[at_];
        part += '\n';
      }
    }
    return refuse("bad_block", fmt::format("the block at line {} has no '{}'", begin,
                                           in_search ? middle_mark : replace_mark));
  }

  Read<bool> file() {
    const std::size_t begin = at_ + 1;
    for (++at_; at_ < lines_.size() && trimmed(lines_[at_]).empty();) ++at_;
    if (at_ >= lines_.size() || !trimmed(lines_[at_]).starts_with("```"))
      return refuse("bad_block", fmt::format("behind FILE: at line {} no fenced text begins", begin));
    std::string text;
    for (++at_; at_ < lines_.size(); ++at_) {
      if (trimmed(lines_[at_]) == "```") {
        reply_.file = std::move(text);
        return true;
      }
      text += lines_[at_];
      text += '\n';
    }
    return refuse("bad_block", fmt::format("the text behind FILE: at line {} does not end", begin));
  }

  Read<bool> genes(std::string_view text) {
    boost::system::error_code failed;
    const json::value parsed = json::parse(text, failed);
    if (failed || !parsed.is_object()) return refuse("bad_block", "GENES: is no JSON object on its line");
    model::Environment values;
    for (const auto& [name, value] : parsed.as_object()) {
      if (value.is_int64()) {
        values.insert_or_assign(std::string(name), value.as_int64());
      } else if (value.is_string()) {
        values.insert_or_assign(std::string(name), std::string(value.as_string()));
      } else {
        return refuse("bad_block", fmt::format("GENES: {} is no integer and no name", std::string(name)));
      }
    }
    reply_.genes = std::move(values);
    return true;
  }

  Read<bool> new_gene(std::string_view text) {
    auto gene = read_new_gene(text);
    if (!gene) return tl::make_unexpected(gene.error());
    for (const source::TextGene& other : reply_.new_genes) {
      if (other.name == gene->name)
        return refuse("bad_gene", fmt::format("{} is declared twice", gene->name));
    }
    reply_.new_genes.push_back(std::move(*gene));
    return true;
  }

  void factor(std::string_view text) {
    if (text.ends_with('x')) text.remove_suffix(1);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return;
    if (!std::isfinite(value) || value <= 0 || value > 1e6) return;
    reply_.factor = value;
    has_factor_ = true;
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  bool has_factor_ = false;
  Reply reply_;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t", i), text.size());
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  std::ranges::sort(words);
  return words;
}

/// Share of words that two lines have in common.
double likeness(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty() ? 1 : 0;
  std::vector<std::string_view> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return 2.0 * static_cast<double>(both.size()) / static_cast<double>(a.size() + b.size());
}

/// The lines of `text` that are most like the block's, for the model.
std::string nearest_match(std::string_view text, std::string_view search) {
  const auto lines = lines_of(text), wanted = lines_of(search);
  std::vector<std::vector<std::string_view>> in_text, in_search;
  for (const auto line : lines) in_text.push_back(words_of(line));
  for (const auto line : wanted) in_search.push_back(words_of(line));
  double best = -1;
  std::size_t place = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < wanted.size() && i + k < lines.size(); ++k)
      sum += likeness(in_text[i + k], in_search[k]);
    if (sum > best) best = sum, place = i;
  }
  std::string shown;
  for (std::size_t i = place; i < std::min(lines.size(), place + std::max<std::size_t>(wanted.size(), 1));
       ++i)
    shown += std::string(lines[i]) + "\n";
  return fmt::format("the nearest lines begin at line {}:\n{}", place + 1, shown);
}

/// Places of `search` that begin and end at lines' ends.
std::vector<std::size_t> places_of(std::string_view text, std::string_view search) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(search); at != std::string_view::npos; at = text.find(search, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') places.push_back(at);
  }
  return places;
}

}  // namespace

Read<Reply> read_reply(std::string_view text) {
  return ReplyReader(text).run();
}

Read<std::string> apply_reply(const Reply& reply, const std::string& parent) {
  if (reply.file) {
    if (*reply.file == parent && !reply.genes)
      return refuse("no_change", "the file is the parent's, unchanged");
    return *reply.file;
  }
  std::string text = parent.ends_with('\n') ? parent : parent + "\n";
  const std::string before = text;
  for (std::size_t i = 0; i < reply.blocks.size(); ++i) {
    const Block& block = reply.blocks[i];
    const auto places = places_of(text, block.search);
    if (places.empty()) {
      return refuse("unmatched_block", fmt::format("block {}: its SEARCH text is nowhere in the file; {}",
                                                   i + 1, nearest_match(text, block.search)));
    }
    if (places.size() > 1) {
      return refuse(
          "ambiguous_block",
          fmt::format("block {}: its SEARCH text is there {} times, first at lines {} and {}; add "
                      "lines around it",
                      i + 1, places.size(),
                      1 + std::count(text.begin(), text.begin() + static_cast<long>(places[0]), '\n'),
                      1 + std::count(text.begin(), text.begin() + static_cast<long>(places[1]), '\n')));
    }
    text.replace(places.front(), block.search.size(), block.replace);
  }
  if (text == before && !reply.genes) return refuse("no_change", "the blocks change nothing");
  return text == before ? parent : text;
}

}  // namespace evo::llm
