import os, shutil, subprocess, time

from .stage import Raw, need_nats


def killed_half_way(stage, token, times=12):
    """evo farm token --revoke is killed at any moment; the next one ends it."""
    url, folder, left = stage.url, stage.path("farm"), []
    for i in range(times):
        name = f"k{i}"; stage.call("farm", "token", name, "--folder", folder)
        old = stage.path("k.token"); shutil.copy2(token("worker-" + name), old)
        p = stage.spawn("farm", "token", name, "--revoke", "--folder", folder)
        time.sleep(0.004 * i); stage.end(p)
        again, _, said = stage.call("farm", "token", name, "--revoke", "--folder", folder)
        # One that was whole before it was killed leaves nothing to do.
        ended = again == 0 or (p.returncode in (0, -9) and "no such token" in said)
        time.sleep(0.3)
        refused = stage.call("worker", "--farm", url, "--token-file", old, "--idle", "1", "--wait", "0")[0] == 4
        if not ended or not refused or os.path.exists(token("worker-" + name)) or os.path.exists(token("worker-" + name) + ".revoked"): left.append(i)
    stage.check(f"a revocation that is killed, {times} times, and asked for again: the token lets nobody in" + (f": not {left}" if left else ""), not left)


def show(stage):
    need_nats()
    expected, port, url = stage.alone(), stage.port, stage.url
    srv = stage.server("--tokens")
    token = lambda who: stage.path("farm", who + ".token")
    stage.check("tokens are their owner's alone", all(os.stat(token(w)).st_mode & 0o77 == 0 for w in ("run", "worker")))
    code, _, said = stage.call("farm", "status", "--farm", url)
    stage.check("no token: exit code 4, and what is missing", code == 4 and "--token-file" in said)
    code, _, said = stage.call("worker", "--farm", url)
    stage.check("a worker without a token: exit code 4, and what is missing", code == 4 and "--token-file" in said)
    stage.check("with the run's token: status", stage.call("farm", "status", "--farm", url, "--token-file", token("run"))[0] == 0)
    stage.check("a password in the address: exit code 2", stage.call("farm", "status", "--farm", url.replace("//", "//a:b@"))[0] == 2)
    wrong = stage.path("wrong.token"); open(wrong, "w").write("worker:" + "0" * 64 + "\n"); os.chmod(wrong, 0o600)
    stage.check("another token: exit code 4", stage.call("worker", "--farm", url, "--token-file", wrong)[0] == 4)
    os.chmod(wrong, 0o644)
    code, _, said = stage.call("worker", "--farm", url, "--token-file", wrong)
    stage.check("a token that others may read: exit code 4, and what to do", code == 4 and "chmod 600" in said)
    secret = open(token("worker")).read().strip().split(":", 1)[1]
    for subject in ("evo.jobs.virtual.r.x", "$JS.API.STREAM.PURGE.EVO_JOBS_virtual", "$JS.API.STREAM.DELETE.EVO_RESULTS", "evo.presence.run.x"):
        evil = Raw(port, {"user": "worker", "pass": secret}); evil.pub(subject, b"{}")
        stage.check(f"a worker may not write {subject}", b"Permissions Violation" in evil.answer())
    evil = Raw(port, {"user": "worker", "pass": secret}); evil.s.sendall(b"SUB evo.results.> 1\r\n")
    stage.check("a worker may not read results", b"Permissions Violation" in evil.answer())
    code, _, said = stage.call("farm", "token", "../a", "--folder", stage.path("farm"))
    stage.check("a token for a name that is a path: exit code 2", code == 2)
    for who in ("one", "two"): stage.call("farm", "token", who, "--folder", stage.path("farm"))
    time.sleep(1)  # the server reads them in a moment
    own = {who: open(token("worker-" + who)).read().strip().split(":", 1) for who in ("one", "two")}
    for subject in ("_EVO_WORKER.>", "_EVO_WORKER.*.>", "_EVO_WORKER.worker-one.>"):
        evil = Raw(port, {"user": own["two"][0], "pass": own["two"][1]}); evil.s.sendall(f"SUB {subject} 1\r\n".encode())
        stage.check(f"a worker may not read {subject}, another's jobs", b"Permissions Violation" in evil.answer())
    leaving = stage.worker("--token-file", token("worker-one")); time.sleep(1)
    stage.call("farm", "token", "one", "--revoke", "--folder", stage.path("farm"))
    stage.check("a worker whose own token is taken back ends with exit code 4, and the server stays up", stage.wait(leaving) == 4 and srv.poll() is None)
    killed_half_way(stage, token)
    crew = stage.worker("--token-file", token("worker"))
    run = stage.spawn(*stage.run_words("secret", "--farm", url, "--token-file", token("run")))
    words = []
    while run.poll() is None:
        stage.left()
        words.append(subprocess.run(["ps", "axwwe"], capture_output=True, text=True).stdout)
    stage.check("a run with tokens: the lineage of one process", run.returncode == 0 and stage.lineage("secret") == expected)
    secrets = [secret, open(token("run")).read().strip().split(":", 1)[1]]
    stage.check(f"no secret among the processes and their environments, {len(words)} looks",
                any("worker --farm" in w for w in words) and not any(s in w for s in secrets for w in words))
    found = [subprocess.run(["grep", "-raqs", s, stage.path("log"), stage.path("secret")]).returncode for s in secrets]
    stage.check("no secret in log, ledger or run folder", found == [1, 1])
    # The worker's token is taken back: it holds no longer, for whoever asks and for whoever is connected.
    old = stage.path("old.token"); os.rename(token("worker"), old); stage.end(srv); stage.server("--tokens")
    stage.check("a token that was taken back: exit code 4", stage.call("worker", "--farm", url, "--token-file", old)[0] == 4)
    stage.check("a worker that was connected with it ends with exit code 4", stage.wait(crew) == 4)
    stage.check("the fresh one holds", stage.call("worker", "--farm", url, "--token-file", token("worker"), "--idle", "1")[0] == 0)
