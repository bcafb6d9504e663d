import os, re, shlex, subprocess, time

from .stage import ROOT, Skipped, need, need_nats

PAGE = os.path.join(ROOT, "docs", "use", "farm.md")
# Of an experiment that costs more than the stage's.
FEW = 16


def ip(*words): return subprocess.run(["ip", *words], capture_output=True, text=True)


class Machines:
    """Two network namespaces on one cable, each with a folder of its own."""
    def __init__(self, stage):
        self.names = {who: f"evo-{who.lower()}-{os.getpid()}" for who in "AB"}
        self.cables = {who: f"evo{who.lower()}{os.getpid() % 100000}" for who in "AB"}
        self.address = {"A": "10.213.0.1", "B": "10.213.0.2"}
        self.folder = {who: stage.path("machine-" + who) for who in "AB"}
        made = [ip("netns", "add", name) for name in self.names.values()]
        made.append(ip("link", "add", self.cables["A"], "netns", self.names["A"], "type", "veth", "peer", "name", self.cables["B"],
                       "netns", self.names["B"]))
        for who in "AB":
            os.makedirs(self.folder[who])
            os.symlink(os.path.join(ROOT, "experiments"), os.path.join(self.folder[who], "experiments"))
            made += [self.ip(who, "addr", "add", self.address[who] + "/24", "dev", self.cables[who]), self.ip(who, "link", "set", "lo", "up"),
                     self.cable(who, "up")]
        if any(m.returncode for m in made):
            self.close(); raise Skipped("no network namespaces here: " + next(m.stderr for m in made if m.returncode).strip())

    def ip(self, who, *words): return ip("-n", self.names[who], *words)
    def cable(self, who, state): return self.ip(who, "link", "set", self.cables[who], state)
    def inside(self, who): return ["ip", "netns", "exec", self.names[who]]
    def slow(self, who, rate):
        return subprocess.run(["tc", "-n", self.names[who], "qdisc", "replace", "dev", self.cables[who], "root", "tbf", "rate", rate, "burst",
                               "64kbit", "latency", "400ms"], capture_output=True).returncode == 0
    def close(self):
        for name in self.names.values(): ip("netns", "del", name)


def commands():
    """(machine, words, in the background) of each line of the page's section on two machines."""
    block = re.search(r"## Two machines\n\n```sh\n(.*?)```", open(PAGE).read(), re.S).group(1)
    for line in block.splitlines():
        who, words = re.fullmatch(r"([AB])\$ (.*)", line).groups()
        words = shlex.split(words, comments=True)
        yield who, [w for w in words if w != "&"], "&" in words


def as_written(stage, machines):
    """The page's commands; A is its address, and scp a copy. Returns the folder of the run."""
    lines, runs = list(commands()), os.path.join(machines.folder["A"], "runs")
    stage.check(f"docs/use/farm.md: a farm of two machines in {len(lines)} commands", len(lines) <= 5)
    for who, words, stays in lines:
        words = [w.replace("://A:", f"://{machines.address['A']}:") for w in words]
        if words[0] == "scp":
            stage.wait_for(lambda: os.path.exists(os.path.join(machines.folder[who], words[1])))
            subprocess.run(["cp", "-p", os.path.join(machines.folder[who], words[1]), machines.folder[words[2].rstrip(":")]], check=True)
            continue
        more = ["--json", "--input-seed", "5", "--set", f"budget.trials={FEW}"] if words[1] == "run" else []
        inside = [*machines.inside(who), stage.evo, *words[1:], *more]
        if stays:
            with open(stage.path("log"), "a") as log:
                stage.children.append(subprocess.Popen(inside, cwd=machines.folder[who], stdout=log, stderr=log))
            # Who types the next line has seen this one's answer.
            if words[1] == "farm": stage.wait_for(lambda: "Server is ready" in open(stage.path("log")).read())
            continue
        p = subprocess.run(inside, cwd=machines.folder[who], capture_output=True, text=True, timeout=stage.left())
        stage.check(f"{who}$ evo {' '.join(words[1:3])}: exit code 0" + (": " + p.stderr[-300:] if p.returncode else ""), p.returncode == 0)
    return os.path.join(runs, *os.listdir(runs)[:1])


def show(stage):
    need_nats(); need("ip", "tc")
    machines = Machines(stage)
    try:
        folder = as_written(stage, machines)
        status = stage.call("lineage", folder, "--json")[1]
        alone = stage.call("run", "experiments/quickstart.yaml", "--device", "virtual", "--input-seed", "5", "--set",
                           f"budget.trials={FEW}", "--json", "-q", "--run-dir", stage.path("quickstart"))[1]
        stage.check("the lineage of one process", bool(status) and status.get("lineage_sha256") == alone.get("lineage_sha256"))
        url, token = f"nats://{machines.address['A']}:4222", os.path.join(machines.folder["A"], "farm", "run.token")
        words = lambda name: stage.run_words(name, "--farm", url.replace(machines.address["A"], "127.0.0.1"), "--token-file", token)
        expected = stage.alone()

        run = stage.spawn(*words("cut"), before=machines.inside("A"))
        stage.wait_for(lambda: run.poll() is not None or stage.trials_started("cut") >= 2, 0.1)
        machines.cable("B", "down"); time.sleep(30); still = run.poll() is None; machines.cable("B", "up")
        stage.check("30 s without a network: the run waits", still)
        stage.check("and ends with the lineage of one process", stage.wait(run) == 0 and stage.lineage("cut") == expected)

        if all(machines.slow(who, "4mbit") for who in "AB"):
            run = stage.spawn(*words("slow"), before=machines.inside("A"))
            stage.check("over 4 Mbit/s: the lineage of one process", stage.wait(run) == 0 and stage.lineage("slow") == expected)
        else: print("      this kernel makes no network slow")
    finally: machines.close()
