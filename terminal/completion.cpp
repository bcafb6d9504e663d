#include "terminal/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::terminal {
namespace {

std::string bash(const std::vector<VerbWords>& verbs) {
  std::string cases, names;
  for (const VerbWords& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", verb.name, fmt::join(verb.flags, " "));
  }
  return fmt::format(R"(_evo() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{}" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _evo evo
)",
                     names, cases);
}

std::string fish(const std::vector<VerbWords>& verbs) {
  std::string script;
  for (const VerbWords& verb : verbs) {
    script +=
        fmt::format("complete -c evo -n __fish_use_subcommand -a {} -d '{}'\n", verb.name, verb.description);
    for (const std::string& flag : verb.flags) {
      script += fmt::format("complete -c evo -n '__fish_seen_subcommand_from {}' -l {}\n", verb.name,
                            flag.substr(2));
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<VerbWords>& verbs) {
  if (shell == "fish") return fish(verbs);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash(verbs);
  return bash(verbs);
}

}  // namespace evo::terminal
