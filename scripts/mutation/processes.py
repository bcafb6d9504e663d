"""Processes, with the CPU seconds that each took with all that it started."""
import atexit
import os
import signal
import subprocess
import tempfile
import threading


RUNNING = set()


def end_all(*_):
    """None goes on when this one ends."""
    for group in list(RUNNING):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


def ended(*_):
    end_all()
    os._exit(143)


atexit.register(end_all)
signal.signal(signal.SIGTERM, ended)


class Spent:
    """CPU seconds by what they were spent on."""

    def __init__(self):
        self.lock, self.seconds, self.times = threading.Lock(), {}, {}

    def add(self, what, seconds):
        with self.lock:
            self.seconds[what] = self.seconds.get(what, 0) + seconds
            self.times[what] = self.times.get(what, 0) + 1

    def __str__(self):
        return "; ".join(f"{what} {seconds:.0f} s ({self.times[what]} times)" for what, seconds in self.seconds.items())


def run(words, spent, what, cwd=None, environment=None, longest=None):
    """(exit code, or None where it was ended after `longest` seconds; what it wrote). `words`: a list, or a line of sh."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, shell=isinstance(words, str), cwd=cwd, env=environment, stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
        RUNNING.add(process.pid)
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(longest, end) if longest else None
        if timer:
            timer.start()
        _, status, used = os.wait4(process.pid, 0)
        RUNNING.discard(process.pid)
        process.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
        spent.add(what, used.ru_utime + used.ru_stime)
        output.seek(0)
        return None if late.is_set() else process.returncode, output.read().decode(errors="replace")
