"""Signals, over loops that come and go."""

import subprocess
import sys

SCENE = """
import asyncio, os, signal
from memtrigd.signals import Signals

signals, done = Signals(), []

async def serve(kill):
    over = asyncio.Event()
    signals.heed(asyncio.get_running_loop(), lambda: (done.append("stop"), over.set()), lambda: done.append("reload"))
    if kill:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0.2)
    else:
        await over.wait()

asyncio.run(serve(True))
print(done, signals.over)
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
    os.kill(os.getpid(), number)
asyncio.run(serve(False))
print(done, signals.over)
os.kill(os.getpid(), signal.SIGTERM)
print("here")
"""


def test_a_signal_between_two_loops_waits_for_the_next() -> None:
    """It neither ends the process nor is it lost; after the last loop one to stop has nothing to end."""
    ended = subprocess.run([sys.executable, "-c", SCENE], check=True, capture_output=True, text=True, timeout=30)
    first, second, last = ended.stdout.splitlines()
    assert (first, last) == ("['reload'] False", "here")
    assert second == "['reload', 'reload', 'stop', 'stop'] True"
