import os, subprocess

from .stage import ROOT


def show(stage):
    words = [stage.evo, *stage.run_words("alone")]
    traced = subprocess.run(["env", "LD_DEBUG=files", *words], cwd=ROOT, capture_output=True, text=True, timeout=stage.left())
    stage.check("without --farm a run ends well and loads no NATS library", traced.returncode == 0 and "libnats" not in traced.stderr)
    stage.check("and leaves nothing of a farm in its folder", not os.path.exists(stage.path("alone", "farm")))
    code, _, said = stage.call(*stage.run_words("nobody", "--farm", stage.url))
    stage.check("no server: exit code 4 and what to do", code == 4 and "evo farm up" in said)
