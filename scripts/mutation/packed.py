"""The programs with all mutants in a folder, so that their tests run where nothing can be compiled: the folder's layout is
that of the build, lib/ has the shared libraries but the C library's, and packed.json what stands where."""
import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

from mutation.checks import started_programs

# Of the C library and the loader, which a machine has of its own.
OF_ITS_OWN = re.compile(r"(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|nss_\w+))\b")


def shared_libraries(program):
    """{name: path} of what the loader would take from outside of the C library."""
    said = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    return {name: path for name, path in re.findall(r"^\s*(\S+) => (/\S+)", said, re.M) if not OF_ITS_OWN.match(name)}


def pack(programs, checks, folder, jobs):
    """Builds what the checks need, and puts it into the folder."""
    tests = sorted({name for check in checks for name, _ in check.targets()})
    names = sorted({*tests, *(one for name in tests for one in programs.starts.get(name, ()))})
    programs.objects_of(names, jobs)
    programs.replaced_in_tests = set(names)  # they stand where the tests look for them
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lib").mkdir(parents=True)
    where, libraries = {}, {}
    for name in names:
        program, where[name] = programs.program(name), programs.target(name).program
        to = folder / where[name]
        to.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["strip", "-o", str(to), str(program)], check=True)
        libraries.update(shared_libraries(program))
    for name, path in libraries.items():
        shutil.copy(os.path.realpath(path), folder / "lib" / name)
    places = {}
    for check in checks:
        places[check.name] = {"edit": [check.file, check.old, check.new], "in": {}}
        for name, _ in check.targets():
            place = programs.place(check, name)
            if place is not None:
                places[check.name]["in"][name] = place
    pack_records(programs, tests, folder)
    (folder / "packed.json").write_text(json.dumps({"build": str(programs.out), "programs": where, "checks": places}, indent=1))
    return sum(1 for check in checks if places[check.name]["in"])


def pack_records(programs, names, folder):
    """What an earlier run here has recorded of the programs travels with them: a place is one of the sources, not of a build."""
    (folder / "records").mkdir()
    later = time.time() + 2  # than the programs: archives keep whole seconds
    for name in names:
        made = max(programs.program(one).stat().st_mtime_ns for one in (name, *programs.starts.get(name, ())))
        for record in programs.records.glob(f"{name}.*of*.record"):
            if record.stat().st_mtime_ns <= made:
                continue
            for one in (record, record.with_suffix(".filter")):
                to = folder / "records" / one.name
                shutil.copy(one, to)
                os.utime(to, (later, later))


class Packed:
    """As Programs, but nothing is built: what is not there cannot be tried. The folder is copied to where the build was,
    if nothing is there."""

    def __init__(self, folder):
        self.folder, self.records, self.lock = folder, folder / "records", threading.RLock()
        self.starts = started_programs()
        said = json.loads((folder / "packed.json").read_text())
        self.where, self.checks = said["programs"], said["checks"]
        # Tests know by full paths which programs they start, and evo finds its tree from where it stands.
        if not (build := Path(said["build"])).exists():
            shutil.copytree(folder, build)
            self.folder, self.records = build, build / "records"

    def has(self, check):
        """Whether the check's edit, as it is now, is in a program that its tests run in."""
        one = self.checks.get(check.name)
        return one is not None and bool(one["in"]) and one["edit"] == [check.file, check.old, check.new]

    def program(self, name):
        return self.folder / self.where[name]

    def environment(self, name):
        return {"EVO_BINARY_PATH": str(self.program("evo"))} if "evo" in self.starts.get(name, ()) else {}

    def place(self, check, name):
        places = self.checks[check.name]["in"]  # in all programs the same, if the function is there at all
        return places.get(name, next(iter(places.values())))

    def one(self, check, name):
        return None, {}, ""

    def forget(self, check):
        pass
