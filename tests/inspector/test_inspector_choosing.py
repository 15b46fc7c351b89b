"""The details of a machine that chooses: what each option answered, and its score as a share."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from actions import Option, Selector, TimedWait, Utility
from fsmkit import Fsm


def is_hurt(state: Any) -> bool:
    return bool(state.context.health < 20)


def guard() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Guard", SimpleNamespace(health=100, fear=-1.0))
    fsm.add_state("Duty").add_action(
        Selector(Option(TimedWait(1000.0), when=is_hurt), Option(TimedWait(1000.0)), suspend=True)
    )
    fsm.add_state("Home").add_action(
        Utility(
            Option(TimedWait(1000.0), score=lambda state: state.context.fear),
            Option(TimedWait(1000.0), score=2),
            Option(TimedWait(1000.0), score=9, when=is_hurt),
        )
    )
    return fsm


def shown(page: Any, wanted: Callable[[list[Any]], bool]) -> list[Any]:
    def options(frame: dict[str, Any]) -> list[Any]:
        return [row["answers"] for row in (frame["detail"] or {"actions": []})["actions"]]

    frame = page.frame(lambda frame: frame["detail"] and wanted(options(frame)))
    return options(frame)


def test_a_selector_shows_what_was_asked_and_what_is_suspended(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard()
    fsm.start()
    page = inspected(fsm)
    asked = shown(page, lambda options: len(options) == 3)
    assert asked == [[], [{"answer": "no, is_hurt", "share": None}], []]
    fsm.context.health = 10
    asked = shown(page, lambda options: options[2] == [{"answer": "suspended", "share": None}])
    assert asked[1] == [{"answer": "yes, is_hurt", "share": None}]
    rows = page.frame(lambda frame: frame["detail"])["detail"]["actions"]
    assert [(row["entered"], row["suspended"]) for row in rows] == [
        (True, False), (True, False), (True, True),
    ]  # fmt: skip


def test_a_utility_shows_its_scores_beside_the_highest(inspected: Callable[..., Any]) -> None:
    fsm = guard()
    fsm.start("Home")
    page = inspected(fsm)
    assert shown(page, lambda options: len(options) == 4) == [
        [],
        [{"answer": "-1", "share": 0.0}],
        [{"answer": "2", "share": 1.0}],
        [{"answer": "no, is_hurt", "share": None}],
    ]
