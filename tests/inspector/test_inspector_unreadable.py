"""What cannot be read is shown as such, in its place, and hides nothing else."""

from __future__ import annotations

import weakref
from collections import deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, IntEnum
from logging import WARNING
from typing import Any

import pytest
from attrs import define, field
from every import every

from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.inspector.live.session import Session

CONTEXT = "<context cannot be read: "


class Body:
    def __init__(self) -> None:
        self.health = 3


class RaisesAttributes:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"no {name} at {id(object()):#x}")


class RaisesItems(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys")

    def __len__(self) -> int:
        return 1


class RaisesLength(RaisesItems):
    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        raise RuntimeError("no length")


class RaisesDict:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no fields")


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("nothing to say")


class RaisesSilently:
    def __getattribute__(self, name: str) -> Any:
        raise Silent


def dead() -> Any:
    return weakref.proxy(Body())


UNREADABLE = {
    "dead proxy": (dead, "ReferenceError: weakly-referenced object no longer exists>"),
    "attributes": (RaisesAttributes, "RuntimeError: no __"),
    "items": (RaisesItems, "RuntimeError: no keys>"),
    "length": (RaisesLength, "RuntimeError: no length>"),
    "dict": (RaisesDict, "RuntimeError: no fields>"),
    "silent error": (RaisesSilently, "Silent>"),
}


@define(eq=False)
class Moody(FsmAction[Any]):
    """An action with a parameter and a memory, some of which cannot be read."""

    speed: float = 2.0
    mood: float = field(default=0.0, init=False)
    raises: tuple[str, ...] = field(default=(), init=False)

    def __getattribute__(self, name: str) -> Any:
        if name in object.__getattribute__(self, "raises"):
            raise RuntimeError(f"no {name}")
        return super().__getattribute__(name)

    @property
    def progress(self) -> float:
        raise RuntimeError("no progress")


def machine(name: str, context: Any = None) -> Fsm[Any]:
    fsm = Fsm(name, context=context, on_unhandled="ignore")
    go, rest = fsm.add_state("Go"), fsm.add_state("Rest")
    go.add_transition("TIRED", rest)
    rest.add_transition("WAKE", go)
    fsm.start()
    return fsm


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_context_that_cannot_be_read_says_so_and_hides_nothing_else(
    inspected: Callable[..., Any], kind: str
) -> None:
    make, text = UNREADABLE[kind]
    odd = machine("Odd", make())
    page = inspected(FsmGroup([machine("Fine", Body()), odd]))
    page.ask("select", machine="Odd")
    odd.send_event("TIRED")
    detail = page.frame(lambda frame: (frame["detail"] or {}).get("state") == "Rest")["detail"]
    name, shown = detail["context"][-1]
    assert name == ""
    assert shown.startswith(CONTEXT + text[:14])
    assert text in f"{shown}>"
    assert detail["lit"] == ["Odd__Rest"]
    assert [entry["kind"] for entry in page.frames[-1]["log"]][-3:] == ["event", "leave", "enter"]
    then = page.ask("moment", machine="Odd", time=0.0)["moment"]
    assert then["detail"]["state"] == "Go"
    later = page.another()
    assert later.frame()["detail"]["context"] == [["health", "3"]]
    later.socket.close()


def test_a_context_that_dies_is_logged_once(
    inspected: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    body = Body()
    page = inspected(machine("Odd", weakref.proxy(body)))
    assert page.frame()["detail"]["context"] == [["health", "3"]]
    with caplog.at_level(WARNING, "fsmkit"):
        del body
        page.frame(lambda frame: frame["detail"]["context"][0][1].startswith(CONTEXT))
        for _ in range(200):
            page.update()
    [record] = caplog.records
    assert record.getMessage() == (
        "The inspector cannot read the context of 'Odd': ReferenceError: weakly-referenced object "
        "no longer exists"
    )


def test_an_error_whose_text_changes_is_logged_once(
    inspected: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    page = inspected(machine("Odd", RaisesAttributes()))
    with caplog.at_level(WARNING, "fsmkit"):
        for _ in range(100):
            page.update()
    assert len(caplog.records) == 1


def test_time_travel_leaves_out_what_cannot_be_read(inspected: Callable[..., Any]) -> None:
    body = Body()
    body.friend = dead()  # type: ignore[attr-defined]
    fsm = machine("Odd", body)
    page = inspected(fsm)
    frame = page.frame()
    assert "raises ReferenceError" in dict(frame["detail"]["context"])["friend"]
    seq = page.ask("moment", machine="Odd", time=0.0)["moment"]["seq"]
    body.health = 1
    assert page.ask("go_on", machine="Odd", seq=seq)["ok"]
    assert body.health == 3


def test_a_dead_context_can_be_travelled_back_to(inspected: Callable[..., Any]) -> None:
    fsm = machine("Odd", dead())
    page = inspected(fsm)
    page.frame()
    seq = page.ask("moment", machine="Odd", time=0.0)["moment"]["seq"]
    fsm.send_event("TIRED")
    assert page.ask("go_on", machine="Odd", seq=seq)["ok"]
    assert fsm.current_state is fsm.states["Go"]


def test_of_an_action_only_what_cannot_be_read_is_missing(inspected: Callable[..., Any]) -> None:
    fsm = machine("Odd")
    moody, other = Moody(3.0), Moody(4.0)
    fsm.states["Rest"].add_action(moody)
    fsm.states["Rest"].add_action(other)
    page = inspected(fsm)
    fsm.send_event("TIRED")
    moody.mood = other.mood = 0.5
    moody.raises = ("speed",)
    other.raises = ("mood",)
    detail = page.frame(lambda frame: frame["detail"]["state"] == "Rest")["detail"]
    first, second = detail["actions"]
    assert first["parameters"][0] == ["speed", "<speed cannot be read: RuntimeError: no speed>"]
    assert ["mood", "0.5"] in first["values"]
    assert ["speed", "4.0"] in second["parameters"]
    assert ["mood", "<mood cannot be read: RuntimeError: no mood>"] in second["values"]
    assert first["progress"] is None


def test_a_dead_proxy_as_data_of_an_event_does_no_harm(inspected: Callable[..., Any]) -> None:
    fsm = machine("Odd")
    page = inspected(fsm)
    fsm.send_event("TIRED", dead())
    frame = page.frame(lambda frame: any("data" in entry for entry in frame["log"]))
    [data] = [entry["data"] for entry in frame["log"] if "data" in entry]
    assert "raises ReferenceError" in data


def test_a_machine_whose_drawing_fails_leaves_the_others_alone(
    inspected: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = machine("Odd")
    page = inspected(FsmGroup([odd, machine("Fine", Body())]))

    def fail(self: Any) -> Any:
        if self.machine is odd:
            raise RuntimeError("no chart")
        return []

    monkeypatch.setattr("fsmkit.inspector.reading.chart.StateChart.lit", fail)
    second = page.another()
    second.ask("select", machine="Fine")
    assert second.frame(lambda frame: frame["reset"])["detail"]["context"] == [["health", "3"]]
    detail = page.frame(lambda frame: frame["detail"] and not frame["detail"]["lit"])["detail"]
    assert detail["state"] == "Go"  # a frame of before may have been on its way
    second.socket.close()


def test_a_slow_repr_is_named_once(
    inspected: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 0.0

    class Slow:
        def __repr__(self) -> str:
            nonlocal clock
            clock += 0.052
            return "slow"

    monkeypatch.setattr("fsmkit.inspector.reading.page_values.own_time", lambda: clock)
    page = inspected(machine("Odd", {"map": Slow()}))
    frame = page.frame(lambda frame: any(entry["kind"] == "note" for entry in frame["log"]))
    for _ in range(100):
        page.update()
    page.frame()
    notes = [e["text"] for each in page.frames for e in each["log"] if e["kind"] == "note"]
    assert frame["log"][-1]["text"].startswith("reading the context of Odd takes 52 ms")
    assert len(notes) == 1


class Light(Enum):
    RED = 1


class Level(IntEnum):
    LOW = 1


class Name(str):
    __slots__ = ()


Point = namedtuple("Point", ["x", "y"])


class Slotted:
    __slots__ = ("hp", "secret_", "unset")

    def __init__(self) -> None:
        self.hp = 7

    @property
    def boom(self) -> int:
        raise RuntimeError("properties are not read")


class Covered(Slotted):
    __slots__ = ()

    @property
    def hp(self) -> int:  # type: ignore[override]
        raise RuntimeError("properties are not read")


def covered() -> Covered:
    thing = Covered.__new__(Covered)
    Slotted.__dict__["hp"].__set__(thing, 7)
    return thing


SHOWN: list[tuple[Any, list[list[str]]]] = [
    ((1, "a"), [["", "(1, 'a')"], ["0", "1"], ["1", "'a'"]]),
    ([1], [["", "[1]"], ["0", "1"]]),
    ([], [["", "[]"]]),
    (deque([1], maxlen=3), [["", "deque([1], maxlen=3)"], ["0", "1"]]),
    (Light.RED, [["", "Light.RED"]]),
    (Level.LOW, [["", "1"]]),
    (Point(1, 2), [["", "Point(x=1, y=2)"], ["x", "1"], ["y", "2"]]),
    ({7}, [["", "{7}"]]),
    (frozenset({7}), [["", "frozenset({7})"]]),
    (Name("Bob"), [["", "'Bob'"]]),
    (range(3), [["", "range(0, 3)"]]),
    (bytearray(b"ab"), [["", "bytearray(b'ab')"]]),
    (object(), []),
    (None, []),
    (5, [["", "5"]]),
    ({}, []),
    (Slotted(), [["hp", "7"]]),
    (covered(), [["hp", "7"]]),
]


@every(("context", "rows"), SHOWN)
def test_a_context_without_fields_is_shown_as_text(context: Any, rows: list[list[str]]) -> None:
    session = Session(
        machine("Odd", context), rate=30.0, record=False, while_held=None, signal=None
    )
    assert session.subscribers.watched("Odd").detail()["context"] == rows
    session.close()


def test_a_long_list_is_shown_in_part() -> None:
    session = Session(
        machine("Odd", [*range(200)]), rate=30.0, record=False, while_held=None, signal=None
    )
    rows = session.subscribers.watched("Odd").detail()["context"]
    assert (len(rows), rows[1], rows[-1]) == (102, ["0", "0"], ["…", "and 100 more"])
    session.close()
