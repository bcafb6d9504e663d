import json, os, signal, subprocess, time

from .stage import Raw, need_nats

DEEP = b"[" * 5000


def of_results(run):
    """(what it is, bytes): none of them may count, each is refused and said so."""
    body = lambda **k: json.dumps({"run": run, "id": "0" * 64, "nonce": "0" * 32, "worker": "x", "error": "", "body": "{}", **k}).encode()
    return [("nothing", b""), ("JSON that is cut off", b"{"), ("brackets, 5000 deep", DEEP), ("no UTF-8", b"\x00\xff"), ("a number as a name", b'{"run":1}'),
            ("a run whose name is a path", body(run="../../etc")), ("another run's result", body(run="another")), ("a job that nobody asked for", body()),
            ("a job whose name is a path", body(id="../x")), ("a job that is every job", body(id=">")), ("a worker whose name is a path", body(worker="../../root")),
            ("an error of 100 kB", body(error="x" * 100000)), ("text that steers a terminal", body(id="\x1b]0;owned\x07\x1b[2J")), ("more than a message may have", b"x" * ((8 << 20) + 1)),
            *[("a replay", body())] * 3]


def of_jobs(run):
    named = lambda **k: json.dumps({"run": run, "id": "0" * 64, "nonce": "n", "evo": "", "toolchain": "", "device": "virtual", "target": "", "body": "{}", **k}).encode()
    return [("nothing", b""), ("JSON that is cut off", b"{"), ("brackets, 5000 deep", DEEP), ("a body that is not its name's", named()),
            ("a run whose name is a path", named(run="../../etc"))]


def show(stage):
    need_nats()
    expected = stage.alone()
    stage.server()
    p = stage.spawn(*stage.run_words("attacked", "--farm", stage.url))
    name = stage.path("attacked", "farm")
    stage.wait_for(lambda: os.path.exists(name))
    run = open(name).read().strip(); time.sleep(3)
    results, jobs, raw = of_results(run), of_jobs(run), Raw(stage.port)
    for _, data in results: raw.pub("evo.results." + run, data)
    raw.pub("evo.results.other", b"{}")
    raw.pub("evo.presence.worker.x", b"[" * 9000)
    # What a worker says of itself has a say in the shares of runs.
    raw.pub("evo.presence.worker.many", b'{"threads": 1e300}'); raw.pub("evo.presence.worker.less", b'{"threads": -9007199254740993}')
    raw.pub("evo.presence.worker.colourful", b'{"threads": 1, "device": "\\u001b]0;owned\\u0007"}')
    raw.answer()
    too_long = Raw(stage.port)
    try: too_long.pub("evo.results." + run, b"x" * (9 << 20)); ended = b"Maximum Payload" in too_long.answer()
    except OSError: ended = True  # closed while it was still sending
    stage.check("a message of 9 MiB ends its connection", ended)
    babble = Raw(stage.port); babble.s.sendall(b"GET / HTTP/1.1\r\n\r\n" + b"\xff" * 9000 + b"\r\n")
    try: ended = b"closed" in babble.answer() or b"-ERR" in babble.answer()
    except OSError: ended = True
    stage.check("what is not NATS' protocol ends its connection", ended)
    code, status, said = stage.call("farm", "status", "--farm", stage.url, "--json")
    # A run that ended is listed until its last sign is 15 s old.
    stage.check("status stands presence that is no JSON " + said.strip(),
                code == 0 and run in [r["name"] for r in status["runs"]] and "x" not in [w["name"] for w in status["workers"]])
    shown = subprocess.run([stage.evo, "farm", "status", "--farm", stage.url], capture_output=True, timeout=stage.left())
    stage.check("and shows no worker's control characters", shown.returncode == 0 and b"colourful" in shown.stdout and b"\x1b" not in shown.stdout)
    # A run makes the stream of its jobs with its first one, and forgets what lies there and nobody waits for: it stands still
    # until the workers met all of them.
    stage.wait_for(lambda: b'"config"' in raw.ask("$JS.API.STREAM.INFO.EVO_JOBS_virtual"), pause=0.1)
    p.send_signal(signal.SIGSTOP)
    stage.check(f"{len(jobs)} forged jobs are in the queue", all(raw.kept(f"evo.jobs.virtual.{run}.attack{i}", data) for i, (_, data) in enumerate(jobs)))
    for _ in range(2): stage.worker()
    stage.wait_for(lambda: stage.log().count("taken off the queue") >= len(jobs), pause=0.1); p.send_signal(signal.SIGCONT)
    # Whoever reaches a server without tokens may say that any job is done: then it is put there again.
    thief = Raw(stage.port)
    while p.poll() is None and stage.trials_started("attacked") < 6: stage.left(); time.sleep(0.05)
    for i in range(1, 60): thief.pub(f"$JS.ACK.EVO_JOBS_virtual.workers.1.{i}.{i}.1.0", b"+TERM")
    thief.answer()
    stage.wait(p)
    stage.check(f"{len(results)} forged results, {len(jobs)} forged jobs, and jobs that a stranger took off: the lineage of one process",
                stage.lineage("attacked") == expected)
    text = stage.log()
    refused = [l for l in text.splitlines() if "results refused:" in l][-1].rsplit(": ", 1)[1]
    stage.check(f"refused and counted: {refused}", int(refused) >= len(results))
    lines = [l for l in text.splitlines() if "a result is refused" in l]
    for i, (what, _) in enumerate(results[:-2], 1): stage.check(f"refused and said so: {what}", any(f"the {i}. of this run" in l for l in lines))
    stage.check("nothing of it steers a terminal", not any(ord(c) < 32 for l in lines for c in l))
    stage.check(f"each of {len(jobs)} forged jobs is taken off the queue and said so", text.count("taken off the queue") >= len(jobs))
    stage.check("a path in an id writes nothing", not os.path.exists("/x"))
