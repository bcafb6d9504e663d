// The program of the process that WarmPython forks from: python3 -c HOST PROGRAM ARGUMENTS...
#pragma once

namespace evo::evaluators::reference {

/// Reads frames (8 bytes of length, little-endian, then: seconds, and the further arguments, each behind a
/// NUL) and answers each with one: "exit CODE", "killed" or "timeout", a line end, and what the child printed
/// last. The imports that the program begins with are made ahead, up to the first other statement, which may
/// decide what an import does, and up to the first module that is not an installed one.
inline constexpr const char* warm_python_host = R"python(
import ast, importlib, os, runpy, select, signal, struct, sys, time

program = os.path.abspath(sys.argv[1])
given = sys.argv[2:]
here = os.path.dirname(program)
sys.path[0] = here
requests = os.fdopen(os.dup(0), "rb")
answers = os.fdopen(os.dup(1), "wb")
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)
os.dup2(2, 1)


def installed(name):
    try:
        spec = importlib.util.find_spec(name.split(".")[0])
        places = [spec.origin or ""] + list(spec.submodule_search_locations or [])
        return not any(os.path.abspath(place).startswith(here + os.sep) for place in places if place)
    except Exception:
        return False


def import_ahead(statements):
    for statement in statements:
        names = []
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0 and statement.module:
            names = [statement.module]
        elif isinstance(statement, ast.Try):
            if not import_ahead(statement.body):
                return False
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            return False
        for name in names:
            if not installed(name):
                return False
            try:
                importlib.import_module(name)
            except BaseException:
                return False
    return True


def die_with_parent():
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except Exception:
        pass


def watch(child, printed, seconds):
    until, text, open_ = time.monotonic() + seconds, b"", True
    while True:
        ready = select.select([printed], [], [], 0.02)[0] if open_ else time.sleep(0.002)
        if ready:
            more = os.read(printed, 65536)
            open_ = bool(more)
            text = (text + more)[-65536:]
        elif os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            try:
                os.killpg(child, signal.SIGKILL)  # what it has started; itself it is still there to be waited for
            except OSError:
                pass
            status = os.waitpid(child, 0)[1]
            break
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return b"timeout", text
    while open_ and select.select([printed], [], [], 0)[0]:
        more = os.read(printed, 65536)
        open_ = bool(more)
        text = (text + more)[-65536:]
    return (b"exit %d" % os.WEXITSTATUS(status) if os.WIFEXITED(status) else b"killed"), text


with open(program, "rb") as file:
    try:
        import_ahead(ast.parse(file.read(), program).body)
    except SyntaxError:
        pass
while True:
    head = requests.read(8)
    if len(head) < 8:
        os._exit(0)
    parts = requests.read(struct.unpack("<Q", head)[0]).split(b"\0")
    printed, prints = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        die_with_parent()
        os.dup2(prints, 1)
        os.dup2(prints, 2)
        for descriptor in (printed, prints, requests.fileno(), answers.fileno(), nothing):
            os.close(descriptor)
        sys.argv = [sys.argv[1]] + given + [os.fsdecode(part) for part in parts[1:]]
        break
    try:
        os.setpgid(child, child)
    except OSError:
        pass
    os.close(prints)
    how, text = watch(child, printed, float(parts[0]))
    os.close(printed)
    answer = how + b"\n" + text
    answers.write(struct.pack("<Q", len(answer)) + answer)
    answers.flush()
runpy.run_path(sys.argv[0], run_name="__main__")
)python";

}  // namespace evo::evaluators::reference
