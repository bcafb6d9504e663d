"""What packaging/ starts is started, without what it is packaged for: its commands, as its user, with its token, and where a container would
have a root that cannot be written, on one."""
import os, re, shutil, subprocess

from .stage import need_nats

USER = "10001"
# Its mounts are its own. A token of the host is at hand before /tmp is another.
INSIDE = """set -e
mount --make-rprivate /
secret=$(cat "$TOKEN")
mount -o remount,bind,ro /
mount -t tmpfs -o mode=1777,size=$ROOM tmpfs /tmp
mkdir -p "/tmp$AT"
printf '%s\\n' "$secret" > "/tmp$AT/worker.token"
chown $OWNER "/tmp$AT" "/tmp$AT/worker.token"; chmod $MODE "/tmp$AT/worker.token"; chmod 755 "/tmp$AT"
mkdir -m 700 /tmp/run && chown $USER_ /tmp/run
cd "/tmp$CWD"
unset secret
umask $MASK
exec setpriv --reuid $USER_ --regid $USER_ --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all env -i $SET sh -c "$COMMAND"
"""


def kubernetes(text, yaml):
    pod = yaml.safe_load(text)["spec"]["template"]["spec"]
    room = next(v["emptyDir"]["sizeLimit"] for v in pod["volumes"] if "emptyDir" in v).replace("Mi", "m")
    command = pod["containers"][0]["args"][0].replace("/secret/", "/tmp/secret/")
    return dict(COMMAND=command, AT="/secret", CWD="", OWNER="0:" + USER, MODE="0440", ROOM=room, MASK="022")


def compose(text, yaml, url):
    worker = yaml.safe_load(text)["services"]["worker"]
    command = worker["command"][0].replace("nats://server:4222", url).replace("$$", "$")
    return dict(COMMAND=command, AT="/token", CWD="", OWNER=f"{USER}:{USER}", MODE="0600", ROOM="1g", MASK="022")


def systemd(text):
    command = re.search(r"(?m)^ExecStart=/bin/sh -c '(.*)'$", text).group(1).replace("$$", "$").replace("/usr/local/bin/evo", "evo")
    return dict(COMMAND=command, AT="/credentials", CWD="", OWNER=f"0:{USER}", MODE="0440", ROOM="1g", MASK=re.search(r"(?m)^UMask=(\d+)$", text).group(1))


def can(stage):
    if os.geteuid() != 0 or not shutil.which("setpriv"): return False
    return subprocess.run(["unshare", "-m", "mount", "-o", "remount,bind,ro", "/"], capture_output=True).returncode == 0


def works(stage, what, start, expected):
    """A run by the worker that `start` starts, and by nobody else."""
    before = stage.log().count(" serves "); p = start()
    stage.wait_for(lambda: stage.log().count(" serves ") > before or p.poll() is not None, 0.1)
    if not stage.check(f"packaging/{what}: its worker comes up" + (f": {stage.log()[-300:]}" if p.poll() is not None else ""), p.poll() is None): return
    code, out, said = stage.call(*stage.run_words("packaged-" + what, "--farm", stage.url, "--token-file", stage.path("farm", "run.token")),
                                 before=("env", "XDG_CACHE_HOME=" + stage.path("cache-" + what)))
    stage.check(f"packaging/{what}: its worker does a run's work: the lineage of one process" + (": " + said[-300:] if code else ""),
                code == 0 and out["lineage_sha256"] == expected and out["farm"]["answered"] > 0)
    stage.end(p, 15)
    stage.check(f"packaging/{what}: it leaves when it is told to" + ("" if p.returncode == 0 else f": {p.returncode}, {stage.log()[-600:]}"), p.returncode == 0)


def show(stage, folder, yaml):
    need_nats()
    if stage.evo.startswith("/tmp/"): print("skipped: evo lies below /tmp, which is another for what is started"); return
    if not can(stage): print("skipped: no namespaces of mounts here: nothing of packaging/ is started"); return
    expected = stage.alone()
    stage.server("--tokens")
    text = {name: open(os.path.join(folder, name)).read() for name in os.listdir(folder)}
    token, path = stage.path("farm", "worker.token"), f"{os.path.dirname(stage.evo)}:/usr/bin:/bin"
    # A container's home is on its root, which cannot be written; a unit of DynamicUser has none.
    common = f"PATH={path} EVO_FARM={stage.url}" + (f" CUDA_HOME={os.environ['CUDA_HOME']}" if "CUDA_HOME" in os.environ else "")
    settings = {"kubernetes-workers.yaml": (kubernetes(text["kubernetes-workers.yaml"], yaml), "HOME=/home/evo"),
                "compose.yaml": (compose(text["compose.yaml"], yaml, stage.url), "HOME=/home/evo"),
                "evo-worker.service": (systemd(text["evo-worker.service"]),
                                       "HOME=/ CREDENTIALS_DIRECTORY=/tmp/credentials RUNTIME_DIRECTORY=/tmp/run EVO_WORKER_OPTIONS=-j1")}
    for what, (own, home) in settings.items():
        env = {**os.environ, **own, "TOKEN": token, "USER_": USER, "SET": f"{common} {home}"}
        def start():
            with open(stage.path("log"), "a") as log:
                p = subprocess.Popen(["unshare", "-m", "sh", "-c", INSIDE], cwd="/", env=env, stdout=log, stderr=log)
            stage.children.append(p); return p
        works(stage, what, start, expected)
    # sbatch gives the script what is in its environment, and runs it as whoever sent it.
    home = stage.path("home"); os.makedirs(os.path.join(home, ".config", "evo")); shutil.copy2(token, os.path.join(home, ".config", "evo", "worker.token"))
    def batch():
        env = {**os.environ, "HOME": home, "PATH": f"{path}:/usr/local/bin", "EVO_FARM": stage.url, "SLURM_CPUS_PER_TASK": "1"}
        with open(stage.path("log"), "a") as log:
            p = subprocess.Popen(["bash", os.path.join(folder, "slurm-workers.sh")], cwd=stage.top, env=env, stdout=log, stderr=log)
        stage.children.append(p); return p
    works(stage, "slurm-workers.sh", batch, expected)
