"""Watches: values that the program asks to be shown."""

import logging
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from actions import InRange
from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.reading.watches import Expression, Watches
from fsmkit.space.hysteresis import holding


class Guard:
    def __init__(self, x: float = 0.0) -> None:
        self.x = x
        self.reads = 0

    @property
    def distance(self) -> float:
        self.reads += 1
        return 10.0 - self.x


def machine(context: object, name: str = "Guard") -> Fsm[Any]:
    fsm = Fsm(name, context=context)
    fsm.add_state("Patrol")
    fsm.start()
    return fsm


def distance(guard: Guard) -> float:
    return guard.distance


async def later(_guard: Guard) -> float:
    return 0.0


def gap(one: float, other: float) -> float:
    return one - other


NEEDED = "watch must be a mapping of names to functions of the context, or a list of names of its"
FUNCTION = "watch: 'd' must be a function of the context"

WRONG: list[tuple[Any, type[Exception], str]] = [
    (3, TypeError, f"{NEEDED} attributes, got 3."),
    ("health", TypeError, f"{NEEDED} attributes, got 'health'."),
    ({"d": 3}, TypeError, f"{FUNCTION}, got 3."),
    ({"d": later}, TypeError, f"{FUNCTION} that returns a value at once, got later."),
    (
        {"d": gap},
        TypeError,
        f"{FUNCTION}, with one argument, but gap requires 2: one, other.",
    ),
    ({"d": lambda: 1}, TypeError, f"{FUNCTION}, with one argument, but <lambda> takes none."),
    ({3: distance}, TypeError, "watch: a name must be a str, got 3."),
    ([" "], ValueError, "watch: a name must have 1 to 80 characters, got ' '."),
    (["x", "y", "x"], ValueError, "watch must name each value once, got 'x' twice."),
    ([f"x{n}" for n in range(33)], ValueError, "watch must have at most 32 names, got 33."),
]


@pytest.mark.parametrize(("watch", "kind", "message"), WRONG, ids=lambda each: str(each)[:20])
def test_a_wrong_watch_is_refused_at_the_call(watch: Any, kind: Any, message: str) -> None:
    from fsmkit.inspector import inspect

    fsm = machine(Guard())
    with pytest.raises(kind) as raised:
        inspect(fsm, watch=watch, announce=None)
    assert str(raised.value) == message
    inspect(fsm, announce=None).close()


def test_a_value_is_read_once_until_it_expires() -> None:
    guard = Guard(4.0)
    fsm, watches = machine(guard), Watches(["distance"])
    assert (watches.read(fsm), watches.read(fsm), guard.reads) == (
        {"distance": 6.0}, {"distance": 6.0}, 1,
    )  # fmt: skip
    guard.x = 5.0
    watches.expire()
    assert watches.read(fsm) == {"distance": 5.0}


def test_a_watch_that_raises_shows_the_error_and_is_logged_once_for_each_cause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    causes = [KeyError("x"), KeyError("y"), ValueError("z" * 100)]

    def fail(_context: object) -> None:
        raise causes[len(texts)]

    texts: list[str] = []
    watches, fsm = Watches({"a": fail, "b": lambda guard: guard.x}), machine(Guard(1.0))
    with caplog.at_level(logging.ERROR, "fsmkit"):
        for _ in causes:
            values = watches.read(fsm)
            texts.append(repr(values["a"]))
            assert values["b"] == 1.0
            watches.expire()
    assert texts == ["<KeyError: 'x'>", "<KeyError: 'y'>", f"<ValueError: {'z' * 79}…>"]
    assert [record.message for record in caplog.records] == [
        "The inspector could not read the watch 'a'."
    ] * 2


def test_an_attribute_that_a_context_does_not_have_is_absent_for_this_machine_only() -> None:
    class Odd:
        @property
        def x(self) -> float:
            return self.missing  # type: ignore[attr-defined,no-any-return]

    watches = Watches(["x"])
    contexts = [Guard(1.0), {"x": 2.0}, {}, SimpleNamespace(y=3), None, Odd()]
    texts = [str(watches.read(machine(each))["x"]) for each in contexts]
    assert texts == [
        "1.0", "2.0", "-", "-", "-", "<AttributeError: 'Odd' object has no attribute 'missing'>",
    ]  # fmt: skip


