"""The cost of the inspector for a game of 60 frames a second: `inspecting.py` in this folder.

Three groups of the same machines are updated in every frame, one after the other: one that nobody
looks at, one that is inspected, one that is inspected with a page open. For 1, 100 and 5,000
machines the CPU time of an update of each is printed, its median and its mean, of several
repetitions the middle one, and the ratio to the group that nobody looks at. `--hour` simulates
instead an hour of one machine with a page open, and prints the memory of the process every ten
minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, sleep, thread_time
from typing import Final

from actions import Move, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.inspector import Inspector, inspect
from fsmkit.space import Transform

FRAME: Final = 1 / 60
READER: Final = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1].replace("http", "ws") + "socket", proxy=None, max_size=None) as page:
    for _ in page:
        pass
"""


def machine(number: int) -> Fsm[None]:
    body = Transform()
    fsm: Fsm[None] = Fsm(f"Npc {number}")
    go, rest = fsm.add_state("Go"), fsm.add_state("Rest")
    go.add_action(
        Move(body, (0.0, 0.0), (8.0, 0.0), duration=1.0 + number % 7, finish_event="THERE")
    )
    go.add_action(SendEventWhen(lambda _: body.position[0] > 9.0, "AWAY"))
    rest.add_action(TimedWait(0.5 + number % 5))
    go.add_transition("AWAY", rest)
    go.add_transition("THERE", rest)
    rest.add_transition(FINISHED, go)
    fsm.start()
    return fsm


def group(count: int) -> FsmGroup:
    return FsmGroup(machine(number) for number in range(count))


def read_along(inspector: Inspector) -> subprocess.Popen[bytes]:
    """Open a page, in a process of its own."""
    return subprocess.Popen([sys.executable, "-c", READER, inspector.url])


def compare(count: int, frames: int, repetitions: int) -> None:
    """Print the cost for that many machines: of each repetition the median and the mean."""
    bare, watched, read = (group(count) for _ in range(3))
    groups = {"bare": bare, "inspected": watched, "with a page open": read}
    medians: dict[str, list[float]] = {name: [] for name in groups}
    means: dict[str, list[float]] = {name: [] for name in groups}
    with inspect(watched, announce=None), inspect(read, announce=None) as inspector:
        reader = read_along(inspector)
        for _ in range(repetitions):
            for name, times in measure(groups, frames).items():
                medians[name].append(median(times))
                means[name].append(sum(times) / len(times))
        reader.terminate()
        reader.wait()
    print(f"\n{count} machines, {repetitions} x {frames} frames: CPU us per update of the group\n")
    print("| | median | mean | of bare, median | of bare, mean |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in groups:
        middle, mean = median(medians[name]), median(means[name])
        ratio = median(a / b for a, b in zip(medians[name], medians["bare"], strict=True))
        mean_ratio = median(a / b for a, b in zip(means[name], means["bare"], strict=True))
        print(f"| {name} | {middle:.0f} | {mean:.0f} | {ratio:.2f} | {mean_ratio:.2f} |")


def measure(groups: dict[str, FsmGroup], frames: int) -> dict[str, list[float]]:
    """Update the groups one after the other; return the CPU time of this thread for each update."""
    times: dict[str, list[float]] = {name: [] for name in groups}
    for _ in range(frames):
        begun = perf_counter()
        for name, each in groups.items():
            before = thread_time()
            each.update(FRAME)
            times[name].append((thread_time() - before) * 1e6)
        sleep(max(0.0, FRAME - (perf_counter() - begun)))
    return times


def simulate_an_hour() -> None:
    fsm = machine(1)
    with inspect(fsm, announce=None) as inspector:
        reader = read_along(inspector)
        for minute in range(61):
            if minute % 10 == 0:
                print(f"{minute:3} min  {resident():6.1f} MB")
            for _ in range(3600):
                fsm.update(FRAME)
        reader.terminate()
        reader.wait()


def resident() -> float:
    """Return the megabytes of memory; the tape is a file and not among them."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 100, 5000])
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--hour", action="store_true")
    options = parser.parse_args()
    if options.hour:
        simulate_an_hour()
    else:
        for count in options.machines:
            compare(count, options.frames, options.repetitions)


if __name__ == "__main__":
    main()
