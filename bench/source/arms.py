"""Runs of evo that differ in a setting, seed by seed, and how much one arm gains on another."""
import argparse
import atexit
import concurrent.futures
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

STUDENT_95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 19: 2.093}


def parser(text):
    """What all such programs take."""
    made = argparse.ArgumentParser(description=text)
    made.add_argument("evo")
    made.add_argument("experiments", nargs="+")
    made.add_argument("--trials", type=int, default=500)
    made.add_argument("--seeds", type=int, default=3)
    made.add_argument("--jobs", type=int, default=1)
    made.add_argument("--threads", type=int, default=0)
    made.add_argument("--device", action="append", default=[])
    made.add_argument("--set", action="append", default=[])
    return made


def run(arguments, experiment, settings, seed, device, folder):
    """The report of one run, as --json prints it."""
    population, trials = 20, arguments.trials
    given = {"search.seed": seed, "search.population": population,
             "search.generations": max(1, trials // population), "search.window": 8, "budget.trials": trials,
             "gates.permuted_runs": 2, "budget.insight_checks": 0, **settings}
    given.update(text.split("=", 1) for text in arguments.set)
    command = [arguments.evo, "run", experiment, "--json", "-q", "--run-dir", folder, "--input-seed", "5"]
    if device:
        command += ["--device", device]
    if arguments.threads:
        command += ["-j", str(arguments.threads)]
    for key, value in given.items():
        command += ["--set", f"{key}={value}"]
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"{experiment}: exit code {output.returncode}: {output.stderr[-2000:] or output.stdout[:2000]}")
    return json.loads(output.stdout)


def run_all(arguments, arms, seeds=None):
    """{(experiment, seed, arm): future of a report}; `arms`: arm -> settings. Devices take turns, --jobs run at a time."""
    pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
    folder = tempfile.mkdtemp(prefix="evo-arms-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    reports, number = {}, 0
    for experiment in arguments.experiments:
        for seed in range(1, (seeds or arguments.seeds) + 1):
            for arm, settings in arms.items():
                device = arguments.device[number % len(arguments.device)] if arguments.device else ""
                reports[experiment, seed, arm] = pool.submit(run, arguments, experiment, settings, seed, device,
                                                             os.path.join(folder, str(number)))
                number += 1
    return reports


def with_baseline(experiment, design):
    """The path of a copy of the experiment, beside it, whose baseline is `design` (a report's champion); who asked removes it."""
    kept, inside = [], False
    with open(experiment) as text:
        for line in text:
            inside = line.startswith("baseline:") or (inside and line[:1] in " #\n")
            if not inside:
                kept.append(line)
    baseline = {"template": design["template"], "genes": design["genes"]}
    handle, path = tempfile.mkstemp(prefix=".baseline-", suffix=".yaml", dir=os.path.dirname(os.path.abspath(experiment)))
    with os.fdopen(handle, "w") as copy:
        copy.write("".join(kept) + f"baseline: {json.dumps(baseline)}\n")
    return path


def gain_of(report):
    """Latency of the baseline over that of the champion."""
    return report["baseline"]["latency_us"] / report["champion"]["latency_us"]


def name_of(experiment):
    """What the experiment calls itself."""
    with open(experiment) as text:
        return next(line.split(":", 1)[1].strip() for line in text if line.startswith("name:"))


def interval(ratios):
    """Geometric mean of ratios that are paired by seed, and Student's 95 % interval over their logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    if len(logs) < 2 or len(logs) - 1 not in STUDENT_95:
        return math.exp(mean), (0, math.inf)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    half = STUDENT_95[len(logs) - 1] * deviation / math.sqrt(len(logs))
    return math.exp(mean), (math.exp(mean - half), math.exp(mean + half))
