"""The cost of watching a machine: `python tests/benchmarks/watching.py`.

The machine is the one of the workload "event": two states that play ping-pong, one exit and one
enter callback each. All ways of watching take turns in every round, in one process; a figure is
the median of the rounds.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Final

from fsmkit import Fsm, FsmAction
from fsmkit.recording import History, Recording

EVENTS: Final = 20_000


class Ping(FsmAction):
    """Does nothing on enter and on exit."""

    def on_enter(self) -> None:
        pass

    def on_exit(self) -> None:
        pass


class Pong(FsmAction):
    """The same. A class of its own, with caches of its own."""

    def on_enter(self) -> None:
        pass

    def on_exit(self) -> None:
        pass


class Entered:
    """The least an observer can do."""

    def state_entered(self, *news: object) -> None:
        pass


WATCHERS: Final[dict[str, Callable[[Fsm], object]]] = {
    "nobody": lambda fsm: None,
    "an observer of state_entered": lambda fsm: fsm.observe(Entered()),
    "a History": History,
    "a Recording in memory": Recording,
}


def table_tennis(watch: Callable[[Fsm], object]) -> Fsm:
    fsm = Fsm("TableTennis")
    ping, pong = fsm.add_state("Ping"), fsm.add_state("Pong")
    ping.add_action(Ping())
    pong.add_action(Pong())
    ping.add_transition("HIT", pong)
    pong.add_transition("HIT", ping)
    fsm.start()
    watch(fsm)
    return fsm


def microseconds(fsm: Fsm) -> float:
    """Return how long an event takes."""
    gc.collect()
    gc.disable()
    begun = perf_counter()
    for _ in range(EVENTS):
        fsm.send_event("HIT")
    elapsed = perf_counter() - begun
    gc.enable()
    return elapsed / EVENTS * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    figures: dict[str, list[float]] = {name: [] for name in WATCHERS}
    for _ in range(rounds):
        for name, watch in WATCHERS.items():
            figures[name].append(microseconds(table_tennis(watch)))
    print("| watched by | microseconds per event | times |\n| --- | ---: | ---: |")
    bare = median(figures["nobody"])
    for name, taken in figures.items():
        print(f"| {name} | {median(taken):.2f} | {median(taken) / bare:.1f} |")


if __name__ == "__main__":
    main()
