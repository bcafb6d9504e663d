"""tests/mutation/checks.txt: the checks, each with the edit that takes it out."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CHECKS = ROOT / "tests/mutation/checks.txt"
# The programs that stand nearest to a folder, for checks that name none.
NEAREST = {"": ["test_gates", "test_oracle"], "config/": ["config_tests"], "diagnose/": ["diagnose_tests"],
           "engine/": ["engine_tests", "session_tests"], "evaluators/code/": ["ptx_tests", "test_gates", "virtual_test"],
           "evaluators/compile/": ["compile_tests"], "evaluators/devices/cuda/": ["cuda_tests"],
           "evaluators/devices/virtual/": ["warp_test", "virtual_test", "test_gates"], "evaluators/oracle/": ["test_oracle", "test_gates"],
           "evaluators/devices/virtual/ptx/": ["ptx_tests", "virtual_test", "test_gates"],
           "evaluators/reference/": ["reference_tests", "test_gates"], "evaluators/sanitizer/": ["sanitizer_tests"],
           "evaluators/selftest/": ["test_selftest"], "evaluators/worker/": ["worker_tests"], "export/": ["export_tests"],
           "farm/": ["farm_tests"], "intake/": ["intake_tests", "intake_cli_tests"], "llm/": ["llm_tests"],
           "model/": ["model_tests", "test_gates", "config_tests"], "mutators/": ["mutators_tests"], "packs/": ["test_oracle", "test_gates"],
           "report/": ["report_tests"], "session/": ["session_tests"], "source/": ["source_tests"], "terminal/": ["terminal_tests"]}
TOKEN = re.compile(r"\w+|[^\w\s]")


class Check:
    def __init__(self, name):
        self.name, self.file, self.tests, self.old, self.new = name, None, None, [], []

    def same_as(self, other):
        return (self.file, self.tests, self.old, self.new) == (other.file, other.tests, other.old, other.new)

    def targets(self):
        """(program, gtest's filter or None), the nearest first."""
        near = max((folder for folder in NEAREST if self.file.startswith(folder)), key=len)
        named = self.tests or NEAREST[near]
        return [(name, chosen or None) for name, _, chosen in (target.partition("=") for target in named)]

    def edit(self, text):
        """(begin, end, what stands there instead); ValueError if the old lines do not stand in the text exactly once."""
        # Whole lines, whatever their indentation, blanks and line breaks: a formatter may have moved them.
        pattern = r"[ \t]*" + r"\s*".join(map(re.escape, TOKEN.findall("\n".join(self.old)))) + r"[ \t]*$"
        places = [found for found in re.finditer(r"^" + pattern, text, re.M)] if self.old else []
        if len(places) != 1:
            raise ValueError(f"{self.name}: its lines stand {len(places)} times in {self.file}, not once")
        begin, end = places[0].span()
        # Where the lines go, their line break goes too.
        return (begin, end, "\n".join(self.new)) if self.new else (begin, end + 1, "")

    def edited(self, text):
        begin, end, new = self.edit(text)
        return text[:begin] + new + text[end:]


def read_checks(text):
    checks = []
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.partition(" ")
        if not line.strip() or word == "#":
            continue
        if word == "@":
            checks.append(Check(rest.strip()))
        elif word == "file" and checks:
            checks[-1].file = rest.strip()
        elif word == "tests" and checks:
            checks[-1].tests = rest.split()
        elif word == "-" and checks:
            checks[-1].old.append(rest)
        elif word == "+" and checks:
            checks[-1].new.append(rest)
        else:
            sys.exit(f"{CHECKS}:{number}: neither @, file, tests, - nor +")
    return checks


def started_programs():
    """By the name of a test program: the programs of ours that its tests start."""
    text = "".join(path.read_text() for path in sorted(ROOT.glob("tests/**/CMakeLists.txt")))
    return {name: re.findall(r"<TARGET_FILE:(\w+)>", words)
            for name, words in re.findall(r"target_compile_definitions\((\w+)([^)]*<TARGET_FILE:[^)]*)\)", text)}


def against_sources(checks):
    """What of the list does not fit."""
    wrong, names = [], set()
    programs = set(re.findall(r"evo_test\((\w+)", "".join(path.read_text() for path in ROOT.glob("tests/**/CMakeLists.txt"))))
    for check in checks:
        for name, _ in check.targets() if programs else ():
            if name not in programs:
                wrong.append(f"{check.name}: there is no test program {name}")
        if check.name in names:
            wrong.append(f"{check.name}: twice")
        names.add(check.name)
        try:
            text = (ROOT / check.file).read_text()
            if check.edited(text) == text:
                wrong.append(f"{check.name}: changes nothing")
        except (OSError, TypeError, ValueError) as error:
            wrong.append(str(error))
    return wrong


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def changed_since(checks, ref):
    """Those whose file or entry differs from the commit."""
    files = set(git("diff", "--name-only", ref).splitlines())
    listed = git("ls-tree", "--name-only", ref, "--", str(CHECKS.relative_to(ROOT)))
    before = {c.name: c for c in read_checks(git("show", f"{ref}:{CHECKS.relative_to(ROOT)}"))} if listed else {}
    return [c for c in checks if c.file in files or c.name not in before or not c.same_as(before[c.name])]


def newest_first(checks):
    """By the time at which the line of the check's name was written; what is not committed is newest."""
    written, when = {}, 0
    for line in git("blame", "--line-porcelain", "--", str(CHECKS.relative_to(ROOT))).splitlines():
        if found := re.match(r"author-time (\d+)$", line):
            when = int(found[1])
        elif line.startswith("\t@ "):
            written[line[3:].strip()] = when
    return sorted(checks, key=lambda check: -written.get(check.name, 1 << 62))


def noticed_in(log):
    """The rows of the log's tables that name a failing test, by the check's name."""
    rows = (line.split(" | ") for line in log.read_text().splitlines() if line.startswith("| "))
    return {row[0][2:]: row[2].removesuffix(" |") for row in rows
            if len(row) == 3 and re.match(r"\w+: \S", row[2])}
