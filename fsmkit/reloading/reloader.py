"""Reloader: rebuilds machines when their code changes, and lets new ones succeed old ones."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from attrs import frozen

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.introspection.nesting import members
from fsmkit.introspection.run_state import tell_replaced
from fsmkit.recording.action_fields import parameters_of
from fsmkit.recording.snapshots.definitions import titles
from fsmkit.reloading import program
from fsmkit.reloading.program import Stamp, WatchedProgram
from fsmkit.reloading.reload_plan import ReloadPlan, raised
from fsmkit.reloading.successors import BuiltObjects, CarriedValues, Pairing, TakenOver


class Succession:
    """Old machines, and the new ones that a build function returned for them.

    Those of groups are paired by name, namesakes by order. `objects` are those of the old machines.
    Raises TypeError unless `built` holds machines, FsmError for a group in place of one.
    """

    def __init__(self, machines: Fsm[Any] | FsmGroup, built: Any, objects: BuiltObjects) -> None:
        self.is_of_group = isinstance(machines, FsmGroup)
        """True if the group stays the same and gets other machines."""
        self._machines = machines
        self._built = built
        if isinstance(machines, Fsm) and not isinstance(built, Fsm):
            raise FsmError(f"It must return an Fsm as before, got {built!r}.")
        before, self.new = members(machines), members(built)
        if isinstance(machines, Fsm):
            self.pairs = [(machines, built)]
        else:
            titles = dict(_titled(self.new))
            self.pairs = [(old, titles[t]) for t, old in _titled(before) if t in titles]
        paired = {machine for pair in self.pairs for machine in pair}
        self._gone = [machine for machine in before if machine not in paired]
        self._added = [machine for machine in self.new if machine not in paired]
        self._was_running = any(machine.is_running for machine in before)
        starts = " and starts" if self._was_running else ""
        self._pairing = Pairing(self.pairs)
        self._plan = self._planned(objects)
        self.notes = [
            *(f"{machine.name} no longer exists: it is stopped." for machine in self._gone),
            *(f"{machine.name} is new{starts}." for machine in self._added),
            *dict.fromkeys(self._plan.notes),
        ]

    @property
    def summary(self) -> str:
        if len(self.pairs) > 1:
            return f"{len(self.pairs)} machines go on."
        if not self.pairs:
            return "The group has new machines now."
        old, _ = self.pairs[0]
        if old.current_state is None:
            return f"{old.name} was rebuilt; it is stopped."
        state = self._pairing.new(old.current_state)
        if state is None:
            return f"{old.name} was rebuilt."
        return f"{old.name} goes on in {state.name!r}, at {old.time_in_state:.2f} s."

    def prepare(self) -> None:
        """Bring the new machines to where the old ones are.

        If that raises an error, the old machines can still go on.
        """
        self._plan.carry_out()

    def complete(self) -> Iterator[Exception]:
        """End machines without successor and start new ones; yield the errors that are raised."""
        machines, built = self._machines, self._built
        if isinstance(machines, FsmGroup):
            for machine in machines:
                machines.remove(machine)
            for machine in self.new:
                if isinstance(built, FsmGroup):
                    built.remove(machine)
                machines.add(machine)
        for old, new in self.pairs:
            yield from raised(tell_replaced, old, new)
        for machine in self._gone:
            yield from raised(machine.stop)
        yield from self._plan.drop_old()
        for machine in self._added if self._was_running else ():
            if not machine.is_running:
                yield from raised(machine.start)

    def _planned(self, objects: BuiltObjects) -> ReloadPlan:
        pairing, taken = self._pairing, TakenOver(objects)
        for old, new in self.pairs:
            taken.pair(old.context, new.context)
        for action, successor in pairing.actions:
            given = parameters_of(successor)
            for name, value in parameters_of(action).items():
                taken.pair(value, given.get(name))
        values = CarriedValues([old for old, _ in self.pairs], pairing, taken)
        plan = ReloadPlan(pairing, values, objects, taken)
        for old, new in self.pairs:
            plan.add(old, new)
        return plan


def _titled(machines: Sequence[Fsm[Any]]) -> Iterator[tuple[str, Fsm[Any]]]:
    return zip(titles(machine.name for machine in machines), machines, strict=True)


Reloadable: TypeAlias = Fsm[Any] | FsmGroup
MachinesT = TypeVar("MachinesT", bound=Reloadable)
BuildP = ParamSpec("BuildP")


@frozen
class Origin:
    """The place of a function that builds machines, where a new module defines it again.

    >>> Origin("math", "sqrt").find()(16.0)
    4.0
    """

    module: str
    name: str

    def find(self) -> Any:
        """Return the function that is there now. Raises AttributeError."""
        return reduce(getattr, self.name.split("."), sys.modules[self.module])


class Reloader:
    """Rebuilds machines when their code changes; they go on where they were.

    `say` is called with messages, without a newline at the end. The files are checked when machines
    are asked for, but at most once in `every` seconds of `clock`; `stamp` returns a value that
    changes with the content of a file. There is no thread.

    Machines that share code share a reloader; `fsmkit.reloading.reloaded` is one for all.
    """

    def __init__(
        self,
        say: Callable[[str], object] = print,
        *,
        every: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
        stamp: Stamp = program.file_stamp,
    ) -> None:
        self._say = say
        self._program = WatchedProgram(say, every, clock, stamp)
        self._versions: WeakKeyDictionary[Reloadable, int] = WeakKeyDictionary()
        """The version of the code that last built machines, or failed to."""
        self._objects: WeakKeyDictionary[Reloadable, BuiltObjects] = WeakKeyDictionary()

    def reloaded(
        self,
        machines: MachinesT,
        build: Callable[BuildP, Reloadable],
        *arguments: BuildP.args,
        **named: BuildP.kwargs,
    ) -> MachinesT:
        """Return `machines`, or their successors.

        See `fsmkit.reloading.reloaded`.
        """
        origin = origin_of(build)
        if machines not in self._versions and origin.find() is not build:  # it is an old function
            self._register(machines, origin, deeply=not (arguments or named))
            self._versions[machines] -= 1
        return self.reloaded_from(origin, machines, arguments, named)

    def reloaded_from(
        self,
        origin: Origin,
        machines: MachinesT,
        arguments: Sequence[Any] = (),
        named: Mapping[str, Any] = MappingProxyType({}),
    ) -> MachinesT:
        """Do the same for a function that is known by its place.

        Raises FsmError for a machine that runs inside another one.
        """
        present = members(machines)
        for machine in present:
            if machine.host is not None:
                raise FsmError(
                    f"Fsm {machine.name!r} runs inside another machine and is built with it. "
                    "Reload the outermost one."
                )
        if machines not in self._versions:
            self._register(machines, origin, deeply=not (arguments or named))
        self._program.look()
        version = self._program.version(origin.module)
        is_busy = any(machine.phase is not None for machine in present)
        if self._versions[machines] == version or is_busy:
            return machines
        self._versions[machines] = version
        return self._rebuilt(machines, origin, lambda: origin.find()(*arguments, **named))

    def _register(self, machines: Reloadable, origin: Origin, *, deeply: bool) -> None:
        self._versions[machines] = self._program.version(origin.module)
        self._objects[machines] = BuiltObjects(members(machines), deeply=deeply)

    def _rebuilt(self, machines: MachinesT, origin: Origin, build: Callable[[], Any]) -> MachinesT:
        files = self._program.changed
        changed = program.have_changed(files) if files else f"{origin.module} has changed"
        try:
            built, before = build(), self._objects[machines]
            succession = Succession(machines, built, before)
            objects = BuiltObjects(succession.new, deeply=before.deeply)
            succession.prepare()
        except (Exception, SystemExit) as error:
            self._say(
                f"{changed}, but {origin.name}() cannot take over, so the old machines go on.\n"
                f"{program.described_fault(error)}"
            )
            return machines
        self._say("\n".join([f"{changed}: {succession.summary}", *succession.notes]))
        for fault in succession.complete():
            self._say(program.described_fault(fault))
        present: MachinesT = machines if succession.is_of_group else built
        self._versions[present], self._objects[present] = self._versions[machines], objects
        return present


def origin_of(build: Callable[..., object]) -> Origin:
    """Return the place of `build`. Raises TypeError if it cannot be found again there."""
    module, name = getattr(build, "__module__", None), getattr(build, "__qualname__", "")
    if module == "__main__":
        raise FsmError(
            f"{name}() is in the script that runs, which cannot be imported again. Put it into a "
            "module of its own."
        )
    origin = Origin(str(module), name)
    try:
        origin.find()
    except (AttributeError, KeyError):
        raise TypeError(
            f"build must be a function at the top level of a module, so that it is found there "
            f"again, got {build!r}."
        ) from None
    if getattr(sys.modules[origin.module], "__file__", None) is None:
        raise TypeError(f"The module {module!r} of {name}() has no file to be watched.")
    return origin


def reloaded(
    machines: MachinesT,
    build: Callable[BuildP, Reloadable],
    *arguments: BuildP.args,
    **named: BuildP.kwargs,
) -> MachinesT:
    """Return `machines`, or those that `build` returns once their code has changed.

    Call it once a frame, between two updates:

        guard.fsm = reloaded(guard.fsm, build, guard)
        guard.fsm.update(dt)

    It checks the files that the module of `build` consists of, at most four times a second. When
    one has changed, it is imported again, with the modules that import it, `build(*arguments)` is
    called, and the new machine goes on where the old one was: its state and times, the memory of
    its actions, delayed and suspended events. Everything that does not fit is printed, and so is an
    error; with an error the old machine goes on. In an `FsmGroup` the machines are replaced; it
    stays the same group.

    Raises TypeError unless `build` is at the top level of a module, FsmError if that is the script
    that runs.
    """
    return _RELOADER.reloaded(machines, build, *arguments, **named)


_RELOADER: Final = Reloader()
