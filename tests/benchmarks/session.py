"""The rounds of a run: each contestant in turn, again and again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from contestant import BASELINE, Contestant, environment_of
from importing import seconds_to_run
from measuring import (
    Timing,
    expected_outcome,
    measure_memory,
    suitable_size,
    takes_part,
    time_once,
)
from results import Entry, Imports, Results, Series, environment
from workers import Worker, WorkError

MACHINES_IN_MEMORY = 500
"""The number that is built to find out what one takes."""

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


class Session:
    """Contestants that wait in their processes, and what has been found out about them."""

    def __init__(self, names: list[str], rounds: int, seconds: float) -> None:
        """Take in those of `names` whose package is installed; a timed part takes `seconds`."""
        self.seconds = seconds
        self.results = Results(rounds=rounds, environment=environment())
        self.workers: dict[str, Worker] = {}
        self.entries: dict[str, Entry] = {}
        for name in names:
            self._take_in(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in self.workers.values():
            worker.close()
        progress("")

    def _take_in(self, name: str) -> None:
        progress(f"loading {name}")
        try:
            worker = Worker(name)
        except ModuleNotFoundError as error:
            self.results.left_out[name] = str(error)
            return
        except WorkError as error:
            self.results.failures.append(str(error))
            return
        entry = worker.ask(describe, name)
        self.workers[name] = worker
        self.entries[name] = entry
        self.results.entries.append(entry)

    def measure_workload(self, workload: str) -> None:
        """Carry out all rounds of one workload."""
        sizes = self._sizes(workload)
        for number in range(self.results.rounds):
            progress(f"{workload}: round {number + 1} of {self.results.rounds}")
            self._measure_round(workload, sizes)

    def _sizes(self, workload: str) -> dict[str, int]:
        """Return how large a part each contestant gets that takes part and does not fail."""
        sizes = {}
        for name, worker in self.workers.items():
            if not worker.ask(takes_part, workload):
                continue
            progress(f"{workload}: trying {name}")
            size = self._attempt(workload, name, suitable_size, workload, self.seconds)
            if size is not None:
                sizes[name] = size
        return sizes

    def _measure_round(self, workload: str, sizes: dict[str, int]) -> None:
        """Time each contestant once, and compare it with the first, the hand-written one."""
        baseline = None
        for name, size in list(sizes.items()):
            timing = self._timing(workload, name, size)
            if timing is None:
                del sizes[name]
                self.entries[name].series.pop(workload, None)
                continue
            if name == BASELINE:
                baseline = timing.per_operation
            series = self.entries[name].series.setdefault(workload, Series(size))
            series.add(timing, baseline)

    def _timing(self, workload: str, name: str, size: int) -> Timing | None:
        """Return one timing; None, and a failure noted, if the work was not done right."""
        timing = self._attempt(workload, name, time_once, workload, size)
        if timing is not None and timing.outcome != expected_outcome(workload, size):
            self.results.failures.append(f"{name}, {workload}: not what {BASELINE} does")
            return None
        return timing

    def measure_memory(self) -> None:
        """Measure the bytes of a machine, once: they do not vary."""
        for name, entry in self.entries.items():
            progress(f"memory of {name}")
            entry.memory = self._attempt("memory", name, measure_memory, MACHINES_IN_MEMORY)

    def measure_imports(self) -> None:
        """Carry out all rounds of imports, each paired with a bare start of an interpreter."""
        statements = self._imports()
        for name, statement in statements.items():
            seconds_to_run(statement, environment_of(name))  # the first one may have to compile
        for number in range(self.results.rounds):
            progress(f"import: round {number + 1} of {self.results.rounds}")
            for name, statement in statements.items():
                imports = self.entries[name].imports = self.entries[name].imports or Imports()
                imports.bare.append(seconds_to_run("pass"))
                imports.seconds.append(seconds_to_run(statement, environment_of(name)))

    def _imports(self) -> dict[str, str]:
        """Return what a program has to import, for each contestant that needs an import."""
        return {
            name: statement
            for name, worker in self.workers.items()
            if (statement := worker.ask(import_statement))
        }

    def _attempt(
        self,
        workload: str,
        name: str,
        function: Callable[Concatenate[Contestant, Parameters], Answer],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Answer | None:
        """Return the worker's answer; None, and a failure noted, if the contestant fails."""
        try:
            return self.workers[name].ask(function, *args, **kwargs)
        except WorkError as error:
            self.results.failures.append(f"{name}, {workload}:\n{error}")
            return None


def describe(contestant: Contestant, name: str) -> Entry:
    """Return what is known of it before anything is measured."""
    return Entry(
        name,
        version=contestant.distribution and version(contestant.distribution),
        remark=contestant.remark,
        has_kernel=contestant.has_kernel,
    )


def import_statement(contestant: Contestant) -> str | None:
    """Return what a program has to import for it."""
    return contestant.imports


def progress(text: str) -> None:
    """Show what is being done, in one line of a terminal; nothing where there is none."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
