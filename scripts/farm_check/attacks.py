import json, os, random, time

from .stage import Raw, need_nats


def show(stage):
    need_nats()
    rng, expected = random.Random(stage.settings.seed), stage.alone()
    stage.server()
    p = stage.spawn(*stage.run_words("attacked", "--farm", stage.url))
    name = stage.path("attacked", "farm")
    stage.wait_for(lambda: os.path.exists(name))
    run = open(name).read().strip(); time.sleep(3)
    body = lambda **k: json.dumps({"run": run, "id": "0" * 64, "nonce": "0" * 32, "worker": "x", "error": "", "body": "{}", **k}).encode()
    raw = Raw(stage.port)
    forged = (b"", b"{", b"[" * 5000, b"\x00\xff", b'{"run":1}', body(run="../../etc"), body(run="another"), body(), body(id="../x"),
              body(id=">"), body(worker="../../root"), body(error="x" * 100000), b"x" * ((8 << 20) + 1))
    for data in forged: raw.pub("evo.results." + run, data)
    for again in range(3): raw.pub("evo.results." + run, body())  # a replay
    jobs = (b"", b"{", body(), b"[" * 5000)
    for data in jobs: raw.pub(f"evo.jobs.virtual.{run}.{rng.random()}"[:60].replace("0.", "a"), data)
    raw.pub("evo.results.other", body(run="other")); raw.pub("evo.presence.worker.x", b"[" * 9000)
    raw.answer()
    too_long = Raw(stage.port)
    try: too_long.pub("evo.results." + run, b"x" * (9 << 20)); ended = b"Maximum Payload" in too_long.answer()
    except OSError: ended = True  # closed while it was still sending
    stage.check("a message of 9 MiB ends its connection", ended)
    code, status, said = stage.call("farm", "status", "--farm", stage.url, "--json")
    # A run that ended is listed until its last sign is 15 s old.
    stage.check("status stands presence that is no JSON " + said.strip(),
                code == 0 and run in [r["name"] for r in status["runs"]] and "x" not in [w["name"] for w in status["workers"]])
    for _ in range(2): stage.worker()
    stage.wait(p)
    stage.check(f"{len(forged)} forged results, {len(jobs)} forged jobs and 3 replays later: the lineage of one process",
                stage.lineage("attacked") == expected)
    text = stage.log()
    refused = [l for l in text.splitlines() if "results refused:" in l][-1].rsplit(": ", 1)[1]
    stage.check(f"refused and counted: {refused}", int(refused) >= len(forged))
    stage.check("a job that is none is taken off the queue", "taken off the queue" in text)
    stage.check("a path in an id writes nothing", not os.path.exists("/x"))
