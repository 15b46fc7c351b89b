"""Trial: the machines that the text of a program builds, and the calls that made each part.

A program is run as `--reload` runs it, aside: its modules are executed again, and the old ones are
put back. What building does besides is the user's.
"""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import redirect_stdout
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple, TextIO, TypeAlias

from fsmkit import Fsm, FsmAction, FsmState, StateGroup, Transition
from fsmkit.editing.definition import AllMachines, defined
from fsmkit.editing.source import CodeSpan
from fsmkit.introspection import walk
from fsmkit.introspection.blocks import block
from fsmkit.introspection.code_place import CodePlace
from fsmkit.introspection.definition_sites import DefinitionSites, noting_places
from fsmkit.introspection.nesting import MachineNames, members
from fsmkit.reloading.program import Texts, executed_aside, sources_of
from fsmkit.reloading.reloader import Origin, origin_of

MadePart: TypeAlias = Fsm[Any] | FsmState[Any] | StateGroup[Any] | FsmAction[Any]


class MakingCall(NamedTuple):
    """A call in a file of the program, while it was carried out."""

    path: Path
    span: CodeSpan


Trace: TypeAlias = tuple[MakingCall, ...]
"""The calls that made a part, the innermost one first."""


ModuleNames: TypeAlias = dict[str, object]
"""The names at the top level of a module, with their values."""


class Variable(NamedTuple):
    """A name that stood for a part when a function returned."""

    path: Path
    function: str
    """Its name; `<module>` for the module."""
    line: int
    """The first line of the function, its decorators included."""
    name: str
    """The name, or an attribute of it: `fsm`, `self.fsm`."""


class Built:
    """Machines, with those nested in them, by unique names, and how the program made them."""

    def __init__(
        self, machines: Mapping[str, Fsm[Any]], watch: _Watch, names: Mapping[Path, ModuleNames]
    ) -> None:
        self.machines = machines
        self._watch = watch
        self._names = names

    @cached_property
    def definitions(self) -> AllMachines:
        return defined(self.machines)

    def globals_of(self, path: Path) -> ModuleNames:
        """Return the names of a module of the program, as its text defines them."""
        return self._names.get(path, {})

    def trace(self, part: MadePart) -> Trace:
        """Return the calls that made a part, or added it; empty where they are not known."""
        return self._watch.traces.get(id(part), ())

    def construction(self, action: FsmAction[Any]) -> Trace:
        """Return the calls of the class of an action."""
        return self._watch.constructions.get(id(action), ())

    def trace_of_transition(self, owner: walk.TransitionOwner, event: str, rank: int) -> Trace:
        return self._watch.traces.get((id(owner), event, rank), ())

    def variables(self, part: MadePart) -> list[Variable]:
        return self._watch.variables.get(id(part), [])

    def made_by(self, call: MakingCall) -> list[str]:
        """Return the kinds of the parts that a call has made, itself or further in, as `states`."""
        return self._made.get(call, [])

    @cached_property
    def _made(self) -> dict[MakingCall, list[str]]:
        made: dict[MakingCall, list[str]] = {}
        for key, trace in self._watch.traces.items():
            for call in dict.fromkeys(trace):
                made.setdefault(call, []).append(self._watch.kinds[key])
        return made


class Program:
    """The modules in the folder of a function that builds machines, and that function."""

    def __init__(self, build: Callable[[], object] | Origin) -> None:
        self.origin = build if isinstance(build, Origin) else origin_of(build)
        self.look()

    def look(self) -> None:
        """Find the files again, which may import others now."""
        self._sources = sources_of(sys.modules[self.origin.module])

    @property
    def file(self) -> Path:
        """The file of the function."""
        return self._sources[self.origin.module].path

    @property
    def files(self) -> list[Path]:
        return [source.path for source in self._sources.values()]

    def run(self, texts: Texts) -> Built:
        """Build the machines, with other contents of some files, and note which call makes what.

        What the program prints is dropped, and random numbers are the same each time. Raises what
        the program raises.
        """
        watch, profile = _Watch({*self.files}), sys.getprofile()
        sys.setprofile(watch)
        try:
            with noting_places(watch), self._aside(texts) as paths:
                machines = self._machines()
                names = {path: vars(sys.modules[name]) for name, path in paths.items()}
                return Built(machines, watch, names)
        finally:
            sys.setprofile(profile)

    def definitions(self, texts: Texts) -> AllMachines:
        """Return what the program builds, as `run` does it, in half the time."""
        with self._aside(texts):
            return defined(self._machines())

    def _machines(self) -> dict[str, Fsm[Any]]:
        found = MachineNames().add(members(self.origin.find()()))
        return {name: machine for name, machine, _ in found}

    @block
    def _aside(self, texts: Texts) -> Iterator[dict[str, Path]]:
        paths = {name: source.path for name, source in self._sources.items()}
        numbers = random.getstate()
        random.seed(0)
        try:
            with redirect_stdout(_Muted(sys.stdout)), executed_aside(paths, texts):
                yield paths
        finally:
            random.setstate(numbers)


