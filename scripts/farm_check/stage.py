"""What the parts of scripts/farm-check share: a folder, a server, workers, runs, and a clock that ends it all."""
import glob, json, os, shutil, signal, socket, sqlite3, subprocess, tempfile, time

HOST, ROOT = "127.0.0.1", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Of cheap trials: what is looked at is the farm.
EXPERIMENT = "examples/row_softmax/experiment.yaml"


class Skipped(Exception): pass
class OutOfTime(Exception): pass


def need(*programs):
    os.environ["PATH"] += ":/usr/sbin"
    for program in programs:
        if not shutil.which(program): raise Skipped(f"no {program} here")


def need_nats():
    need("nats-server")
    if not any(glob.glob("/usr/lib/*/libnats.so.3*") + glob.glob("/usr/local/lib/libnats.so.3*")): raise Skipped("no libnats here")


class Stage:
    def __init__(self, settings):
        self.settings, self.evo = settings, os.path.abspath(settings.evo)
        self.top = tempfile.mkdtemp(prefix="evo-farm-")
        self.failures, self.children, self.checks = [], [], 0
        self.ends = time.time() + settings.minutes * 60
        with socket.socket() as s: s.bind((HOST, 0)); self.port = s.getsockname()[1]
        self.url = f"nats://{HOST}:{self.port}"

    def close(self):
        for p in self.children: self.end(p)
        if self.failures: print("kept: " + self.top)
        else: shutil.rmtree(self.top, ignore_errors=True)

    def left(self):
        left = self.ends - time.time()
        if left <= 0: raise OutOfTime
        return left
    def wait_for(self, what, pause=0.02):
        while not what(): self.left(); time.sleep(pause)
    def wait(self, p):
        try: return p.wait(self.left())
        except subprocess.TimeoutExpired: raise OutOfTime

    def check(self, what, ok):
        self.checks += 1
        print(("ok    " if ok else "WRONG ") + what, flush=True)
        if not ok: self.failures.append(what)
        return ok

    def path(self, *names): return os.path.join(self.top, *names)
    def log(self): return open(self.path("log")).read() if os.path.exists(self.path("log")) else ""
    def spawn(self, *words, before=()):
        with open(self.path("log"), "a") as log:
            p = subprocess.Popen([*before, self.evo, *words], cwd=ROOT, stdout=log, stderr=log)
        self.children.append(p); return p
    def server(self, *more, folder="farm", host=HOST, before=(), reach=()):
        p = self.spawn("farm", "up", "--port", str(self.port), "--host", host, "--folder", self.path(folder), *more, before=before)
        def up():
            if p.poll() is not None: raise SystemExit("the server does not come up: " + self.log()[-2000:])
            return subprocess.run([*reach, "bash", "-c", f"exec 3<>/dev/tcp/{host}/{self.port}"], capture_output=True).returncode == 0
        self.wait_for(up, 0.05)
        return p
    def worker(self, *more, url=None, before=()):
        return self.spawn("worker", "--farm", url or self.url, "-j", "1", *more, before=before)
    def end(self, p, sig=signal.SIGKILL):
        if p.poll() is None: p.send_signal(sig)
        try: p.wait(30)
        except subprocess.TimeoutExpired: p.kill(); p.wait()
    def run_words(self, folder, *more, seed=1):
        return ["run", EXPERIMENT, "--device", "virtual", "--input-seed", "5", "--set", f"budget.trials={self.settings.trials}",
                "--set", "search.population=12", "--set", "search.generations=20", "--set", f"search.seed={seed}",
                "--run-dir", self.path(folder), "--json", *more]
    def call(self, *words, before=()):
        """Exit code, what --json prints, what is said on stderr."""
        try: p = subprocess.run([*before, self.evo, *words], cwd=ROOT, capture_output=True, text=True, timeout=self.left())
        except subprocess.TimeoutExpired: raise OutOfTime
        return p.returncode, (json.loads(p.stdout) if p.stdout.startswith("{") else {}), p.stderr
    def alone(self, folder="alone", seed=1):
        """The lineage of one process."""
        code, out, said = self.call(*self.run_words(folder, seed=seed))
        if code != 0: raise SystemExit("the run without a farm fails: " + said[-2000:])
        return out["lineage_sha256"]
    def trials_of(self, folder):
        db = sqlite3.connect(f"file:{self.path(folder)}/ledger.sqlite?mode=ro", uri=True)
        return sorted(row[0] for row in db.execute("select trial from trials"))
    def trials_started(self, folder):
        try: return len(self.trials_of(folder))
        except sqlite3.Error: return 0
    def lineage(self, folder): return self.call("lineage", self.path(folder), "--json")[1].get("lineage_sha256")


class Raw:
    """The protocol of NATS by hand: it sends whatever it is told."""
    def __init__(self, port, auth=None):
        self.s = socket.create_connection((HOST, port), 5); self.s.settimeout(5)
        self.s.recv(65536)
        self.s.sendall(b"CONNECT " + json.dumps({"verbose": False, "headers": True, **(auth or {})}).encode() + b"\r\n")
    def pub(self, subject, data): self.s.sendall(f"PUB {subject} {len(data)}\r\n".encode() + data + b"\r\n")
    def ask(self, subject, data=b""):
        """What comes back, b"" after 5 s without an answer."""
        self.s.sendall(b"SUB raw.answer 1\r\n" + f"PUB {subject} raw.answer {len(data)}\r\n".encode() + data + b"\r\n")
        text = b""
        try:
            while b"MSG raw.answer 1 " not in text or not text.endswith(b"}\r\n"):
                got = self.s.recv(65536)
                if not got: break
                text += got
        except OSError: pass
        self.s.sendall(b"UNSUB 1\r\n")
        return text
    def kept(self, subject, data):
        """Published, and a stream has it: one that is not made yet keeps nothing."""
        text = self.ask(subject, data)
        return b'"stream"' in text and b'"error"' not in text
    def answer(self):
        self.s.sendall(b"PING\r\n"); text = b""
        try:
            while b"PONG" not in text:
                got = self.s.recv(65536)
                if not got: return text + b"closed"
                text += got
        except OSError: pass
        return text
