import glob, json, os, re, shutil, subprocess

from . import packaging_starts
from .stage import ROOT, need

FOLDER = os.path.join(ROOT, "packaging")
INSTRUCTIONS = set("ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR".split())


def flags_known(stage, text):
    """Every option that follows evo VERB in `text` is one of that verb's."""
    seen = 0
    for verb, words in re.findall(r"\bevo (farm up|worker|run)\b((?:[^#\n;&|']|\\\n)*)", text):
        offered = subprocess.run([stage.evo, *verb.split(), "--help"], capture_output=True, text=True, timeout=stage.left()).stdout
        for flag in re.findall(r"(?<![\w-])--[a-z-]+", words):
            seen += 1
            if not re.search(re.escape(flag) + r"\b", offered): return f"evo {verb} has no {flag}"
    return "" if seen else "no evo command found"


class Tools:
    """Those that are here; of one that is not it is said what stays unlooked at."""
    def __init__(self, stage): self.stage = stage
    def has(self, tool, name):
        if shutil.which(tool): return True
        print(f"skipped: no {tool} for {name}", flush=True); return False
    def check(self, what, *words, text=None, env=None):
        p = subprocess.run(words, input=text, capture_output=True, text=True, timeout=self.stage.left(), env={**os.environ, **(env or {})})
        self.stage.check(what + ("" if p.returncode == 0 else ": " + (p.stderr + p.stdout).strip()[-600:]), p.returncode == 0)
        return p


def leaves(value, path=()):
    if isinstance(value, dict): return {leaf for key, each in value.items() for leaf in leaves(each, (*path, key))} or {(*path, "{}")}
    if isinstance(value, list): return {leaf for i, each in enumerate(value) for leaf in leaves(each, (*path, i))}
    return {(*path, repr(value))}


def shell(tools, name, text):
    if tools.has("shellcheck", name): tools.check(f"packaging/{name}: its shell, by shellcheck", "shellcheck", "-s", "sh", "-", text=text)


def compose(stage, tools, name, text, yaml):
    services = yaml.safe_load(text)["services"]
    with_plugin = shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    if with_plugin or tools.has("docker-compose", name):
        # The older program of its own knows no name of the whole.
        copy = stage.path(name); open(copy, "w").write(text if with_plugin else re.sub(r"(?m)^name:.*\n", "", text))
        tools.check(f"packaging/{name}: by docker compose config", *(["docker", "compose"] if with_plugin else ["docker-compose"]), "-f", copy, "config", "-q")
    words = [" ".join(s["command"]) for s in services.values() if "command" in s]
    # A folder of the host is made by root, and evo is not.
    bound = [v for s in services.values() for v in s.get("volumes", []) if v.startswith((".", "/"))]
    stage.check(f"packaging/{name}: no folder of the host, which whoever runs there could not write{': ' + str(bound) if bound else ''}", not bound)
    for command in words: shell(tools, name, command.replace("$$", "$"))
    return "\n".join(words + [" ".join(s["entrypoint"]) for s in services.values() if len(s.get("entrypoint", [])) > 2])


def kubernetes(stage, tools, name, text, yaml):
    parsed = yaml.safe_load(text)
    pod = parsed["spec"]["template"]["spec"]
    mounted = {m["name"] for c in pod["containers"] for m in c["volumeMounts"]}
    stage.check(f"packaging/{name}: each volume is mounted", mounted == {v["name"] for v in pod["volumes"]})
    if tools.has("kubectl", name):
        # What kubectl's own types do not know is gone from what it writes.
        p = tools.check(f"packaging/{name}: by kubectl", "kubectl", "set", "env", "--local", "-f", os.path.join(FOLDER, name), "EVO_CHECKED=1", "-o", "json")
        try: lost = leaves(parsed) - leaves(json.loads(p.stdout))
        except ValueError: lost = {"everything"}
        stage.check(f"packaging/{name}: each field is one that kubectl knows{': not ' + str(lost) if lost else ''}", not lost)
    shell(tools, name, pod["containers"][0]["args"][0])
    return pod["containers"][0]["args"][0]


def slurm(stage, tools, name, text):
    tools.check(f"packaging/{name}: its syntax", "bash", "-n", os.path.join(FOLDER, name))
    if tools.has("shellcheck", name): tools.check(f"packaging/{name}: by shellcheck", "shellcheck", os.path.join(FOLDER, name))
    told = re.findall(r"(?m)^#SBATCH --signal=(\S+)", text)
    in_steps = re.search(r"(?m)^\s*(exec )?srun ", text)
    stage.check(f"packaging/{name}: the signal before the end reaches evo, which is no step of srun: {told}", bool(told) and (in_steps or told[0].startswith("B:")))
    return text


def systemd(stage, tools, name, text):
    if tools.has("systemd-analyze", name):
        # It wants the programs there: the unit is looked at with one that is.
        unit = stage.path(name); open(unit, "w").write(text.replace("/usr/local/bin/evo", stage.evo))
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=stage.left())
        stage.check(f"packaging/{name}: by systemd-analyze verify{': ' + said.stderr if name in said.stderr else ''}", name not in said.stderr)
    for command in re.findall(r"(?m)^ExecStart=/bin/sh -c '(.*)'$", text): shell(tools, name, command.replace("$$EVO_WORKER_OPTIONS", "--idle 1").replace("$$", "$"))
    return text


def dockerfile(stage, tools, name, text):
    lines = [l for l in re.sub(r"\\\n", " ", text).splitlines() if l.strip() and not l.startswith("#")]
    stage.check(f"packaging/{name}: each instruction is one", bool(lines) and all(l.split()[0] in INSTRUCTIONS for l in lines) and lines[0].startswith("FROM "))
    # npm's; or hadolint, which Debian has not.
    linter = next((words for words in (["hadolint", "--failure-threshold", "error"], ["dockerfile-utils", "lint"]) if shutil.which(words[0])), None)
    if linter: tools.check(f"packaging/{name}: by {linter[0]}", *linter, os.path.join(FOLDER, name))
    else: print(f"skipped: neither hadolint nor dockerfile-utils for {name}")
    ignored = open(os.path.join(ROOT, ".dockerignore")).read().split()
    stage.check("a build of this folder, whose cache names this folder, is not sent to docker", "/build" in ignored)


def show(stage):
    tools = Tools(stage)
    try: import yaml
    except ImportError: yaml = None
    for file in sorted(glob.glob(FOLDER + "/*")):
        name, text = os.path.basename(file), open(file).read()
        if name == "README.md": continue
        if name.endswith(".yaml") and yaml is None: print(f"skipped: no PyYAML for {name}"); continue
        if name == "Dockerfile": dockerfile(stage, tools, name, text); continue
        if name == "compose.yaml": words = compose(stage, tools, name, text, yaml)
        elif name.endswith(".yaml"): words = kubernetes(stage, tools, name, text, yaml)
        elif name.endswith(".sh"): words = slurm(stage, tools, name, text)
        else: words = systemd(stage, tools, name, text)
        why = flags_known(stage, words)
        stage.check(f"packaging/{name}: options that evo has{': ' + why if why else ''}", not why)
    if yaml is None: print("skipped: no PyYAML to start what is packaged")
    else: need("nats-server"); packaging_starts.show(stage, FOLDER, yaml)
