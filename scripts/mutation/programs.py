"""The test programs with all mutants in them, made beside a build of the unchanged sources: of that build come the
objects that no edit changes, and how to compile and link."""
import hashlib
import json
import os
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

from mutation.checks import ROOT, started_programs
from mutation.processes import run
from mutation.selectable import Selectable

CHOSEN, RECORDER = ROOT / "scripts/mutation/chosen.cpp", ROOT / "scripts/mutation/recorder.cpp"

# Where packed programs find the shared libraries that came with them (packed.py).
LIBRARIES = " -Wl,--disable-new-dtags,-rpath,'$ORIGIN/../../lib:$ORIGIN/../lib'"


class Target:
    """How ninja makes a program."""

    def __init__(self, steps):
        *steps, link = steps
        self.link = link.split(" && ")[1]  # without what follows it: the listing of the tests
        if shutil.which("ld.lld"):
            self.link += " -fuse-ld=lld"
        self.compiles = {found[1]: step for step in steps if (found := re.search(r" -o (\S+\.o) -c ", step))}
        self.archives = {}  # the objects of each
        for step in steps:
            if found := re.search(r"\bar qc (\S+\.a)\s+(.*?) && ", step):
                self.archives[found[1]] = found[2].split()
        self.program = re.search(r" -o (\S+)", self.link)[1]
        self.shared = " -shared " in self.link

    def source(self, thing):
        return re.search(r" -c (\S+)", self.compiles[thing])[1]


def unless_same(path, text):
    """Writes the text if the file says something else."""
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def newer(made, parts, words=""):
    """Whether `made` is there, was made by the words, and is newer than its parts. If not, its words are kept, and it goes."""
    by = made.with_name(made.name + ".by")
    if made.is_file() and by.is_file() and by.read_text() == words and all(
            made.stat().st_mtime_ns >= part.stat().st_mtime_ns for part in parts):
        return True
    made.parent.mkdir(parents=True, exist_ok=True)
    made.unlink(missing_ok=True)
    by.write_text(words)
    return False


