"""One text that holds many mutants: a function that an edit changes gets, in front of its own body, a body for each
edit, and a number that the process was started with says which one runs. So one compile and one link serve every edit
of a file. What a body declares stays in it, whatever the edit is, so that a body can be doubled without knowing C++
further than its braces. An edit outside of functions, or one that no longer compiles so (in what the compiler
computes), is compiled alone. A header's inline functions are edited so too; what the compiler computes of them is unedited."""
import re
import zlib

from mutation.checks import TOKEN

CHOSEN = "evo_mutant_chosen"
REACHED = "evo_mutant_reached"
PLACES = 1 << 16  # of REACHED; two functions in one place only make more tests seem to reach them
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                     r"(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)


def number(name):
    """Of a check, by its name; 0 is none."""
    return (zlib.crc32(name.encode()) & 0x3FFFFFFF) + 1


def blanked(text):
    """The text with comments, literals and directives as blanks, of the same length."""
    return SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def kind(head):
    """What a brace behind the words opens, at the level of a namespace or a class: namespace, class, body or other."""
    head = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", " ", head)
    head = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", " ", head).strip()
    while head.startswith("template"):
        angles = rounds = place = 0
        for place, sign in enumerate(head):
            rounds += {"(": 1, ")": -1}.get(sign, 0)
            angles += {"<": 1, ">": -1}.get(sign, 0) if rounds == 0 else 0
            if sign == ">" and angles == 0 and rounds == 0:
                break
        head = head[place + 1:].strip()
    if re.match(r"(inline\s+)?namespace\b", head) or head == "extern":
        return "namespace"
    if re.match(r"(typedef\s+)?(class|struct|union)\b", head) and "(" not in head:
        return "class"
    flat = re.sub(r"\boperator\s*(\(\s*\)|[^\s\w(]+)", "operator_name", head)
    depth, parameters, listed = 0, False, False
    for place, sign in enumerate(flat):
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
            parameters = parameters or sign == ")"
        elif depth == 0 and sign == "=" and not parameters:
            return "other"  # a value
        elif depth == 0 and sign == ":" and parameters and ":" not in flat[place - 1:place] + flat[place + 1:place + 2]:
            listed = True  # members of a constructor
    if not parameters or depth:
        return "other"
    return "other" if listed and re.search(r"[\w>]$", flat) else "body"


def bodies(text):
    """(place of the brace, place of its end) of each function that is in no other; None where the braces do not fit."""
    plain, found = blanked(text), []
    frames = [["namespace", 0, 0]]  # kind, where the next head begins, the brace's place
    round_brackets = [0]
    for place, sign in enumerate(plain):
        frame = frames[-1]
        if sign in "()":
            round_brackets[-1] += 1 if sign == "(" else -1
        elif sign == "{":
            outer = frame[0] in ("namespace", "class")
            what = kind(plain[frame[1]:place]) if outer and round_brackets[-1] == 0 else "other"
            frames.append([what, place + 1, place])
            round_brackets.append(0)
        elif sign == "}":
            if len(frames) == 1 or round_brackets.pop() != 0:
                return None
            what, _, begin = frames.pop()
            if what == "body":
                found.append((begin, place))
            if what != "other":
                frames[-1][1] = place + 1
        elif sign == ";" and round_brackets[-1] == 0:
            frame[1] = place + 1
    return found if len(frames) == 1 else None


def least(text, begin, end, new):
    """The edit without the tokens that it leaves as they are, at both of its ends."""
    old, other = list(TOKEN.finditer(text, begin, end)), list(TOKEN.finditer(new))
    first = last = 0
    while first < min(len(old), len(other)) and old[first][0] == other[first][0]:
        first += 1
    while last < min(len(old), len(other)) - first and old[-1 - last][0] == other[-1 - last][0]:
        last += 1
    here = slice(old[first - 1].end(), other[first - 1].end()) if first else slice(begin, 0)
    there = slice(old[-last].start(), other[-last].start()) if last else slice(end, len(new))
    return here.start, there.start, new[here.stop:there.stop]


def closed(body):
    """Whether the braces of a body fit by themselves."""
    depth = 0
    for sign in blanked(body):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


class Selectable:
    """The text of a file with all the checks that could be taken in."""

    def __init__(self, path, text, checks):
        self.places = {}  # by the check's name: its function's place of REACHED
        self.lines = []  # (first line, last line, names of the checks whose bodies or conditions stand there)
        groups, functions = {}, bodies(text) or []
        for check in checks:
            begin, end, new = least(text, *check.edit(text))
            for brace, last in functions:
                body = text[brace + 1:begin] + new + text[end:last] if brace < begin and end <= last else None
                if body is not None and closed(body):
                    groups.setdefault((brace, last), []).append((check, body))
        plain = blanked(text)
        parts, done = [f'extern "C" int {CHOSEN}; extern "C" unsigned char* {REACHED};\n'], 0
        for (brace, last), group in sorted(groups.items(), key=lambda item: item[0]):
            parts.append(text[done:brace + 1])
            place = number(f"{path} {text[done:brace][-200:]}") % PLACES
            first = self.count(parts)
            # The compiler may compute it.
            computed = re.search(r"\bconstexpr\b", re.split(r"[;{}]", plain[:brace])[-1])
            run = "!__builtin_is_constant_evaluated()"
            parts.append(f" if ({run}) {REACHED}[{place}] = 1;\n" if computed else f" {REACHED}[{place}] = 1;\n")
            for check, body in group:
                start = self.count(parts)
                parts.append(f"if ({f'{run} && ' if computed else ''}{CHOSEN} == {number(check.name)}) {{{body}\n}} else\n")
                self.lines.append((start, self.count(parts), {check.name}))
                self.places[check.name] = place
            parts.append("{" + text[brace + 1:last] + "}")
            # The function's own body too: it is what no longer fits, where mutants return another type.
            self.lines.append((first, self.count(parts), {check.name for check, _ in group}))
            done = last
        self.text = "".join(parts) + text[done:]

    @staticmethod
    def count(parts):
        return 1 + sum(part.count("\n") for part in parts)

    def at(self, line):
        """The checks that a line of the text belongs to, as few as can be told."""
        near = [names for first, last, names in self.lines if first <= line <= last]
        return min(near, key=len) if near else set()
