import re, signal, time, urllib.request

from .stage import need_nats


def metrics(stage):
    """What Prometheus would read: {name with its label: value}."""
    said = re.findall(r"metrics of the farm: (\S+)", stage.log())
    text = urllib.request.urlopen(said[-1], timeout=10).read().decode()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}


def show(stage):
    need_nats()
    expected = {seed: stage.alone(f"alone{seed}", seed) for seed in (1, 2, 3)}
    stage.check("runs of other seeds have other lineages", len(set(expected.values())) == 3)
    stage.server()
    for n in stage.settings.workers:
        crew = [stage.worker() for _ in range(n)]
        start = time.time(); code, out, said = stage.call(*stage.run_words(f"w{n}", "--farm", stage.url)); took = time.time() - start
        stage.check(f"{n} workers: the lineage of one process ({took:.1f} s)", code == 0 and out["lineage_sha256"] == expected[1])
        stage.check(f"{n} workers: every answer theirs", code == 0 and out["farm"]["answered"] > 0 and out["farm"]["local"] == 0)
        if n != stage.settings.workers[-1]:
            for p in crew: stage.end(p, signal.SIGTERM)
    runs = {seed: stage.spawn(*stage.run_words(f"at-once{seed}", "--farm", stage.url, seed=seed)) for seed in expected}
    codes = {seed: stage.wait(p) for seed, p in runs.items()}
    stage.check("three runs at once: each the lineage of one process",
                all(codes[s] == 0 and stage.lineage(f"at-once{s}") == expected[s] for s in expected))
    # Machines that have compiled nothing yet.
    fresh = {who: ("env", "XDG_CACHE_HOME=" + stage.path("cache-" + who)) for who in ("first", "second")}
    first, second = (stage.call(*stage.run_words(who, "--farm", stage.url, seed=4), before=words) for who, words in fresh.items())
    compiles = lambda out: sum(n for line, n in out["farm"]["lines"].items() if line.startswith("NVRTC_"))
    stage.check(f"a run of another machine compiles nothing again that one before it did: {second[1]['farm']['shared']} were there",
                first[0] == second[0] == 0 and second[1]["farm"]["shared"] > 0 and compiles(second[1]) == 0
                and first[1]["lineage_sha256"] == second[1]["lineage_sha256"])
    exporter = stage.spawn("farm", "metrics", "--farm", stage.url, "--port", "0")
    stage.wait_for(lambda: "metrics of the farm: " in stage.log())
    read = metrics(stage)
    answered = sum(value for name, value in read.items() if name.startswith("evo_farm_worker_answered_total{"))
    stage.check(f"metrics: {len(crew)} workers, {answered:g} answers", read["evo_farm_workers"] >= len(crew) and answered > 0)
    stage.check("metrics: nothing waits", read["evo_farm_jobs_waiting"] == 0 and read["evo_farm_results_waiting"] == 0)
    stage.end(exporter, signal.SIGTERM)
    stage.check("metrics: it ends when it is told to", exporter.returncode == 0)
    for p in crew: stage.end(p, signal.SIGTERM)