class Programs:
    def __init__(self, out, checks, wanted, spent, optimised="-O1"):
        """`wanted`: those of the checks that will be tried. Objects that have none of them stay as they are; the others
        hold all checks of their sources, so that another run finds them made."""
        self.out, self.folder, self.spent, self.optimised = out, out.parent / "mutation", spent, optimised
        self.wanted = {check.file for check in wanted}
        self.by_file = {}
        for check in checks:
            self.by_file.setdefault(check.file, []).append(check)
        self.lock = threading.RLock()
        self.starts, self.records = started_programs(), self.folder / "records"
        self.replaced_in_tests = {"evo"}  # of the programs that tests start: those of which they start ours
        self.targets, self.selectable, self.made, self.linked = {}, {}, {}, {}
        # Headers are found there: none may be left of an earlier list.
        for old in (self.folder / "sources").rglob("*.[hi]*"):
            if str(old.relative_to(self.folder / "sources")) not in self.by_file:
                old.unlink()
        self.made_of = {}  # the tree's files that each object of the build is compiled from
        self.known = self.folder / "alone.json"  # what was found not to compile among others
        self.alone = json.loads(self.known.read_text()) if self.known.is_file() else {}
        if not (out / "build.ninja").is_file():
            run(["cmake", "--preset", "ci", "-B", str(out)], spent, "configure", cwd=ROOT)

    def ninja(self, *words):
        return run(["ninja", "-C", str(self.out), *words], self.spent, "build of the unchanged sources")

    def target(self, name):
        with self.lock:
            if name not in self.targets:
                code, said = self.ninja("-j", "1", name)
                if code != 0:
                    raise SystemExit("the unchanged sources do not build:\n" + said[-3000:])
                said = self.ninja("-t", "commands", name)[1]
                self.targets[name] = Target([line for line in said.rstrip().splitlines() if not line.startswith("ninja:")])
            return self.targets[name]

    def sources_of(self, target, thing):
        """The files of the tree that an object is compiled from, with headers left out."""
        source = target.source(thing)
        if re.search(r"/Unity/unity_\d+_cxx\.cxx$", source):
            return re.findall(r'^#include "(.*)"$', open(source).read(), re.M)
        return [source]

    def parts_of(self, target):
        """Finds out what its objects are made of."""
        with self.lock:
            if all(thing in self.made_of for thing in target.compiles):
                return
            parts = set()
            for line in self.ninja("-t", "deps")[1].splitlines():
                if found := re.match(r"(\S+): #deps", line):
                    parts = self.made_of[found[1]] = set()
                elif line.startswith(" ") and line.strip():
                    path = os.path.normpath(self.out / line.strip())
                    if path.startswith(f"{ROOT}/"):
                        parts.add(os.path.relpath(path, ROOT))
            for thing in target.compiles:
                self.made_of.setdefault(thing, set())

    def edited_in(self, target, thing):
        """(sources, headers) of an object that have checks."""
        sources = [os.path.relpath(source, ROOT) for source in self.sources_of(target, thing)]
        self.parts_of(target)
        headers = sorted(self.made_of[thing].difference(sources).intersection(self.by_file))
        return [file for file in sources if file in self.by_file], headers

    def command(self, target, thing, source, to, folder):
        """As the build compiles it, of another source, with a folder where a header is found first."""
        step = re.sub(r" -MD -MT \S+ -MF \S+", "", target.compiles[thing])
        step = re.sub(r"^\S*ccache ", "", step)  # no edit is compiled twice
        step = re.sub(r" -O\d(?= )", "", step) + f" {'-O0' if thing.startswith('tests/') else self.optimised} -w"
        step = step.replace(f"-o {thing} ", f"-o {to} ").replace(f"-c {target.source(thing)}", f"-c {source}")
        return step.replace(" -I", f" -I{folder} -I", 1)

    def replaced(self, source, path):
        """The text of an object's source with other files in the place of some: {as it stands there: another}."""
        text = open(source).read()
        for old, new in path.items():
            text = text.replace(f'#include "{old}"', f'#include "{new}"')
        return text

    # -- all mutants of an object ---------------------------------------------------------------------------------

    def selectable_of(self, file):
        """The file's text with what can be taken in of its checks."""
        if file not in self.selectable:
            text = (ROOT / file).read_text()
            mark = hashlib.sha256(text.encode()).hexdigest()[:16]
            checks = [c for c in self.by_file[file] if self.alone.get(c.name) != mark]
            self.selectable[file] = Selectable(file, text, checks)
            unless_same(self.folder / "sources" / file, self.selectable[file].text)
        return self.selectable[file]

    def drop(self, name, file):
        self.alone[name] = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]
        self.selectable.pop(file, None)

    def object(self, target, thing):
        """The object with the mutants of its sources; the build's own where it has none."""
        with self.lock:
            if thing in self.made:
                return self.made[thing]
        sources, headers = self.edited_in(target, thing)
        edited = sources + headers
        if target.shared or not self.wanted.intersection(edited):
            self.made[thing] = self.out / thing
            return self.made[thing]
        to, source = self.folder / "objects" / thing, target.source(thing)
        while True:
            with self.lock:
                for file in edited:
                    self.selectable_of(file)
            others = {str(ROOT / file): str(self.folder / "sources" / file) for file in sources}
            alone = others.get(source) if sources else source
            if not alone:
                unity = self.folder / "unity" / (re.sub(r"\W", "-", thing) + ".cxx")
                unless_same(unity, self.replaced(source, others))
            parts = [self.out / thing, *(self.folder / "sources" / file for file in edited)]
            words = self.command(target, thing, alone or unity, to, self.folder / "sources")
            if newer(to, parts, words):
                break
            code, said = run(words, self.spent, "compile", cwd=self.out)
            if code == 0:
                break
            with self.lock:
                if not self.dropped(said, edited):
                    raise SystemExit(f"{thing} does not compile with its mutants:\n{said[-3000:]}")
        with self.lock:
            self.known.write_text(json.dumps(self.alone, indent=1))
            self.made[thing] = to
        return to

    def objects_of(self, names, jobs):
        """Compiles what the programs need, so many at a time."""
        things = {thing: target for target in map(self.target, names) for thing in target.compiles}
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda thing: self.object(things[thing], thing), things))

    def dropped(self, said, edited):
        """Takes out the mutants that the compiler's words are about; False if there is none left to take out."""
        names = {}
        for only in (r": (?:fatal )?error: ", r""):
            for path, line in re.findall(r"^(/[^\s:]+):(\d+):\d+" + only, said, re.M):
                file = os.path.relpath(path, self.folder / "sources")
                if file in edited:
                    names.update(dict.fromkeys(self.selectable_of(file).at(int(line)), file))
            if names:
                break
        if not names:
            names = {name: file for file in edited for name in self.selectable_of(file).places}
        for name, file in names.items():
            self.drop(name, file)
        return bool(names)

    def archive(self, target, name, objects, folder):
        """The archive with other objects: {the build's: another}. The build's own where there is none."""
        if not any(thing in objects for thing in target.archives[name]):
            return self.out / name
        to = folder / name.replace("/", "-")
        parts = [objects.get(thing, self.out / thing) for thing in target.archives[name]]
        words = ["ar", "qc", str(to), *map(str, parts)]
        if not newer(to, parts, " ".join(words)):
            run(words, self.spent, "link", cwd=self.out)
        return to

    def link(self, target, objects, folder, more=()):
        """Links the program with other objects; (the program, "") or (None, the linker's words)."""
        to = folder / os.path.basename(target.program)
        words, parts = [], list(more)
        for word in target.link.split():
            if word in target.archives:
                word = str(self.archive(target, word, objects, folder / "archives"))
            elif word in objects:
                word = str(objects[word])
            if re.search(r"\.(a|o)$", word):
                parts.append(self.out / word)
            words.append(word)
        line = " ".join(words).replace(f"-o {target.program} ", f"-o {to} {' '.join(map(str, more))}{LIBRARIES} ")
        if newer(to, parts, line):
            return to, ""
        code, said = run(line, self.spent, "link", cwd=self.out)
        return (to, "") if code == 0 else (None, said)

    def program(self, name):
        """The program with the mutants of all its objects."""
        with self.lock:
            if name not in self.linked:
                target = self.target(name)
                objects = {thing: made for thing in target.compiles
                           if (made := self.object(target, thing)) != self.out / thing}
                more = [] if target.shared else [self.plain(CHOSEN)] if not self.is_test(target) else [
                    self.plain(CHOSEN), self.plain(RECORDER)]
                made, said = self.link(target, objects, self.folder / "programs", more)
                if not made:
                    raise SystemExit(f"{name} does not link with its mutants:\n{said[-3000:]}")
                self.linked[name] = made
            return self.linked[name]

    def is_test(self, target):
        return "libgtest" in target.link

    def plain(self, source):
        """The object of a source of ours that has no mutants."""
        made = self.folder / (source.stem + ".o")
        if not newer(made, [source]):
            code, said = run(["c++", "-std=c++20", "-O1", "-c", str(source), "-o", str(made)], self.spent, "compile")
            if code != 0:
                raise SystemExit(said)
        return made

    def environment(self, name):
        """What its tests are told of the programs that they start."""
        return {"EVO_BINARY_PATH": str(self.program("evo"))} if "evo" in self.starts.get(name, ()) else {}

    def place(self, check, name):
        """The check's place in the program with all mutants, or in one that its tests start; None if it is in none."""
        names = [name, *(one for one in self.starts.get(name, ()) if one in self.replaced_in_tests)]
        for one in names:
            self.program(one)
        targets = [self.target(one) for one in names]
        if not any(check.file in part for target in targets if not target.shared for thing in target.compiles
                   for part in self.edited_in(target, thing)):
            return None
        return self.selectable[check.file].places.get(check.name) if check.file in self.selectable else None

    # -- one mutant -----------------------------------------------------------------------------------------------

    def one(self, check, name):
        """(program, what its tests are told, "") with this edit only; the compiler's words instead of "" if there is
        none; no program and "" where neither the program nor one that its tests start is made of the file."""
        program, more = None, {}
        for one in (name, *(started for started in self.starts.get(name, ()) if started == "evo")):
            made, broken = self.alone_in(check, one)
            if broken:
                return None, {}, broken
            if made and one == name:
                program = made
            elif made:
                more["EVO_BINARY_PATH"] = str(made)
        return program or (self.program(name) if more else None), more, ""

    def alone_in(self, check, name):
        """The program with this edit only, and an empty string; None and the compiler's words; None and an empty
        string where the program is not made of the file."""
        with self.lock:
            target = self.target(name)
            folder = self.folder_of(check) / name
            edited, original = folder / check.file, ROOT / check.file
            edited.parent.mkdir(parents=True, exist_ok=True)
            edited.write_text(check.edited(original.read_text()))
            self.parts_of(target)
        objects = {}
        for thing in target.compiles:
            if check.file not in self.made_of[thing]:
                continue
            source = other = target.source(thing)  # a header's edit is found by the folder
            if source == str(original):
                other = edited
            elif str(original) in self.sources_of(target, thing):
                other = folder / f"{len(objects)}.cxx"
                other.write_text(self.replaced(source, {str(original): str(edited)}))
            objects[thing] = folder / f"{len(objects)}.o"
            code, said = run(self.command(target, thing, other, objects[thing], folder), self.spent, "compile alone", cwd=self.out)
            if code != 0:
                return None, "the edit does not compile:\n" + said[-3000:]
        if not objects:
            return None, ""
        made, said = self.link(target, objects, folder)
        return (made, "") if made else (None, "the edit does not link:\n" + said[-3000:])

    def folder_of(self, check):
        return self.folder / "one" / re.sub(r"\W+", "-", check.name)

    def forget(self, check):
        """What was made for this check only goes."""
        shutil.rmtree(self.folder_of(check), ignore_errors=True)
