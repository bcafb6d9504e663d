#include "diagnose/source_text.hpp"

#include <sstream>

namespace evo::diagnose {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

std::string statement(const std::string& line) {
  return line.substr(0, line.find("//"));
}

}  // namespace evo::diagnose
