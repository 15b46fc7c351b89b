"""What a page calls possible is possible, and what it greys is refused, in every example."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fsmkit import Fsm, FsmState
from fsmkit.cli.targets import apart, find
from fsmkit.editing import (
    AddAction,
    AddToGroup,
    AddTransition,
    AsWritten,
    Edit,
    Editor,
    MoveAction,
    RefusedEditError,
    RemoveAction,
    RemoveFromGroup,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetFinal,
    SetParameter,
    SharedEditError,
)
from fsmkit.editing.action_forms import choices_of
from fsmkit.inspector.live.requests import part_reasons
from fsmkit.inspector.live.requests.edit_requests import EditRequests
from fsmkit.introspection import walk

EXAMPLES = Path(__file__).parents[2] / "examples"
ENGINES = ("", "pygame", "arcade", "pyglet", "panda3d", "ursina", "raylib")
Asked = tuple[Any, Edit]
"""Why an edit is not possible, as a page is told; and one such edit."""


def files(folder: Path) -> Iterator[Path]:
    yield from sorted(EXAMPLES.glob("*.py"))
    yield from sorted((EXAMPLES / "cookbook").glob("*.py"))
    yield EXAMPLES / "night_guard" / "guards.py"
    for engine in ENGINES:
        path = folder / f"{engine or 'plain'}_guard.py"
        options = ["--engine", engine] * bool(engine)
        command = [sys.executable, "-m", "fsmkit", "new", str(path), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        yield path


@pytest.mark.slow
def test_a_part_can_be_edited_exactly_if_no_reason_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_reasons, "LONGEST", float("inf"))
    wrong, tried = [], 0
    for path in files(tmp_path):
        with apart():
            for edit, why, refusal in compared(path):
                tried += 1
                if (why is None) != (refusal is None):
                    wrong.append((path.name, edit, why, refusal))
    assert tried > 300
    assert wrong == []


def compared(path: Path) -> Iterator[tuple[Edit, str | None, str | None]]:
    """Yield edits of a file, why the page greys each, and why it is refused."""
    random = Random(path.name)
    editor = Editor(find(str(path)).function, "/")
    requests = EditRequests(editor, lambda place: {"text": str(place)})
    name, machine = random.choice([*editor.built().machines.items()])
    owners: list[Any] = [machine, *machine.groups.values(), *machine.states.values()]
    owner = random.choice(owners)
    source = None if owner is machine else owner.name
    answer = requests.reasons(source, name)
    for why, edit in asked(answer, name, owner, source, random):
        is_grey = why is not None and not why["shared"]
        yield edit, why["reason"] if is_grey else None, refusal(editor, edit)


def refusal(editor: Editor, edit: Edit) -> str | None:
    try:
        editor.proposed(edit)
    except SharedEditError:
        return None
    except RefusedEditError as refused:
        return refused.reason
    return None


def asked(
    answer: Any, name: str, owner: Any, source: str | None, random: Random
) -> Iterator[Asked]:
    """Yield the reasons of a state, a group or a machine, each with an edit that it is about."""
    machine: Fsm[Any] = owner if isinstance(owner, Fsm) else owner.fsm
    new, states = f"NEW_{random.randrange(1000)}", [*machine.states]
    yield answer["add_transition"], AddTransition(source, new, random.choice(states), name)
    for event, same in walk.table(owner).items():
        for rank, each in enumerate(same):
            whys = answer["transitions"][event][rank]
            leads_to = getattr(each.target, "name", None)
            itself = source if each.suspend else None  # no state suspends itself
            if others := [state for state in states if state not in (leads_to, itself)]:
                other = random.choice(others)
                yield whys["retarget"], Retarget(source, event, other, rank, name)
            yield whys["rename"], RenameEvent(source, event, new, rank, name)
            yield whys["remove"], RemoveTransition(source, event, rank, name)
    if isinstance(owner, FsmState):
        yield answer["state"]["rename"], RenameState(owner.name, new, name)
        yield answer["state"]["remove"], RemoveState(owner.name, name)
        yield answer["state"]["final"], SetFinal(owner.name, not owner.final, name)
        for group in answer["groups"]:
            kind = RemoveFromGroup if group["has"] else AddToGroup
            yield group["why"], kind(group["name"], owner.name, name)
        yield (
            answer["add_action"],
            AddAction(owner.name, "TimedWait", {"duration": 2}, machine=name),
        )
        yield from asked_of_actions(answer, name, owner)


def asked_of_actions(answer: Any, name: str, state: FsmState[Any]) -> Iterator[Asked]:
    here = dict(walk.paths(state))
    for each in answer["actions"]:
        place = each["index"]
        parent, _, number = place.rpartition("/")
        index, last = int(number), len(here[parent].children if parent else state.actions) - 1
        yield each["remove"], RemoveAction(state.name, place, name)
        if last:
            yield each["move"], MoveAction(state.name, place, index - 1 if index else 1, name)
        if "add" in each:
            inner = AddAction(state.name, "Log", {"message": "a"}, inside=place, machine=name)
            yield each["add"], inner
        for parameter in each["parameters"]:
            value = other_value(here[place], parameter["name"], parameter["text"])
            if value is not None:
                yield (
                    parameter["why"],
                    SetParameter(state.name, place, parameter["name"], value, name),
                )


def other_value(action: Any, name: str, text: str) -> object:
    """Return another value of the same kind as the present one; None for no number or text."""
    value = getattr(action, name, None)
    if choices := [
        each for each in choices_of(type(action), name) if each not in (text, repr(value))
    ]:
        return AsWritten(choices[-1])
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 2
    return f"{value}_2" if isinstance(value, str) else None
