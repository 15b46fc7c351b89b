"""RunReport: what `fsmkit run` prints, a line per change of state and bars at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from fsmkit import Fsm
from fsmkit.cli.changes import RUNNING, Change
from fsmkit.cli.simulation import EVERY_MACHINE, SimulatedMachines, Simulation
from fsmkit.terminal.console import Console, padded, width

BAR_COLUMNS: Final = 40

LONG: Final = 1000.0
"""The seconds that there is room for in the first column if the run has no end."""

MAX_SEPARATE: Final = 8
"""With more machines than this, those with the same states are added up."""


class RunReport:
    """Prints the progress of a simulation to `console`, in columns that fit all its names."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.widths: Sequence[int] = ()
        self.fps = 1.0

    def begin(self, simulation: Simulation[SimulatedMachines]) -> None:
        """Print the headings."""
        self.fps = simulation.fps
        seconds = f"  {min(simulation.seconds, LONG):.2f} s"
        self.widths = (len(seconds), *map(self._widest, _names(simulation)))
        headings = self._columns("time", "machine", "from", "event")
        self.console.line(self.console.styled("  ".join([*headings, "to"]), "faint"))

    def widen(self, machines: Iterable[Fsm[Any]]) -> None:
        """Make room for the states and events of other machines of the same names."""
        first, name, *others = self.widths
        needed = map(self._widest, (_states(machines), _events(machines)))
        self.widths = (first, name, *map(max, others, needed))

    def note(self, step: int, text: str) -> None:
        """Print a text of one or several lines."""
        time = f"{step / self.fps:.2f} s".rjust(self.widths[0])
        for line in text.splitlines():
            shown = self.console.shown(line)
            self.console.line(f"{self.console.styled(time, 'faint')}  {shown}")
            time = " " * len(time)

    def change(self, change: Change) -> None:
        """Print a line for `change`."""
        seconds = f"{change.step / self.fps:.2f} s"
        time, *names = self._columns(seconds, change.machine, change.source, change.event)
        target = self.console.styled(self.console.shown(change.target), "bold")
        self.console.line("  ".join([self.console.styled(time, "faint"), *names, target]))

    def finish(self, simulation: Simulation[SimulatedMachines]) -> None:
        """Print how long each machine was in each of its states, of the time that passed."""
        simulation.simulated.changes.count()
        for title, machines in _titled(simulation.simulated.changes.names):
            self.console.line()
            self.console.line(self.console.styled(self.console.shown(title), "bold"))
            steps = _sums(simulation.simulated.changes.steps[machine] for machine in machines)
            self._bars(steps, simulation.step * len(machines))

    def _bars(self, steps: Mapping[str, int], total: int) -> None:
        columns = self._widest(steps)
        digits = len(f"{total / self.fps:.2f}")
        for state, count in steps.items():
            name = padded(self.console.shown(state), columns)
            share = count / total if total else 0.0
            bar = self.console.styled(self.console.bar(share, BAR_COLUMNS), "cyan")
            self.console.line(f"  {name}  {count / self.fps:{digits}.2f} s  {share:4.0%}  {bar}")

    def _columns(self, time: str, *names: str) -> list[str]:
        first, *others = self.widths
        pairs = zip(map(self.console.shown, names), others, strict=True)
        return [f"{time:>{first}}", *(padded(name, size) for name, size in pairs)]

    def _widest(self, names: Iterable[str]) -> int:
        return max((width(self.console.shown(name)) for name in names), default=0)


def _names(simulation: Simulation[SimulatedMachines]) -> tuple[list[str], list[str], list[str]]:
    """Return the possible entries of the columns for the machine, its state and the event."""
    machines = simulation.simulated.changes.names
    everyone = [EVERY_MACHINE] if len(simulation.simulated.group) > 1 else []
    sent = [event.shown for event in simulation.events]
    return (
        ["machine", *everyone, *machines.values()],
        ["from", *_states(machines)],
        [RUNNING, *sent, *_events(machines)],
    )


def _states(machines: Iterable[Fsm[Any]]) -> list[str]:
    return [state for machine in machines for state in machine.states]


def _events(machines: Iterable[Fsm[Any]]) -> Iterator[str]:
    for machine in machines:
        yield from machine.global_transitions
        for state in machine.states.values():
            yield from state.transitions


def _titled(names: Mapping[Fsm[Any], str]) -> Iterator[tuple[str, list[Fsm[Any]]]]:
    """Yield the machines that are shown as one, with their title."""
    if len(names) <= MAX_SEPARATE:
        yield from ((name, [machine]) for machine, name in names.items())
        return
    alike: dict[tuple[str, ...], list[Fsm[Any]]] = {}
    for machine in names:
        alike.setdefault(tuple(machine.states), []).append(machine)
    for machines in alike.values():
        more = f" and {len(machines) - 1} more" if len(machines) > 1 else ""
        yield f"{names[machines[0]]}{more}", machines


def _sums(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for count in counts:
        for state, steps in count.items():
            sums[state] = sums.get(state, 0) + steps
    return sums
