import glob, os, re, shutil, subprocess

from .stage import ROOT

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


def show(stage):
    folder = os.path.join(ROOT, "packaging")
    files = {os.path.basename(f): open(f).read() for f in sorted(glob.glob(folder + "/*"))}
    try: import yaml
    except ImportError: yaml = None
    for name, text in files.items():
        if name == "README.md": continue
        if name.endswith(".yaml"):
            if yaml is None: print(f"skipped: no PyYAML for {name}"); continue
            parsed = yaml.safe_load(text)
            if name == "compose.yaml":
                words = [" ".join(s["command"]) for s in parsed["services"].values() if "command" in s]
                ok = set(parsed) == {"name", "services", "volumes"} and all(s.get("image") for s in parsed["services"].values())
                text = "\n".join(words)
            else:
                pod = parsed["spec"]["template"]["spec"]
                mounted = {m["name"] for c in pod["containers"] for m in c["volumeMounts"]}
                ok = (parsed["apiVersion"], parsed["kind"]) == ("batch/v1", "Job") and mounted == {v["name"] for v in pod["volumes"]}
                text = pod["containers"][0]["args"][0]
        elif name.endswith(".sh"): ok = subprocess.run(["bash", "-n", os.path.join(folder, name)]).returncode == 0
        elif name.endswith(".service"):
            ok = True
            if shutil.which("systemd-analyze"):
                # It wants the programs there: the unit is looked at with one that is.
                unit = stage.path(name); open(unit, "w").write(text.replace("/usr/local/bin/evo", stage.evo))
                said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=stage.left())
                ok = name not in said.stderr
                if not ok: print(said.stderr)
            else: print(f"      no systemd-analyze: {name} is only read")
        else:
            lines = [l for l in re.sub(r"\\\n", " ", text).splitlines() if l.strip() and not l.startswith("#")]
            ok = bool(lines) and all(l.split()[0] in INSTRUCTIONS for l in lines) and lines[0].startswith("FROM ")
            stage.check(f"packaging/{name}: each instruction is one", ok); continue
        stage.check(f"packaging/{name}: its syntax", ok)
        why = flags_known(stage, text)
        stage.check(f"packaging/{name}: options that evo has{': ' + why if why else ''}", not why)