def test_the_page_is_sent_the_watched_values(inspected: Callable[..., Any]) -> None:
    fsm = machine(Guard(3.0))
    page = inspected(fsm, watch={"distance": distance, "wrong": lambda guard: guard["x"]})
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert detail["watched"] == [
        ["distance", "7.0", "f"],
        ["wrong", "<TypeError: 'Guard' object is not subscriptable>", "-"],
    ]
    fsm.context.x = 5.0
    page.frame(lambda frame: frame["detail"]["watched"][0] == ["distance", "5.0", "f"])


def test_a_past_moment_has_the_values_of_then(inspected: Callable[..., Any]) -> None:
    fsm = machine(Guard(3.0))
    page = inspected(fsm, watch=["distance"])
    for _ in range(64):
        page.update()
    fsm.context.x = 5.0
    page.frame(lambda frame: frame["detail"]["watched"] == [["distance", "5.0", "f"]])
    then = page.ask("moment", machine="Guard", time=0.5)["moment"]["detail"]
    assert then["watched"] == [["distance", "7.0", "f"]]


def test_only_machines_on_display_are_read(inspected: Callable[..., Any]) -> None:
    guards = [Guard(), Guard()]
    group = FsmGroup(machine(guard) for guard in guards)
    page = inspected(group, watch=["distance"])
    page.frame(lambda frame: frame["detail"])
    assert guards[0].reads > 0
    assert guards[1].reads == 0


def test_a_condition_shows_what_the_machine_would_be_answered_and_remembers_nothing() -> None:
    hero = SimpleNamespace(position=(5.0, 0.0))
    near = InRange((0.0, 0.0), lambda state: state.context.hero, 3.0, until=6.0)
    fsm = machine(SimpleNamespace(hero=hero))
    assert fsm.current_state is not None
    watches = Watches({"near": near})
    seen = []
    for x in (2.0, 5.0):
        hero.position = (x, 0.0)
        seen.append(watches.read_now(fsm, "near"))
    hero.position = (2.0, 0.0)
    near(fsm.current_state)
    for x in (5.0, 7.0, 5.0):
        hero.position = (x, 0.0)
        seen.append(watches.read_now(fsm, "near"))
    held = holding(fsm)
    fsm.stop()
    seen.append(repr(watches.read_now(fsm, "near")))
    assert (seen, held) == ([True, False, True, False, True, "-"], [near])


LIMIT = 12.0
"""A name of this module, for expressions."""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x", 3.0),
        ("distance / 2", 3.5),  # a property
        ("LIMIT - context.x", 9.0),
        ("distance(context)", "<TypeError: 'float' object is not callable>"),
        ("gap(LIMIT, x)", 9.0),
        ("(fsm.name, state, time_in_state)", ("Guard", "Patrol", 0.0)),
        ("[round(x + each) for each in range(2)]", [3, 4]),
        ("max(map(lambda y: x * y, (1, 2)))", 6.0),
        ("(y := x) + y", 6.0),
        (" x", 3.0),
        ("1 / 0", "<ZeroDivisionError: division by zero>"),
        ("LIMTI", "<NameError: There is no 'LIMTI'. Did you mean 'LIMIT'?>"),
        ("read", "<NameError: There is no 'read'. Did you mean 'reads'?>"),
    ],
)
def test_an_expression_knows_the_machine_its_context_and_the_module(
    text: str, value: object
) -> None:
    watches = Watches({text: Expression(text, __name__)})
    seen = watches.read(machine(Guard(3.0)))[text]
    assert (str(seen) if isinstance(value, str) else seen) == value


def test_the_error_of_an_expression_is_seen_where_it_was_typed_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    Watches({"y": Expression("y")}).read(machine(Guard()))
    assert caplog.records == []


def test_an_expression_asks_conditions_and_leaves_no_trace() -> None:
    hero = SimpleNamespace(position=(2.0, 0.0))
    near = InRange((0.0, 0.0), lambda state: state.context.hero, 3.0, until=6.0)
    fsm = machine(SimpleNamespace(hero=hero, near=near))
    watches = Watches({"is near": Expression("near(fsm.current_state)")})
    seen = []
    for x in (2.0, 5.0):
        hero.position = (x, 0.0)
        seen.append(watches.read_now(fsm, "is near"))
    assert (seen, holding(fsm)) == ([True, False], [])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x <", "'x <' is not a Python expression (invalid syntax)."),
        ("x = 3", "'x = 3' is not a Python expression (invalid syntax)."),
        ("", "'' is not a Python expression (invalid syntax)."),
        ("x\0", "'x\\x00' is not a Python expression"),
        ("x" * 81, "an expression must have at most 80 characters, got 81."),
    ],
)
def test_what_is_no_expression_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        Expression(text)