class _Muted(io.TextIOBase):
    """Drops what this thread prints; what other threads print goes where it went before."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._thread = get_ident()

    def write(self, text: str) -> int:
        return len(text) if get_ident() == self._thread else self._stream.write(text)


class _Watch(DefinitionSites):
    """Keeps the calls that make parts of machines, and names for them.

    `sys.setprofile` calls it.
    """

    def __init__(self, files: set[Path]) -> None:
        super().__init__()
        self._files = files
        self.traces: dict[Hashable, Trace] = {}
        self.constructions: dict[int, Trace] = {}
        self.variables: dict[int, list[Variable]] = {}
        self.kinds: dict[Hashable, str] = {}
        """The kind of each part that has a trace, in the plural."""
        self._kept: list[object] = []
        """Each part that was noted by its identity."""

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name == "__init__":
            self._begin_construction(frame)
        elif event == "return" and self._is_of_program(code):
            self._note_variables(frame)

    def _begin_construction(self, frame: FrameType) -> None:
        made = frame.f_locals.get(frame.f_code.co_varnames[0]) if frame.f_code.co_argcount else None
        if isinstance(made, FsmAction) and id(made) not in self.constructions:
            self._kept.append(made)
            self.constructions[id(made)] = self._trace(frame.f_back)
        elif isinstance(made, Fsm) and id(made) not in self.traces:
            self._kept.append(made)
            self.traces[id(made)], self.kinds[id(made)] = self._trace(frame.f_back), "machines"

    def note(self, owner: object, added: Any, place: CodePlace) -> None:
        super().note(owner, added, place)
        self._kept.append(added)
        self.traces[id(added)] = self._trace(sys._getframe(1))
        kinds = {FsmState: "states", StateGroup: "groups"}
        self.kinds[id(added)] = kinds.get(type(added), "actions")

    def note_transition(self, owner: Any, added: Transition[Any], place: CodePlace) -> None:
        super().note_transition(owner, added, place)
        rank = len(walk.table(owner)[added.event]) - 1
        key = id(owner), str(added.event), rank
        self.traces[key], self.kinds[key] = self._trace(sys._getframe(1)), "transitions"

    def _note_variables(self, frame: FrameType) -> None:
        code = frame.f_code
        names = dict(frame.f_locals)
        owner = names.get("self")
        if owner is not None and not isinstance(owner, PARTS):
            own: dict[str, object] = getattr(owner, "__dict__", {})
            names |= {f"self.{name}": value for name, value in own.items()}
        for name, value in names.items():
            if isinstance(value, PARTS):
                self._kept.append(value)
                path = _resolved(code.co_filename)
                variable = Variable(path, code.co_name, code.co_firstlineno, name)
                self.variables.setdefault(id(value), []).append(variable)

    def _trace(self, frame: FrameType | None) -> Trace:
        return tuple(self._calls(frame))

    def _calls(self, frame: FrameType | None) -> Iterator[MakingCall]:
        while frame is not None and frame.f_code is not Program.run.__code__:
            if self._is_of_program(frame.f_code):
                yield MakingCall(_resolved(frame.f_code.co_filename), _span(frame))
            frame = frame.f_back

    def _is_of_program(self, code: CodeType) -> bool:
        return _resolved(code.co_filename) in self._files


PARTS: Final = (Fsm, FsmState, StateGroup)
"""What a variable may stand for so that an edit can use its name."""


@cache
def _resolved(filename: str) -> Path:
    return Path(filename).resolve()


def _span(frame: FrameType) -> CodeSpan:
    """Return the piece of code that a frame carries out; line 0 if Python keeps no columns."""
    place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    line, end_line, column, end_column = place
    if line is None or end_line is None or column is None or end_column is None:
        return CodeSpan(frame.f_lineno, 0, 0, 0)
    return CodeSpan(line, column, end_line, end_column)
