"""Random edits, one after the other: what is written is read by other means than the proof's."""

import re
import runpy
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fsmkit import BACK, Fsm
from fsmkit.cli.targets import apart, find
from fsmkit.editing import (
    AddAction,
    AddState,
    AddToGroup,
    AddTransition,
    Edit,
    Editor,
    MoveAction,
    RefusedEditError,
    RemoveAction,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetParameter,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [
    "dock.py", "ferry.py", "guard.py", "knight.py", "scenes.py", "town.py",
    "cookbook/asyncio_service.py", "cookbook/boss_phases.py", "cookbook/combo.py",
    "cookbook/elevator.py", "cookbook/orders_in_a_database.py", "cookbook/turn_based_game.py",
]  # fmt: skip

Reading = dict[str, Any]


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_random_edits_do_what_they_say_and_undo_brings_back_every_byte(
    file: str, folder: Path
) -> None:
    path = folder / Path(file).name
    shutil.copy(EXAMPLES / file, path)
    original = path.read_bytes()
    assert edits_are_true(path, Random(file), 30) > 0
    assert path.read_bytes() == original


def edits_are_true(path: Path, random: Random, tries: int) -> int:
    """Write random edits, check each, undo all; return how many were not refused."""
    with apart():
        editor = Editor(find(str(path)).function, path.parent)
        before, written = read(path), 0
        for _ in range(tries):
            edit = any_edit(random, first_machine(path))
            try:
                editor.write(editor.proposed(edit))
            except RefusedEditError:
                continue
            after, written = read(path), written + 1
            assert after == expected(edit, before, after), (edit, path.read_text())
            before = after
        while editor.undo() is not None:
            pass
    return written


def first_machine(path: Path) -> Fsm[Any]:
    sys.path.insert(0, str(path.parent))
    try:
        built = runpy.run_path(str(path))["build"]()
    finally:
        sys.path.remove(str(path.parent))
    return built if isinstance(built, Fsm) else next(iter(built))


def any_edit(random: Random, fsm: Fsm[Any]) -> Edit:
    state = random.choice([*fsm.states.values()])
    other, name = random.choice([*fsm.states]), f"New{random.randrange(1000)}"
    arrows = [
        (owner, event, rank)
        for owner, table in tables(fsm).items()
        for event, same in table.items()
        for rank in range(len(same))
    ]
    numbers = [
        SetParameter(state.name, str(index), "duration", random.choice([0.5, 7]))
        for index, action in enumerate(state.actions)
        if hasattr(action, "duration")
    ]
    at = random.choice([None, 0])
    edits: list[Edit] = [
        AddState(name),
        RenameState(state.name, name),
        AddTransition(random.choice([state.name, None]), name.upper(), other),
        AddAction(state.name, "TimedWait", {"duration": 1.5}, at=at),
        MoveAction(state.name, len(state.actions) - 1, 0),
        RemoveAction(state.name, random.randrange(len(state.actions) + 1)),
        *numbers,
        *(AddToGroup(group, state.name) for group in fsm.groups),
    ]
    if len(fsm.states) > 1:
        edits.append(RemoveState(state.name))
    if arrows:
        owner, event, rank = random.choice(arrows)
        edits += [
            Retarget(owner, event, other, rank),
            RenameEvent(owner, event, name.upper(), rank),
            RemoveTransition(owner, event, rank),
        ]
    return random.choice(edits)


# Reading


def tables(fsm: Fsm[Any]) -> dict[str | None, Any]:
    owners = {**fsm.states, **fsm.groups}
    return {None: fsm.global_transitions} | {n: each.transitions for n, each in owners.items()}


def read(path: Path) -> Reading:
    fsm = first_machine(path)
    arrows = [
        [owner, event, BACK if each.target is BACK else each.target.name, shown(each.when, each.do)]
        for owner, table in tables(fsm).items()
        for event, same in table.items()
        for each in same
    ]
    return {
        "states": [[name, state.final] for name, state in fsm.states.items()],
        "arrows": arrows,
        "actions": {name: [shown(each) for each in s.actions] for name, s in fsm.states.items()},
        "groups": {name: [state.name for state in group] for name, group in fsm.groups.items()},
        "context": shown(fsm.name, fsm.context),
    }


def shown(*values: object) -> str:
    return re.sub(r" at 0x\w+|line \d+", "", repr(values))


def expected(  # noqa: C901, PLR0912  # one case for each edit
    edit: Any, before: Reading, after: Reading
) -> Reading:
    """Return the reading that an edit should lead to; arrows of one owner and event in order."""
    states, arrows = [*before["states"]], [list(each) for each in before["arrows"]]
    actions = {name: [*each] for name, each in before["actions"].items()}
    groups = {name: [*each] for name, each in before["groups"].items()}

    def arrow() -> int:
        same = [n for n, each in enumerate(arrows) if each[:2] == [edit.source, edit.event]]
        return same[int(edit.rank)]

    match edit:
        case AddState():
            states.append([edit.name, False])
            actions[edit.name] = []
        case RenameState():
            states = [[edit.to if n == edit.state else n, final] for n, final in states]
            actions = {edit.to if n == edit.state else n: each for n, each in actions.items()}
            actions = {n: after["actions"][n] for n in actions}  # a text may hold the name
            groups = {
                g: [edit.to if n == edit.state else n for n in ns] for g, ns in groups.items()
            }
            for each in arrows:
                each[0] = edit.to if each[0] == edit.state else each[0]
                each[2] = edit.to if each[2] == edit.state else each[2]
        case RemoveState():
            states = [each for each in states if each[0] != edit.state]
            del actions[edit.state]
            groups = {g: [n for n in names if n != edit.state] for g, names in groups.items()}
            arrows = [each for each in arrows if edit.state not in (each[0], each[2])]
        case AddTransition():
            arrows.append([edit.source, edit.event, edit.target, shown(None, None)])
        case Retarget():
            arrows[arrow()][2] = edit.target
        case RenameEvent():
            arrows[arrow()][1] = edit.to
        case RemoveTransition():
            del arrows[arrow()]
        case AddAction():
            at = len(actions[edit.state]) if edit.at is None else edit.at
            actions[edit.state].insert(at, after["actions"][edit.state][at])
            assert "1.5" in actions[edit.state][at]
        case MoveAction():
            actions[edit.state].insert(edit.to, actions[edit.state].pop(edit.index))
        case RemoveAction():
            del actions[edit.state][edit.index]
        case SetParameter():
            index = int(edit.path)
            assert str(edit.value) in after["actions"][edit.state][index]
            actions[edit.state][index] = after["actions"][edit.state][index]
        case AddToGroup():
            groups[edit.group].append(edit.state)
    wanted = {"states": states, "actions": actions, "groups": groups, "context": before["context"]}
    return {**wanted, "arrows": sorted_by_owner(arrows, after["arrows"])}


def sorted_by_owner(arrows: list[list[Any]], like: list[list[Any]]) -> list[list[Any]]:
    """Return arrows in the order of other ones, where only that of one event matters."""
    order = [each[:2] for each in like]
    return sorted(arrows, key=lambda each: order.index(each[:2]) if each[:2] in order else -1)
