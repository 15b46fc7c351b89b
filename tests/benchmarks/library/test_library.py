"""Every twin of the benchmark has the same outcome as its action, and every action has one."""

from __future__ import annotations

import asyncio
import re
from inspect import isabstract
from pathlib import Path

import pytest
from cases import CASES
from trials import prepare

import actions
from fsmkit import FsmAction

FAMILIES = ("values", "movements", "composites")
NAMES = [(name, kind) for name, case in CASES.items() for kind in case.kinds]


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_a_twin_does_what_the_action_does(name: str, kind: str) -> None:
    by_hand, by_action = (asyncio.run(played(name, kind, by_hand=each)) for each in (True, False))
    assert same(by_hand, by_action)


def test_every_action_of_the_library_has_a_twin() -> None:
    folder = Path(__file__).parent
    texts = [(folder / f"{name}.py").read_text("utf-8") for name in FAMILIES]
    measured = set(re.findall(r"\ba\.([A-Z]\w+)\(", "".join(texts)))
    kinds = {name: getattr(actions, name) for name in actions.__all__}
    library = {name for name, kind in kinds.items() if is_action(kind)}
    assert library - measured == {"Composite", "TimedAction"}  # to write actions of one's own


def is_action(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, FsmAction) and not isabstract(kind)


async def played(name: str, kind: str, *, by_hand: bool) -> object:
    trial = prepare(CASES[name], kind, 7, by_hand=by_hand, machines=2)
    trial.run()
    return trial.outcome()


def same(one: object, other: object) -> bool:
    if isinstance(one, float):
        return bool(other == pytest.approx(one))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other
