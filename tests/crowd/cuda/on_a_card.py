"""Crowds on an NVIDIA card beside the same crowds on the CPU: are all bits the same, and how fast?

    python tests/crowd/cuda/on_a_card.py               compares and measures, in five minutes
    python tests/crowd/cuda/on_a_card.py --simulate    compares few agents in numba's simulator

Needs fsmkit with its extra `cuda`, the CUDA toolkit as packages (`numba-cuda[cu12]` or `[cu13]`)
unless CUDA is installed, and the files beside this one, `pairs.py` and `programs.py`. It prints a
table in Markdown. Exits with 1 if anything differs, and with 2 if there is no card.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from time import perf_counter
from typing import Any, Final

if "--simulate" in sys.argv:
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # numba reads it when it is imported

try:
    import numpy as np
    import programs
    from attrs import define, frozen
    from pairs import Pair

    from fsmkit.crowd import Cells, Crowd, CrowdError, CrowdFsm, Places, SubsetError
    from fsmkit.crowd.cuda.engine import check_card, cuda, is_simulated
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(2)

BUDGET: Final = 240.0
"""Seconds after which no further program is begun."""

AGENTS: Final = 20_000
SIMULATED_AGENTS: Final = 40
INEXACT_AGENTS: Final = 500
MEASURED_AGENTS: Final = 1_000_000
ROUNDS: Final = 5
STEPS: Final = 10

PACKAGES: Final = (
    "fsmkit", "numpy", "numba", "numba-cuda", "cuda-bindings", "cuda-core", "nvidia-cuda-nvcc-cu12",
    "nvidia-cuda-nvcc",
)  # fmt: skip

Course = Callable[[Any, int], None]


@frozen
class Program:
    """A machine, and what happens to its crowds."""

    title: str
    machine: Callable[[], CrowdFsm]
    course: Course
    seed: int = 5
    dtype: str = "float64"
    exact: bool = True


@define
class Outcome:
    """What a comparison has shown."""

    program: Program
    agents: int
    seconds: float = 0.0
    errors: int = 0
    """The steps in which agents raised, on both sides alike."""
    difference: str = ""
    skipped: bool = False

    @property
    def text(self) -> str:
        if self.skipped:
            return "not compared: out of time"
        return f"**differs**: {self.difference}" if self.difference else "all bits are the same"


# What happens to the crowds


def updates(pair: Any, count: int = 5, dt: float = 0.1) -> None:
    for step in range(count):
        pair.both(lambda crowd, at=step: setattr(crowd.world, "player", float(at % 3)))
        pair.both(lambda crowd: crowd.update(dt))


def begun(pair: Any, state: str) -> None:
    pair.both(programs.fill)
    pair.both(lambda crowd: setattr(crowd.world, "row", np.array([0.25, -1.0, 3.0])))
    pair.both(lambda crowd: crowd.start(state))


def light_course(pair: Any, size: int) -> None:
    begun(pair, "Patrol")
    updates(pair)
    pair.both(lambda crowd: crowd.send_event("HOME", list(range(0, size, 3))))
    pair.both(lambda crowd: crowd.send_event("SEE", where=crowd.read("x") > 0.0))
    pair.both(lambda crowd: crowd.start("Chase", where=crowd.read("ok")))
    updates(pair)


def heavy_course(pair: Any, size: int) -> None:
    pair.both(programs.fill)
    pair.both(lambda crowd: crowd.write("n", 2**62, agents=[0]))
    pair.both(lambda crowd: crowd.start("Patrol"))
    for step in range(5):
        pair.both(lambda crowd, at=step: setattr(crowd.world, "on", at % 2 > 0))
        updates(pair, 1)
        pair.both(lambda crowd: crowd.send_event("GO", where=list(range(0, size, 3))))
    pair.both(lambda crowd: crowd.world.walls.fill(True))
    pair.both(lambda crowd: crowd.start("Chase"))


def stroll_course(pair: Any, _size: int) -> None:
    begun(pair, "Out")
    updates(pair)


def living_course(pair: Any, _size: int) -> None:
    pair.both(programs.fill)
    pair.both(lambda crowd: crowd.write("n", 1, agents=crowd.read("n") == 0))
    pair.both(lambda crowd: crowd.start("Old"))
    updates(pair, 4, 0.5)


def travel_course(pair: Any, _size: int) -> None:
    pair.both(programs.fill)
    pair.both(lambda crowd: crowd.start("Start"))
    updates(pair, 8)


def neighbours_course(pair: Any, size: int) -> None:
    pair.both(lambda crowd: programs.scatter(crowd, size))
    pair.both(lambda crowd: crowd.start("Watch"))
    pair.both(declared)
    updates(pair, 4, 0.2)


def declared(crowd: Crowd) -> None:
    cells = Cells(crowd, "x", "y", size=1.5)
    cells.count(into="near", where="Watch")
    cells.mean("x", into="mean")
    cells.nearest(distance="gap", id="who")
    Places(crowd, "place").share("Flee", into="share", for_="Watch")


def coming_and_going_course(pair: Any, size: int) -> None:
    begun(pair, "Patrol")
    pair.both(lambda crowd: crowd.remove([0, 1, size // 2]))
    updates(pair, 1)
    pair.both(lambda crowd: list(crowd.add(4, start="Patrol", x=[0.5, 1.0, 1.5, 2.0])))
    updates(pair, 1)
    pair.both(promoted)
    updates(pair, 1)
    pair.both(lambda crowd: crowd.remove("Chase"))
    updates(pair, 1)


def promoted(crowd: Crowd) -> None:
    """Change one agent as an ordinary machine, and put it in the place of another."""
    fsm = crowd.fsm(7)
    fsm.context.agent.x = 0.125
    crowd.put(8, fsm)


def rests_course(pair: Any, size: int) -> None:
    special, whole = programs.SPECIAL, programs.WHOLE
    pair.both(lambda crowd: crowd.start("Once"))
    for divisor, number in enumerate(special):
        pair.both(lambda crowd: crowd.write("x", np.resize(special, size)))
        pair.both(lambda crowd: crowd.write("y", np.resize(special, size)))
        pair.both(lambda crowd: crowd.write("n", np.resize(whole, size)))
        pair.both(lambda crowd: crowd.write("m", np.resize(whole, size) // 2))
        pair.both(lambda crowd, by=number: setattr(crowd.world, "player", by))
        pair.both(lambda crowd, by=whole[divisor % 8]: setattr(crowd.world, "k", by))
        pair.both(lambda crowd: crowd.update(0.1))


def all_programs() -> list[Program]:
    light, heavy = programs.light, programs.heavy
    return [
        Program("actions, events, parameters, memory", light, light_course),
        Program("the same, float32", light, light_course, dtype="float32"),
        Program("agents added, removed, promoted", light, coming_and_going_course),
        Program("loops, match, rows of tables, draws", programs.strollers, stroll_course, seed=11),
        Program("quotients and remainders", programs.rests, rests_course),
        Program("the library's actions", programs.travellers, travel_course, seed=3),
        Program("neighbours", programs.watchers, neighbours_course),
        Program("births and deaths", programs.living, living_course, seed=4),
        Program("arithmetic, guards, errors, tables", heavy, heavy_course, seed=2**40 + 7),
        Program("the same, float32", heavy, heavy_course, seed=2**40 + 7, dtype="float32"),
    ]


# Comparing


def compared(program: Program, size: int) -> Outcome:
    outcome, begun_at = Outcome(program, size), perf_counter()
    try:
        pair = Pair(
            program.machine(), size, seed=program.seed, dtype=program.dtype, exact=program.exact
        )
        program.course(pair, size)
        outcome.errors = len(pair.failures)
    except AssertionError as error:
        outcome.difference = (str(error).splitlines() or ["a column"])[0][:200]
    except Exception as error:  # a kernel that the card does not run is a difference, too
        outcome.difference = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    outcome.seconds = perf_counter() - begun_at
    return outcome


def refused() -> Iterator[tuple[str, ...]]:
    """Yield the inexact functions: why they are refused, and how much they differ if allowed."""
    options: dict[str, Any] = {"target": "cuda", "exact": False}
    here, card = (
        Crowd(programs.inexact(), INEXACT_AGENTS, seed=11, **each) for each in ({}, options)
    )
    for name, function in programs.INEXACT.items():
        try:
            Crowd(programs.once(function), 1, target="cuda")
        except SubsetError as error:
            why = str(error).partition("(): ")[2].partition(". ")[0]
        else:
            why = "**was not refused**"
        results = []
        for crowd in (here, card):
            crowd.write("x", np.linspace(0.01, 0.99, INEXACT_AGENTS))
            crowd.start(name)
            crowd.update(0.1)
            results.append(crowd.read("y"))
        difference = np.abs(results[0] - results[1]) / np.maximum(np.abs(results[0]), 1e-300)
        yield name, why, f"{difference.max():.1e}"


# Measuring


def timed(machine: Callable[[], CrowdFsm], size: int) -> dict[str, float]:
    """Return the nanoseconds per agent and step of both loops on the CPU, and on the card."""
    threads = os.cpu_count() or 1
    ways = {
        "one thread": {}, f"{threads} threads": {"parallel": True}, "card": {"target": "cuda"},
    }  # fmt: skip
    crowds = {name: Crowd(machine(), size, seed=7, **options) for name, options in ways.items()}
    for crowd in crowds.values():
        programs.fill(crowd)
        crowd.start("Patrol")
        crowd.update(1 / 60, steps=4)
    taken: dict[str, list[float]] = {name: [] for name in crowds}
    for _ in range(ROUNDS):
        for name, crowd in crowds.items():
            begun_at = perf_counter()
            crowd.update(1 / 60, steps=STEPS)
            taken[name].append((perf_counter() - begun_at) / STEPS / size * 1e9)
    return {name: median(each) for name, each in taken.items()}


# Printing


def environment() -> Iterator[tuple[str, str]]:
    if is_simulated():
        yield "card", "none: numba's simulator"
    else:
        device = cuda.get_current_device()
        name = device.name.decode() if isinstance(device.name, bytes) else str(device.name)
        yield "card", f"{name}, compute capability {'.'.join(map(str, device.compute_capability))}"
        yield "driver", driver()
        free, total = cuda.current_context().get_memory_info()
        yield "memory of the card", f"{total / 1e9:.1f} GB, {free / 1e9:.1f} GB free"
    yield "CPU", f"{os.cpu_count()} processors, {platform.machine()}, {platform.system()}"
    yield "Python", platform.python_version()
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def driver() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return text.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown: nvidia-smi does not run"


def print_table(*rows: tuple[str, ...]) -> None:
    head, *others = rows
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(head))
    for row in others:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def print_comparisons(size: int, begun_at: float) -> bool:
    """Compare all programs; return True if all bits are the same."""
    outcomes = []
    for program in all_programs():
        if perf_counter() - begun_at > BUDGET:
            outcomes.append(Outcome(program, size, skipped=True))
            continue
        print(f"comparing: {program.title}", file=sys.stderr, flush=True)
        outcomes.append(compared(program, size))
    print_table(
        ("program", "agents", "steps with errors", "seconds", "result"),
        *(
            (each.program.title, f"{size:,}", str(each.errors), f"{each.seconds:.1f}", each.text)
            for each in outcomes
        ),
    )
    found = list(refused())
    print_table(("refused unless exact=False", "why", "largest relative difference"), *found)
    are_refused = not any(why.startswith("**") for _, why, _ in found)
    return are_refused and not any(each.difference for each in outcomes)


def print_times(size: int) -> None:
    print("measuring", file=sys.stderr, flush=True)
    rows = []
    for title, machine in (("light", programs.light), ("drawing", programs.drawing)):
        taken = timed(machine, size)
        best = min(value for name, value in taken.items() if name != "card")
        rows.append((
            title, f"{size:,}", *(f"{value:.2f}" for value in taken.values()),
            f"{best / taken['card']:.1f}",
        ))  # fmt: skip
    names = (f"{name}, ns per agent and step" for name in taken)
    print_table(("program", "agents", *names, "card faster by"), *rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares crowds on a card with those on the CPU.")
    parser.add_argument("--simulate", action="store_true", help="compare in numba's simulator")
    parser.add_argument("--agents", type=int, help="the agents of each comparison")
    options = parser.parse_args()
    begun_at = perf_counter()
    try:
        check_card()
    except CrowdError as error:
        print(error, file=sys.stderr)
        return 2
    simulated = is_simulated()
    print_table(("what", "value"), *environment())
    size = options.agents or (SIMULATED_AGENTS if simulated else AGENTS)
    are_same = print_comparisons(size, begun_at)
    if simulated:
        print("The simulator's times mean nothing: nothing was measured.")
    elif perf_counter() - begun_at < BUDGET:
        print_times(MEASURED_AGENTS)
    print("All bits are the same." if are_same else "Something differs.")
    return 0 if are_same else 1


if __name__ == "__main__":
    sys.exit(main())
