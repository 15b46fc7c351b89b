"""Every request there is, with every argument wrong in every way, at everything a page can show.

What is sent is made from the table of requests: a new one is tried here from its first day on.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from math import inf, nan
from sys import float_info
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, ClassVar, Final

import attrs
import pytest
from every import every

from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.inspector.live.requests.page_request import REQUESTS
from fsmkit.inspector.local import LocalInspector, LocalPage, LocalPages
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.inspector.playback.playback_session import PlaybackSession
from fsmkit.inspector.playback.two_runs import TwoRuns
from fsmkit.pathfinding import Grid
from fsmkit.recording import Recording
from fsmkit.space import Transform

DT = 1 / 64
PATIENCE = 60.0

DEEP: Final = json.loads("[" * 200 + "]" * 200)
LONG: Final = "x" * 1_000_000

HOSTILE: Final[Mapping[str, object]] = {
    "nothing": None,
    "a flag": True,
    "zero": 0,
    "below zero": -1,
    "huge": 10**400,
    "beyond a float": 1.7e308,
    "below a float": -5e-324,
    "not a number": nan,
    "infinite": inf,
    "a numeral": "7",
    "no letters": "",
    "a million letters": LONG,
    "half a letter": "\ud800",
    "the end of a text": "Lamp\x00",
    "dunder": "__class__",
    "private": "_fsmkit_state",
    "a path": "../../etc/passwd",
    "code": "__import__('os').abort()",
    "an empty list": [],
    "a list": ["context", "health"],
    "a long list": [[]] * 10_000,
    "pairs": [[["context", "health"], 10**400], [["context"], -inf]],
    "deep": DEEP,
    "an object": {},
    "a prototype": {"__proto__": {"machine": "Lamp"}, "constructor": None},
    "a condition": {"name": "__class__", "operator": "==", "value": "Body"},
    "a way": {"source": "Off", "target": "__class__", "rank": 0},
    "a condition on the secret": {"name": "_secret", "operator": "changes"},
}

FITTING: Final[Mapping[type, object]] = {
    str: "x", float: 0.5, int: 0, bool: False, list: ["context", "x"], dict: {},
    object: None,
}  # fmt: skip
"""Type of an argument -> a value that is not wrong."""

BY_NAME: Final[Mapping[str, object]] = {
    "kind": "error", "state": "Off", "place": "0", "field": "hunger", "operator": "<",
}  # fmt: skip
"""Argument -> a value with which others are looked at as well."""

LAMP: Final = "Lamp"

OTHER_REFUSALS: Final = "not possible here|kind of a breakpoint|value wanted must be"

INTERNAL: Final = re.compile(r"[\w.]+(Error|Exception): ")
"""The beginning of an answer to what nobody has thought of."""


GROUND: Final = Grid(["..", ".#"], compiled=False)
"""The tiles of the map, which are found in the module of the context."""


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Gun:
    def __init__(self) -> None:
        self.shots = 6
        self._safety = True


class Body:
    legs = 2

    def __init__(self) -> None:
        self.health = 30
        self.speed = 1.5
        self.name = "Ada"
        self.is_awake = True
        self.mood = Mood.CALM
        self.place = (1.0, 2.0)
        self.gun = Gun()
        self.bag = [1, 2]
        self.ask = self.shout
        self.json = json
        self.kind = Gun
        self._secret = "s"
        self.machine: Fsm[Any] | None = None

    def shout(self) -> None:
        raise AssertionError("a page has called a method")

    @property
    def distance(self) -> float:
        raise AssertionError("a page has read a property")

    @distance.setter
    def distance(self, _value: object) -> None:
        raise AssertionError("a page has set a property")


@attrs.define
class Glow(FsmAction[Body]):
    power: float = 1.0
    reach: int = 3
    transform: ClassVar = Transform((1.0, 2.0))
    """Where the machine is, for the map."""
    _way_: ClassVar = ((3.0, 4.0), (nan, inf))


def lamp(name: str = LAMP) -> Fsm[Body]:
    fsm = Fsm(name, context=Body(), on_unhandled="ignore")
    fsm.context.machine = fsm
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_action(Glow(2.0, 4))
    off.add_transition("PRESSED", on)
    fsm.start()
    return fsm


def what_is(fsm: Fsm[Body]) -> object:
    """Return all that a page might have changed of a machine."""
    body, actions = fsm.context, fsm.states["Off"].actions
    return (
        fsm.current_state, fsm.previous_state, fsm.name, list(fsm.states), fsm.is_running,
        [*vars(body).items()], [*vars(body.gun).items()], [*body.bag], set(vars(Body)),
        [(action, *given(action).items(), action.enabled) for action in actions],
    )  # fmt: skip


def given(action: FsmAction[Any]) -> dict[str, object]:
    """Return the parameters of an action."""
    assert isinstance(action, Glow)
    return {"power": action.power, "reach": action.reach}


class Talk:
    """A page; while it waits for an answer, the game continues."""

    def __init__(self, page: LocalPage, update: Callable[[], object]) -> None:
        self.page, self.update = page, update
        self.sent = 0
        self.machine = lamp()

    def answer_to(self, message: Mapping[str, object]) -> dict[str, Any]:
        """Return the one answer to a message."""
        self.sent += 1
        self.page.send(json.dumps({**message, "id": self.sent}))
        answers = list(self._answers(self.sent))
        self.sent += 1
        self.page.send(json.dumps({"do": "?", "id": self.sent}))
        answers += self._answers(self.sent)
        assert [answer["id"] for answer in answers] == [self.sent - 1, self.sent]
        return answers[0]

    def _answers(self, until: int) -> Iterator[dict[str, Any]]:
        end = monotonic() + PATIENCE
        while monotonic() < end:
            text = self.page.take()
            message = json.loads(text) if text is not None else {"type": "none"}
            if message["type"] == "answer":
                yield message
                if message["id"] == until:
                    return
            elif text is None:
                self.update()
        raise AssertionError("there is no answer")


def fitting(do: str, machine: str) -> dict[str, object]:
    """Return the arguments of a request that it cannot do without, none of them wrong."""
    return {
        name: machine if name == "machine" else BY_NAME.get(name, FITTING[kind])
        for name, kind in REQUESTS[do].arguments.items()
        if name not in REQUESTS[do].optional
    }


def wrong_messages(machine: str) -> Iterator[tuple[str, dict[str, object], bool]]:
    """Yield what is wrong, a message, and whether it must be refused wherever it is sent."""
    for do, rule in REQUESTS.items():
        whole = {"do": do, **fitting(do, machine)}
        for unknown in ("page", "self", "__class__", "__proto__", "code"):
            yield f"{do}: {unknown}", {**whole, unknown: "x"}, True
        for name, kind in rule.arguments.items():
            if name in whole:
                rest = {key: value for key, value in whole.items() if key != name}
                yield f"{do} without {name}", rest, True
            for title, value in HOSTILE.items():
                yield f"{do}: {name} is {title}", {**whole, name: value}, not fits(value, kind)


def fits(value: object, kind: type) -> bool:
    """Return True if a value has the right type."""
    if kind is float:
        return type(value) in (int, float) and -inf < value < 10**400  # type: ignore[operator]
    return kind is object or type(value) is kind


def check(
    talk: Talk, unchanged: Callable[[], object], machine: str = LAMP, *, grants: bool = True
) -> None:
    """Send everything that is wrong, and check that it has no effect."""
    before = unchanged()
    for title, message, is_malformed in wrong_messages(machine):
        answer = talk.answer_to(message)
        assert unchanged() == before, title
        is_granted = "error" not in answer
        assert not (is_granted and is_malformed), title
        is_harmless = REQUESTS[str(message["do"])].changes_nothing
        assert not (is_granted and not grants and not is_harmless), title
        assert not INTERNAL.match(answer.get("error", "")), (title, answer["error"][:200])


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.ERROR):
        yield
    assert caplog.records == []


@pytest.mark.slow
@pytest.mark.parametrize("grants", [True, False])
def test_nothing_wrong_changes_a_machine(grants: bool) -> None:
    fsm = lamp()
    with LocalInspector(fsm, read_only=not grants, watch={"hp": lambda b: b.health}) as inspector:
        talk = Talk(inspector.open(), lambda: fsm.update(DT))
        check(talk, lambda: what_is(fsm), grants=grants)


@pytest.mark.slow
def test_nothing_wrong_changes_or_frees_a_machine_that_is_held() -> None:
    fsm = lamp()
    with LocalInspector(fsm, signal=Event()) as inspector:
        page = inspector.open()
        stop = {"do": "break", "machine": LAMP, "kind": "event", "name": "PRESSED", "on": True}
        Talk(page, lambda: fsm.update(DT)).answer_to(stop)
        game = Thread(target=lambda: (fsm.update(DT), fsm.send_event("PRESSED")), daemon=True)
        game.start()
        talk = Talk(page, lambda: sleep(0.001))
        while inspector.session.status()["held"] is None:
            sleep(0.001)
        check(talk, lambda: (what_is(fsm), inspector.session.status()["held"] is not None))
        talk.page.send('{"do": "resume"}')
        game.join(PATIENCE)
        assert fsm.current_state is fsm.states["On"]


@every("do", [do for do, rule in REQUESTS.items() if "machine" in rule.arguments])
def test_nothing_is_granted_for_a_machine_that_has_left(do: str) -> None:
    gone, stays = lamp("Gone"), lamp("Stays")
    group = FsmGroup([gone, stays])
    with LocalInspector(group) as inspector:
        talk = Talk(inspector.open(), lambda: group.update(DT))
        assert talk.answer_to({"do": "select", "machine": "Gone"})["ok"]
        group.remove(gone)
        inspector.session.subscribers.hurry()  # pages are told
        group.update(DT)
        before = what_is(gone), what_is(stays)
        message = {"do": do, **fitting(do, "Gone"), "machine": "Gone"}
        assert re.search(
            "no longer|not possible here|kind of a breakpoint|value wanted must be|be edited here",
            talk.answer_to(message)["error"],
        )
        assert (what_is(gone), what_is(stays)) == before


@pytest.mark.slow
def test_nothing_wrong_changes_a_crowd() -> None:
    pytest.importorskip("numpy")
    pytest.importorskip("numba")
    from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm

    machine = CrowdFsm("Guest", Guest, Hall)
    machine.add_state("Off").add_action(CrowdAction(on_update=be_hungry))
    crowd = Crowd(machine, 10, start="Off", engine="python")
    with LocalInspector(crowd) as inspector:
        talk = Talk(inspector.open(), lambda: crowd.update(DT))
        check(talk, crowd.count, "Guest")


@attrs.define
class Guest:
    hunger: float = 0.0


@attrs.define
class Hall:
    heat: float = 1.0


def be_hungry(guest: Guest, hall: Hall) -> None:
    guest.hunger += hall.heat


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_nothing_wrong_changes_a_recording(number: int) -> None:
    session = PlaybackSession(lambda: recorded(number), rate=60.0)
    try:
        talk = Talk(LocalPages(session, read_only=False).open(), lambda: sleep(0.001))
        check(talk, lambda: session.run.end)
    finally:
        session.close()


def recorded(number: int) -> OneRun | TwoRuns:
    runs = []
    for _ in range(number):
        with Recording(fsm := lamp()) as recording:
            fsm.update(DT)
            fsm.send_event("PRESSED")
        runs.append(OneRun(recording))
    return TwoRuns(*runs) if number == 2 else runs[0]


SETTABLE: Final[Mapping[str, type]] = {
    "health": int, "speed": float, "name": str, "is_awake": bool, "mood": Mood, "place": tuple,
    "gun.shots": int,
}  # fmt: skip
"""Field of the context that a page may set -> its type."""


def names_of(thing: object) -> list[str]:
    """Return everything that Python reaches by a dot, and what only looks like a name."""
    return [*dir(thing), "", "0", "health.real", "machine.stop", "gun.shots", "*", "__dict__"]


@pytest.fixture
def talk() -> Iterator[Talk]:
    fsm = lamp()
    with LocalInspector(fsm, watch={"hp": lambda body: body.health}) as inspector:
        talk = Talk(inspector.open(), lambda: fsm.update(DT))
        talk.machine = fsm
        yield talk


@pytest.mark.slow
def test_a_page_sets_what_it_is_shown_and_reaches_nothing_else(talk: Talk) -> None:
    body, before = talk.machine.context, what_is(talk.machine)
    paths = [("context", name) for name in names_of(body)]
    for outer in vars(body):
        inner = getattr(body, outer)
        paths += [("context", outer, name) for name in names_of(inner)]
    paths += [("action", LAMP, "Off", "0", name) for name in names_of(Glow())]
    paths += [("context",), ("context", "gun", "shots", "real"), ("machine", "states"), ()]
    allowed = {("context", *name.split(".")) for name in SETTABLE}
    allowed |= {("action", LAMP, "Off", "0", name) for name in ("power", "reach")}
    offered = set()
    for path in dict.fromkeys(paths):
        request = {"machine": LAMP, "path": path}
        if "error" not in talk.answer_to({"do": "offer", **request}):
            offered.add(path)
            continue
        assert "error" in talk.answer_to({"do": "set", **request, "value": 1}), path
    assert offered == allowed
    assert what_is(talk.machine) == before


@pytest.mark.parametrize("field", SETTABLE)
def test_whatever_a_page_sets_a_value_keeps_its_type(field: str, talk: Talk) -> None:
    for title, value in HOSTILE.items():
        path = ["context", *field.split(".")]
        answer = talk.answer_to({"do": "set", "machine": LAMP, "path": path, "value": value})
        assert not INTERNAL.match(answer.get("error", "")), title
        body = talk.machine.context
        now = body.gun.shots if field == "gun.shots" else getattr(body, field)
        assert type(now) is SETTABLE[field]
        assert not isinstance(now, int | float) or abs(now) <= float_info.max
        assert len(str(now)) <= 1_000
        if isinstance(now, tuple):
            assert [type(each) for each in now] == [float, float]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["event", "value", "error"])
def test_a_condition_knows_what_the_page_is_shown_and_nothing_else(kind: str, talk: Talk) -> None:
    known = {name for name, _ in talk.answer_to({"do": "names", "machine": LAMP})["names"]}
    public = {name for name in vars(talk.machine.context) if not name.startswith("_")}
    assert known == public | {"hp", "time", "time_in_state", "state", "event", "data"}
    for name in {*names_of(talk.machine.context), *names_of(talk.machine)} - known:
        for part in (name, f"gun.{name}"):
            event = "PRESSED" if kind == "event" else part if kind == "value" else ""
            stop = {"do": "set_breakpoint", "kind": kind, "machine": LAMP, "name": event}
            condition = {"name": part, "operator": "==", "value": 1}
            assert "error" in talk.answer_to({**stop, "condition": condition}), part
            log = {**stop, "text": f"{{{part}}}"}
            if part and kind != "value":
                assert "error" in talk.answer_to(log), part


def test_a_breakpoint_is_on_a_transition_that_is_there_and_on_nothing_else(talk: Talk) -> None:
    stop = {"do": "set_breakpoint", "kind": "transition", "machine": LAMP, "name": "PRESSED"}
    way = {"source": "Off", "target": "On", "rank": 0}
    assert talk.answer_to({**stop, "way": way})["ok"]
    parts = [{**way, part: value} for part in way for value in HOSTILE.values()]
    others = [each for each in (*HOSTILE.values(), *parts) if each != way]
    for wrong in others:
        answer = talk.answer_to({**stop, "way": wrong})
        assert "error" in answer, wrong
        assert not INTERNAL.match(answer["error"]), answer["error"][:200]
        assert len(answer["error"]) < 1_000


def test_the_data_of_an_event_is_read_no_deeper_than_its_public_fields(talk: Talk) -> None:
    body = Body()
    for name in ("_secret", "distance", "__class__", "gun.shots", "legs", "shout"):
        stop = {"do": "set_breakpoint", "kind": "event", "machine": LAMP, "name": "TOLD"}
        condition = {"name": f"data.{name}", "operator": "!=", "value": 10**9}
        talk.answer_to({**stop, "condition": condition, "text": f"{{data.{name}}}"})
    talk.machine.send_event("TOLD", body)
