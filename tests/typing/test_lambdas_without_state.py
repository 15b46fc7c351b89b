"""Lambdas that take nothing, where a lambda with the state would know the context.

Pyright knows both forms. Mypy looks into a lambda only where it can have one form: it keeps the one
with the context, so with mypy such a function has a name, or is written `lambda _: ...`.
"""

from types import SimpleNamespace

from actions import DelegateAction, OnEvent, TimedWait, WaitUntil


def test_mypy_wants_a_function_with_a_name() -> None:
    door = SimpleNamespace(closed=True)

    def is_closed() -> bool:
        return bool(door.closed)

    WaitUntil(is_closed)
    WaitUntil(lambda _: door.closed)
    WaitUntil(lambda: door.closed)  # type: ignore[misc]
    DelegateAction(lambda: door.closed)  # type: ignore[misc]
    OnEvent("HIT", is_closed)
    OnEvent("HIT", lambda _state, _hit: door.closed)
    OnEvent("HIT", lambda: door.closed)  # type: ignore[misc]
    OnEvent("HIT", lambda _state: door.closed)  # type: ignore[misc]


def test_where_no_context_is_known_both_forms_are() -> None:
    TimedWait(lambda: 2.0)
    TimedWait(lambda state: state.fsm.time)
