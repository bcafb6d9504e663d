import os, re, time

from .stage import Raw, need_nats


def said_limits(stage):
    """What the last evo farm up printed: connections, MiB of disk, MiB of memory, MiB of a message."""
    found = re.findall(r"limits: +(\d+) connections, (\d+) MiB of disk, (\d+) MiB of memory, messages of (\d+) MiB", stage.log())
    return [int(n) for n in found[-1]] if found else None


def show(stage):
    need_nats()
    expected = stage.alone()
    srv = stage.server()
    stage.check(f"evo farm up says its limits: {said_limits(stage)}", said_limits(stage) is not None)
    stage.end(srv)
    for option, value in (("--max-connections", "7"), ("--max-disk", "127"), ("--max-memory", "0")):
        code, _, said = stage.call("farm", "up", option, value, "--port", str(stage.port), "--folder", stage.path("wrong"))
        stage.check(f"farm up {option} {value}: exit code 2, and which option", code == 2 and option in said)
    stage.check("and no folder is made", not os.path.exists(stage.path("wrong")))

    # The least that it may be. A worker of one thread has a connection a line, and one that stands by.
    srv = stage.server("--max-connections", "16", "--max-disk", "128", "--max-memory", "1", folder="least")
    stage.check(f"and of a small one: {said_limits(stage)}", said_limits(stage)[:3] == [16, 128, 1])
    code, _, said = stage.call("worker", "--farm", stage.url, "-j", "16", "--wait", "0")
    stage.check("a worker that wants more connections than there are: exit code 4, and --max-connections", code == 4 and "--max-connections" in said)
    many = Raw(stage.port)
    many.s.sendall(b"".join(b"SUB x.%d %d\r\n" % (i, i) for i in range(300)))
    stage.check("more than 256 subscriptions of a connection are refused", b"maximum subscriptions exceeded" in many.answer())
    many.s.close()
    shouter = Raw(stage.port)
    for i in range(400): shouter.pub(f"evo.presence.worker.w{i}", b'{"threads": 0, "x": "' + b"y" * 12000 + b'"}')
    shouter.answer(); shouter.s.close()
    worker = stage.worker()
    code, out, said = stage.call(*stage.run_words("small", "--farm", stage.url))
    stage.check("128 MiB of disk, 1 MiB of memory, 400 signs of nobody: the lineage of one process " + (said[-300:] if code else ""),
                code == 0 and out["lineage_sha256"] == expected and out["farm"]["answered"] > 0)
    # All connections are taken: who comes waits for one.
    stage.end(worker)
    takers = [Raw(stage.port) for _ in range(16)]
    waiting = stage.worker("--wait", "60"); time.sleep(2)
    stage.check("a worker that finds all connections taken waits", waiting.poll() is None)
    code, _, said = stage.call("farm", "status", "--farm", stage.url)
    stage.check("and status ends with exit code 4, and --max-connections", code == 4 and "--max-connections" in said)
    for taker in takers: taker.s.close()
    code, out, said = stage.call(*stage.run_words("later", "--farm", stage.url, seed=2))
    stage.check("and gets one", code == 0 and out["farm"]["answered"] > 0 and waiting.poll() is None)
    stage.end(srv)
