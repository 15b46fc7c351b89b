"""Reloader: machines that are built anew when their code has changed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from attrs import frozen

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.reloading.faults import described_fault
from fsmkit.reloading.program import Program, Stamp, file_stamp, have_changed
from fsmkit.reloading.succession import Succession
from fsmkit.reloading.things import Things
from fsmkit.tooling.nesting import members

Machines: TypeAlias = Fsm[Any] | FsmGroup
MachinesT = TypeVar("MachinesT", bound=Machines)
BuildP = ParamSpec("BuildP")


@frozen
class Origin:
    """The place of a function that builds machines: it is found there again in a new module.

    >>> Origin("math", "sqrt").find()(16.0)
    4.0
    """

    module: str
    name: str

    def find(self) -> Any:
        """Return the function that is there now. Raises AttributeError."""
        return reduce(getattr, self.name.split("."), sys.modules[self.module])


class Reloader:
    """Builds machines anew when their code has changed, and has them go on where they were.

    `say` is called with what there is to tell, lines without an end. The files are looked at when
    machines are asked for, but not more often than `every` so many seconds of `clock`; `stamp`
    returns something that changes with the content of a file. There is no thread.

    Machines that share code share a reloader; `fsmkit.reloading.reloaded` is one for all.
    """

    def __init__(
        self,
        say: Callable[[str], object] = print,
        *,
        every: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
        stamp: Stamp = file_stamp,
    ) -> None:
        self._say = say
        self._program = Program(say, every, clock, stamp)
        self._versions: WeakKeyDictionary[Machines, int] = WeakKeyDictionary()
        """The version of the code that machines were built by, or failed to be built by."""
        self._things: WeakKeyDictionary[Machines, Things] = WeakKeyDictionary()

    def reloaded(
        self,
        machines: MachinesT,
        build: Callable[BuildP, Machines],
        *arguments: BuildP.args,
        **named: BuildP.kwargs,
    ) -> MachinesT:
        """Return `machines`, or what is to be used in their place from now on.

        See `fsmkit.reloading.reloaded`.
        """
        origin = origin_of(build)
        if machines not in self._versions and origin.find() is not build:  # it is an old one
            self._register(machines, origin, arguments, named)
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
            self._register(machines, origin, arguments, named)
        self._program.look()
        version = self._program.version(origin.module)
        is_busy = any(machine.phase is not None for machine in present)
        if self._versions[machines] == version or is_busy:
            return machines
        self._versions[machines] = version
        return self._renewed(machines, origin, arguments, named)

    def _register(
        self, machines: Machines, origin: Origin, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> None:
        self._versions[machines] = self._program.version(origin.module)
        self._things[machines] = Things(members(machines), deeply=not arguments and not named)

    def _renewed(
        self,
        machines: MachinesT,
        origin: Origin,
        arguments: Sequence[Any],
        named: Mapping[str, Any],
    ) -> MachinesT:
        files = self._program.changed
        changed = have_changed(files) if files else f"{origin.module} has changed"
        try:
            built = origin.find()(*arguments, **named)
            succession = Succession(machines, built, self._things[machines])
            things = Things(succession.new, deeply=not arguments and not named)
            succession.prepare()
        except (Exception, SystemExit) as error:
            self._say(
                f"{changed}, but {origin.name}() cannot take over, and what it built before goes "
                f"on.\n{described_fault(error)}"
            )
            return machines
        self._say("\n".join([f"{changed}: {succession.summary}", *succession.notes]))
        for fault in succession.complete():
            self._say(described_fault(fault))
        present: MachinesT = machines if succession.is_of_group else built
        self._versions[present], self._things[present] = self._versions[machines], things
        return present


def origin_of(build: Callable[..., object]) -> Origin:
    """Return where `build` is. Raises TypeError if it cannot be found there again."""
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
    build: Callable[BuildP, Machines],
    *arguments: BuildP.args,
    **named: BuildP.kwargs,
) -> MachinesT:
    """Return `machines`, or what `build` builds in their place once their code has changed.

    Call it once a frame, between two updates:

        guard.fsm = reloaded(guard.fsm, build, guard)
        guard.fsm.update(dt)

    It looks at the files that the module of `build` consists of, four times a second at most. When
    one has changed, it is imported again, with the modules that import it, `build(*arguments)` is
    called, and the new machine goes on where the old one was: its state and times, what its actions
    remember, delayed and suspended events. What does not fit is printed, and so is an error; with
    an error the old machine goes on. Of an `FsmGroup` the machines are exchanged, and it stays the
    same group.

    Raises TypeError unless `build` is at the top level of a module, FsmError if that is the script
    that runs.
    """
    return _RELOADER.reloaded(machines, build, *arguments, **named)


_RELOADER: Final = Reloader()
