import signal, time

from .stage import need_nats


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
    for p in crew: stage.end(p, signal.SIGTERM)
