"""The cost of the inspector for a game of 60 frames a second: `inspecting.py` in this folder.

Three groups of the same machines are updated in every frame, one after the other: one that nobody
looks at, one that is inspected, one that is inspected with a page open. For 1, 100 and 5,000
machines the CPU time of an update of each is printed, its median and its mean, of several
repetitions the middle one, and the ratio to the group that nobody looks at. `--against TREE` does
so for another checkout as well, in a process of its own that takes turns with this one. `--hour`
simulates instead an hour of one machine with a page open, and prints the memory of the process
every ten minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import ExitStack
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


class Times:
    """What the updates of each group cost: of each repetition the median and the mean."""

    def __init__(self) -> None:
        self.medians: dict[str, list[float]] = {}
        self.means: dict[str, list[float]] = {}

    def add(self, times: dict[str, list[float]]) -> None:
        for name, each in times.items():
            self.medians.setdefault(name, []).append(median(each))
            self.means.setdefault(name, []).append(sum(each) / len(each))

    def print(self) -> None:
        print("| | median | mean | of bare, median | of bare, mean |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for name, medians in self.medians.items():
            middle, mean = median(medians), median(self.means[name])
            ratio, mean_ratio = (
                median(a / b for a, b in zip(each[name], each["bare"], strict=True))
                for each in (self.medians, self.means)
            )
            print(f"| {name} | {middle:.0f} | {mean:.0f} | {ratio:.2f} | {mean_ratio:.2f} |")


def compare(count: int, frames: int, repetitions: int, other: Path | None) -> None:
    """Print the cost for that many machines, also for those of the other checkout."""
    trees = {"this checkout": Path(__file__).parents[2], **({str(other): other} if other else {})}
    found = {name: Times() for name in trees}
    with ExitStack() as stack:
        workers = {name: stack.enter_context(worker(tree, count)) for name, tree in trees.items()}
        for _ in range(repetitions):
            for name, each in workers.items():
                found[name].add(told(each, frames))
    print(f"\n{count} machines, {repetitions} x {frames} frames: CPU us per update of the group")
    for name, times in found.items():
        print(f"\n{name}\n")
        times.print()


def worker(tree: Path, count: int) -> subprocess.Popen[str]:
    """Start a process with the machines of this checkout, which waits to be told to measure."""
    return subprocess.Popen(
        [sys.executable, __file__, "--work", str(count)],
        env={**os.environ, "PYTHONPATH": str(tree)}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def told(worker: subprocess.Popen[str], frames: int) -> dict[str, list[float]]:
    """Have a worker measure."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{frames}\n")
    worker.stdin.flush()
    times: dict[str, list[float]] = json.loads(worker.stdout.readline())
    return times


def work(count: int) -> None:
    """Measure as often as told, until the input ends."""
    bare, watched, read = (group(count) for _ in range(3))
    groups = {"bare": bare, "inspected": watched, "with a page open": read}
    with inspect(watched, announce=None), inspect(read, announce=None) as inspector:
        reader = read_along(inspector)
        for frames in sys.stdin:
            print(json.dumps(measure(groups, int(frames))), flush=True)
        reader.terminate()
        reader.wait()


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
    parser.add_argument("--against", type=Path, metavar="TREE")
    parser.add_argument("--hour", action="store_true")
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
    elif options.hour:
        simulate_an_hour()
    else:
        for count in options.machines:
            compare(count, options.frames, options.repetitions, options.against)


if __name__ == "__main__":
    main()
