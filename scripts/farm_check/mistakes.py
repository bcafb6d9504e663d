import itertools, os, signal, socket, subprocess, time

from .stage import HOST, need_nats


def free_port():
    with socket.socket() as s: s.bind((HOST, 0)); return s.getsockname()[1]


def show(stage):
    need_nats()

    def says(what, code, word, *words):
        got, _, said = stage.call(*words)
        stage.check(f"{what}: exit code {code}, and '{word}'" + ("" if got == code and word in said else f" (was {got}: {said[-300:]})"), got == code and word in said)

    folders = itertools.count()
    run = lambda *more: stage.run_words(f"mistaken{next(folders)}", *more)
    for what, words in {"status": ("farm", "status"), "metrics": ("farm", "metrics"), "a worker": ("worker", "--wait", "0"), "a run": run()}.items():
        says(f"{what} without a server", 4, "evo farm up", *words, "--farm", stage.url)
    again = stage.run_words("mistaken-twice", "--farm", stage.url)
    for time_ in ("", " a second time"): says(f"a run without a server{time_} in one folder", 4, "evo farm up", *again)
    stage.check("and leaves no folder behind", not os.path.exists(stage.path("mistaken-twice")))
    for url in ("127.0.0.1:4222", "nats://", "nats://127.0.0.1:99999", "http://127.0.0.1:4222"):
        says(f"an address {url}", 2, "nats://HOST:PORT", "farm", "status", "--farm", url)
    says("a token file that is not there", 4, "no such token file", "farm", "status", "--farm", stage.url, "--token-file", stage.path("none"))

    srv = stage.server("--tokens")
    token = lambda who: ("--token-file", stage.path("farm", who + ".token"))
    up = lambda port, folder: ("farm", "up", "--port", str(port), "--folder", stage.path(folder))
    says("a second server at its port", 4, "--port", *up(stage.port, "another"))
    says("a second server in its folder", 4, "--folder", *up(free_port(), "farm"))
    says("metrics at a taken port", 4, "cannot listen", "farm", "metrics", "--farm", stage.url, *token("run"), "--port", str(stage.port))
    says("status with a worker's token", 4, "run.token", "farm", "status", "--farm", stage.url, *token("worker"))
    says("a run with a worker's token", 4, "run.token", *run("--farm", stage.url, *token("worker")))
    says("tls:// at a server without TLS", 4, "no secure connection", "farm", "status", "--farm", stage.url.replace("nats:", "tls:"), *token("run"))
    srv.send_signal(signal.SIGSTOP)
    says("a server that stands still", 4, "answer", "farm", "status", "--farm", stage.url, *token("run"))
    srv.send_signal(signal.SIGCONT)

    p = stage.spawn(*stage.run_words("alone-there", "--farm", stage.url, *token("run")))
    stage.wait_for(lambda: "no worker is there" in stage.log() or p.poll() is not None, 0.1)
    stage.check("a run without a worker says that it waits for one", p.poll() is None)
    worker = stage.worker(*token("worker"))
    stage.check("and ends well with one", stage.wait(p) == 0)
    stage.end(worker); stage.end(srv)

    # Nothing of evo's: a server that has no JetStream, and what is no server of NATS.
    port = free_port(); plain = subprocess.Popen(["nats-server", "-a", HOST, "-p", str(port)], stderr=subprocess.DEVNULL); stage.children.append(plain)
    time.sleep(1)
    for what, words in {"status": ("farm", "status"), "a worker": ("worker", "--idle", "2"), "a run": run()}.items():
        says(f"{what} at a server of NATS alone", 4, "evo farm up", *words, "--farm", f"nats://{HOST}:{port}")
    full_disk(stage)


def full_disk(stage):
    small = stage.path("small"); os.makedirs(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", small], capture_output=True).returncode:
        print("      no small disk can be made here"); return
    try:
        srv = stage.server(folder="small/farm")
        code, _, said = stage.call(*stage.run_words("full", "--farm", stage.url))
        stage.check("a server without room: exit code 4, and what it refuses", code == 4 and "storage" in said)
        stage.check("and status works", stage.call("farm", "status", "--farm", stage.url)[0] == 0)
        stage.end(srv)
    finally: subprocess.run(["umount", "-l", small], capture_output=True)
