import os, random, time

from .stage import need_nats

DIED_OR_LOST_ITS_SERVER = (-9, 1, 3, 4)


def show(stage):
    need_nats()
    rng, expected = random.Random(stage.settings.seed), stage.alone()
    trials = stage.trials_of("alone")
    srv, crew = stage.server(), [stage.worker() for _ in range(2)]
    died, resumed, runs = {"worker": 0, "server": 0, "coordinator": 0}, 0, 0
    right = True
    # A run may be over before all were killed: then another one begins.
    while right and (runs == 0 or sum(died.values()) < stage.settings.kills):
        runs += 1; folder = f"killed{runs}"
        p = stage.spawn(*stage.run_words(folder, "--farm", stage.url))
        stage.wait_for(lambda: os.path.exists(stage.path(folder, "ledger.sqlite")) or p.poll() is not None)
        while p.poll() != 0:
            stage.left()
            if sum(died.values()) < stage.settings.kills:
                time.sleep(rng.uniform(0.2, 1.0))
                victim = rng.choice(["worker", "worker", "server", "coordinator"])
                if victim == "worker": i = rng.randrange(len(crew)); stage.end(crew[i]); crew[i] = stage.worker()
                elif victim == "server": stage.end(srv); time.sleep(rng.uniform(0, 1)); srv = stage.server()
                elif p.poll() is None: stage.end(p)
                else: continue
                died[victim] += 1
            else: time.sleep(0.1)
            if p.poll() not in (None, 0):
                if p.returncode not in DIED_OR_LOST_ITS_SERVER: break
                p = stage.spawn("resume", stage.path(folder), "--farm", stage.url); resumed += 1
        right = stage.check(f"run {runs}: the lineage of one process, no trial lost, none twice",
                            p.returncode == 0 and stage.lineage(folder) == expected and stage.trials_of(folder) == trials)
    print(f"      killed: {died}; resumed {resumed} times; {runs} runs")
