"""The agents of a machine as a crowd, and as a population of objects: both make the same steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from fsmkit import Fsm, TransitionLoopError
from fsmkit.crowd import Crowd, CrowdError, CrowdFsm
from fsmkit.crowd.individual import Individual, IndividualMemory
from fsmkit.introspection.run_state import RunState, write_run_state

from .agents import EVENTS, Agent

Step: TypeAlias = "tuple[Any, ...]"
Error: TypeAlias = "tuple[str, str]"
"""The kind of an error, and the agent."""

SEED, FIRST, MOST = 2**63 - 1, 14, 60
"""The seed of the crowds, the agents at first, and the most at which a course continues."""


def chosen(numbers: Sequence[int], pattern: int) -> list[int]:
    """Return the indices of those that a step is for, by their ids."""
    wanted = pattern % 8
    return [i for i, n in enumerate(numbers) if (n + 1) * 2654435761 >> 7 & (wanted + 1)]


def value_of(name: str, number: int, number_of_agent: int) -> Any:
    """Return what the program writes into a field."""
    mixed = number * 31 + number_of_agent * 17
    return {"x": mixed % 97 / 16 - 2, "n": mixed % 11 - 3, "b": mixed % 3 == 0}[name]


def rows_of(rows: list[Any], but: set[int], before: int) -> str:
    """Return agents as text; if some have failed, without those and those that were born since."""
    return repr([row for row in rows if not but or (row[0] not in but and row[0] < before)])


def first_loop(errors: Sequence[Error]) -> list[Error]:
    """Return the errors in order, and of agents that changed without end that there are some."""
    loop = "TransitionLoopError"
    return sorted({(kind, "" if kind == loop else agent) for kind, agent in errors})


def each_error(error: Exception) -> Sequence[Exception]:
    """Return the errors of a step that were raised together."""
    return error.exceptions if isinstance(error, ExceptionGroup) else [error]


def write_world(world: Any, one: int, two: int, three: int) -> None:
    """Write some values of the world, and a table of any layout."""
    world.level, world.k = one % 7 / 4 - 0.5, two % 6 - 1
    row = np.array([0.5, one % 9, -2.0, two % 5], ("f4", "f8")[three % 2])
    world.row = row[:: 1 + three % 2]


def told(error: Exception) -> list[Error]:
    """Return the kinds of the errors, with the agents."""
    shown = []
    for each in each_error(error):
        text = "\n".join([str(each), *getattr(each, "__notes__", ())])
        agent = re.search(r"agent (\d+)", text)
        shown.append((type(each).__name__, agent[1] if agent else ""))
    return shown


class OneCrowd:
    """The agents as a crowd."""

    def __init__(self, machine: CrowdFsm, folder: Path, **options: Any) -> None:
        self.machine = machine
        self.path = folder / "crowd.npz"
        self.options = options
        self.crowd = Crowd(machine, FIRST, seed=SEED, **options)
        self.full = ""
        """The errors of the last step, in full."""

    def __len__(self) -> int:
        return len(self.crowd)

    def make(self, step: Step) -> list[Error]:
        self.full = ""
        try:
            kind, *numbers = step
            getattr(self, f"_{kind}")(*numbers)
        except (ArithmeticError, ValueError, IndexError, TypeError, TransitionLoopError,
                CrowdError, ExceptionGroup) as error:  # fmt: skip
            self.full = "\n".join(
                f"{type(each).__name__} {each} {getattr(each, '__notes__', '')}"
                for each in [error, *each_error(error)]
            )
            return told(error)
        return []

    def numbers(self) -> list[int]:
        """Return the ids, without closing up free rows."""
        store = self.crowd._store
        numbers: list[int] = store.rows.taken(store.ids).tolist()
        return numbers

    def _update(self, one: int, two: int, _three: int) -> None:
        self.crowd.update(DTS[one % 4], steps=1 + two % 3 // 2)

    def _send(self, one: int, two: int, _three: int) -> None:
        if EVENTS[one % 4] in self.crowd.layout.events:
            self.crowd.send_event(EVENTS[one % 4], where=chosen(self.numbers(), two))

    def _start(self, one: int, two: int, _three: int) -> None:
        self.crowd.start(self._state(one), where=chosen(self.numbers(), two))

    def _add(self, one: int, two: int, three: int) -> None:
        self.crowd.add(one % 5, start=self._state(two), x=0.875, n=three % 9)

    def _remove(self, one: int, _two: int, _three: int) -> None:
        self.crowd.remove(chosen(self.numbers(), one))

    def _column(self, one: int, two: int, _three: int) -> None:
        name = "xnb"[one % 3]
        self.crowd[name] = [value_of(name, two, number) for number in self.numbers()]

    def _world(self, one: int, two: int, three: int) -> None:
        write_world(self.crowd.world, one, two, three)

    def _save(self, *_numbers: int) -> None:
        row = self.crowd.world.row
        self.crowd.save(self.path)
        self.crowd = Crowd.load(self.machine, self.path, **self.options)
        self.crowd.world.row = row

    def _promote(self, one: int, *_others: int, drive: bool = False) -> None:
        if not len(self):
            return
        index = one % len(self)
        fsm = self.crowd.fsm(index)
        fsm.context.agent.x += 0.125
        if drive:
            with suppress(Exception):
                fsm.update(0.25)
                self.crowd.put(index, fsm)
        else:
            self.crowd.put(index, fsm)

    def _drive(self, one: int, *_others: int) -> None:
        self._promote(one, drive=True)

    def _state(self, number: int) -> str:
        names = list(self.machine.states)
        return names[number % len(names)]

    def rows(self, but: set[int], before: int) -> str:
        return rows_of(self.told(), but, before)

    def told(self) -> list[Any]:
        crowd = self.crowd
        names = [*crowd.machine.states, None]
        rows = zip(
            crowd.ids.tolist(), crowd.states.tolist(), crowd.time_in_state.tolist(),
            *(column.tolist() for column in crowd._store.columns.values()), strict=True,
        )  # fmt: skip
        return [(number, names[state], *rest) for number, state, *rest in rows]


DTS = (0.0, 0.125, 0.25, 1 / 60)


class Population:
    """The agents as machines of their own; it knows births, deaths and errors."""

    def __init__(self, machine: CrowdFsm) -> None:
        self.machine = machine
        self.crowd = Crowd(machine, 0, engine="python")
        self.world = self.crowd.world
        self.step = 0
        self.time = self.delta_time = 0.0
        self.next = 0
        self.members: list[Fsm[Any]] = []
        self.full = ""
        self.failed: set[int] = set()
        """The ids of those for which a function has raised in the last step."""
        self.before = 0
        """The next id before it."""
        for _ in range(FIRST):
            self._new({})

    def __len__(self) -> int:
        return len(self.members)

    def make(self, step: Step) -> list[Error]:
        self.failed, self.before = set(), self.next
        kind, *numbers = step
        errors: list[Error] = getattr(self, f"_{kind}")(*numbers)
        return errors

    def rows(self) -> str:
        return rows_of(self.told(), self.failed, self.before)

    def numbers(self) -> list[int]:
        """Return the ids."""
        return [fsm.context.number for fsm in self.members]

    def _update(self, one: int, two: int, _three: int) -> list[Error]:
        dt, errors = DTS[one % 4], []
        for _ in range(1 + two % 3 // 2):
            self.time, self.delta_time = self.time + dt, dt
            self._tell_the_time()
            errors = self._each(range(len(self)), lambda fsm: fsm.update(dt))
            if errors:
                break
        return errors

    def _send(self, one: int, two: int, _three: int) -> list[Error]:
        event = EVENTS[one % 4]
        if event not in self.crowd.layout.events:
            return []
        return self._each(chosen(self.numbers(), two), lambda fsm: fsm.send_event(event))

    def _start(self, one: int, two: int, _three: int) -> list[Error]:
        return self._each(chosen(self.numbers(), two), lambda fsm: fsm.start(self._state(one)))

    def _add(self, one: int, two: int, three: int) -> list[Error]:
        size = len(self)
        for _ in range(one % 5):
            self._new({"x": 0.875, "n": three % 9})
        return self._each(range(size, len(self)), lambda fsm: fsm.start(self._state(two)))

    def _remove(self, one: int, _two: int, _three: int) -> list[Error]:
        gone = chosen(self.numbers(), one)
        self.members = [fsm for i, fsm in enumerate(self.members) if i not in gone]
        return []

    def _column(self, one: int, two: int, _three: int) -> list[Error]:
        name = "xnb"[one % 3]
        for fsm in self.members:
            setattr(fsm.context.agent, name, value_of(name, two, fsm.context.number))
        return []

    def _world(self, one: int, two: int, three: int) -> list[Error]:
        write_world(self.world, one, two, three)
        return []

    def _save(self, *_numbers: int) -> list[Error]:
        return []

    def _promote(self, one: int, *_others: int) -> list[Error]:
        if self.members:
            self.members[one % len(self)].context.agent.x += 0.125
        return []

    def _state(self, number: int) -> str:
        names = list(self.machine.states)
        return names[number % len(names)]

    def told(self) -> list[Any]:
        return [
            (
                fsm.context.number,
                fsm.current_state.name if fsm.current_state is not None else None,
                fsm.time_in_state if fsm.current_state is not None else 0.0,
                *(fsm.context.read(name) for name in self.machine.agent_record.kinds),
                *(
                    IndividualMemory(fsm.context, action).read(name)
                    for state in fsm.states.values()
                    for action in cast("Sequence[Any]", state.actions)
                    for name in action.definition.memory
                ),
            )
            for fsm in self.members
        ]

    def _tell_the_time(self) -> None:
        """Let the time pass for those that are not running, as no time passes by itself there."""
        for fsm in self.members:
            if fsm.current_state is None:
                write_run_state(fsm, RunState(time=self.time, delta_time=self.delta_time))

    def _new(self, fields: Mapping[str, Any]) -> Fsm[Any]:
        individual = Individual(Agent(**fields), self.world, self.next, SEED, self.step)
        self.next += 1
        fsm = self.machine.single(individual)
        write_run_state(fsm, RunState(time=self.time, delta_time=self.delta_time))
        self.members.append(fsm)
        return fsm

    def _each(self, where: Any, call: Callable[[Fsm[Any]], object]) -> list[Error]:
        """Make a step with some agents, which is one for all; then come births and deaths."""
        self.step += 1
        for i, fsm in enumerate(self.members):
            if i not in where:
                fsm.context.begin_step()
        parents = [self.members[i] for i in where]
        errors = self._called(parents, call)
        births = [birth for fsm in parents for birth in fsm.context.births]
        born, most = 0, len(births) * (1 + self.machine.max_transitions)
        while births and (born := born + len(births)) <= most:
            before, self.step = self.step, self.step - 1  # start() is a step of theirs
            children = [(self._new(dict(each.fields)), each.start) for each in births]
            self.step = before
            for fsm, start in children:
                errors += self._called([fsm], lambda fsm, start=start: fsm.start(start))
            births = [birth for fsm, _ in children for birth in fsm.context.births]
        self.members = [
            fsm
            for fsm in self.members
            if fsm.current_state is None or fsm.current_state.name not in self.machine.retiring
        ]
        return [*errors, *([("CrowdError", "")] if births else [])]

    def _called(self, members: list[Fsm[Any]], call: Callable[[Fsm[Any]], object]) -> list[Error]:
        errors = []
        for fsm in members:
            try:
                call(fsm)
            except Exception as error:
                index = self.members.index(fsm)
                if not isinstance(error, TransitionLoopError):
                    self.failed.add(fsm.context.number)
                errors.append((type(error).__name__, str(index)))
        return errors


BEGIN: Step = ("start", 0, 7, 0)


def compare(objects: Population | None, crowds: Sequence[OneCrowd], course: list[Step]) -> None:
    """Check that all do the same, in every step; objects only up to the first error."""
    for step in [("start", 0, 7, 0), ("start", 1, 2, 0), *course]:
        one, *others = [each.make(step) for each in crowds]
        rows = repr(crowds[0].told())
        for crowd, other in zip(crowds[1:], others, strict=True):
            assert crowd.full == crowds[0].full, (step, crowd.options, crowds[0].full, crowd.full)
            assert other == one, (step, crowd.options)
            assert repr(crowd.told()) == rows, (step, crowd.options)
        if objects is not None and step[0] != "drive":
            errors = objects.make(step)
            assert bool(errors) == bool(one), (step, errors, one)
            if len(errors) <= 4:
                assert first_loop(errors) == first_loop(one), (step, errors, one)
            assert objects.rows() == crowds[0].rows(objects.failed, objects.before), (step, errors)
            objects = None if errors else objects
        elif step[0] == "drive":
            objects = None
        if len(crowds[0]) > MOST:
            return
