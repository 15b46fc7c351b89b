"""Values edited, actions switched off and machines suspended by a page."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from threading import Thread
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import attrs
import pytest

from actions import Parallel, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.space import Transform


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Point(NamedTuple):
    x: int
    y: float


class Vec2:
    """A vector as libraries have them."""

    def __init__(self, x: float, y: float) -> None:
        self._numbers = [float(x), float(y)]

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> float:
        return self._numbers[index]

    def __repr__(self) -> str:
        return f"Vec2{tuple(self._numbers)}"


class Guard:
    def __init__(self) -> None:
        self.health = 3
        self.speed = 1.5
        self.armed = False
        self.title = "guard"
        self.mood = Mood.CALM
        self.place = (1, 2.5)
        self.point = Point(1, 2.0)
        self.aim = Vec2(1, 2)
        self.bag = {"gold": 5, 7: "seven", "7": "text"}
        self.friends = ["Ann"]
        self.transform = Transform((0.0, 0.0))
        self.nothing = None
        self._secret = 1

    @property
    def double(self) -> int:
        return 2 * self.health


def machine(context: object = None, name: str = "Guard") -> Fsm[Any]:
    fsm = Fsm(name, context=context, on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1000.0))
    patrol.add_transition(FINISHED, rest)
    patrol.add_transition("TIRED", rest)
    fsm.start()
    return fsm


def notes(page: Any) -> list[str]:
    return [
        entry["text"] for frame in page.frames for entry in frame["log"] if entry["kind"] == "note"
    ]


EDITS: list[tuple[list[str], Any, str]] = [
    (["health"], 10, "10"),
    (["speed"], 2, "2.0"),
    (["armed"], True, "True"),
    (["title"], "captain", "'captain'"),
    (["mood"], "ANGRY", "Mood.ANGRY"),
    (["place"], [4, 5], "(4, 5.0)"),
    (["point"], [4, 5], "Point(x=4, y=5.0)"),
    (["aim"], [4, 5], "Vec2(4.0, 5.0)"),
    (["bag", "gold"], 6, "6"),
    (["transform", "local_position"], [3, 4], "(3.0, 4.0)"),
]


@pytest.mark.parametrize(("names", "value", "text"), EDITS, ids=lambda each: str(each)[:20])
def test_a_plain_value_of_the_context_is_set_and_keeps_its_type(
    names: list[str], value: Any, text: str, inspected: Callable[..., Any]
) -> None:
    guard = Guard()
    page = inspected(machine(guard))
    answer = page.ask("set", machine="Guard", path=["context", *names], value=value)
    assert answer.get("text") == text, answer
    owner: Any = guard
    for name in names:
        owner = owner[name] if isinstance(owner, dict) else getattr(owner, name)
    assert repr(owner) == text or str(owner) == text
    page.ask("undo")
    assert Guard().__dict__.keys() == guard.__dict__.keys()
    assert repr(guard.bag) == repr(Guard().bag)
    assert guard.health == 3


REFUSED: list[tuple[list[Any], Any, str]] = [
    (["health"], 2.5, "health must be an integer, got 2.5."),
    (["health"], True, "health must be an integer, got True."),
    (["health"], "3", "health must be an integer, got '3'."),
    (
        ["health"],
        2**53,
        f"health must be an integer from -{2**53 - 1} to {2**53 - 1}, got {2**53}.",
    ),
    (["health"], None, "health must be an integer, got None."),
    (["speed"], float("nan"), "speed must be a finite number, got nan."),
    (["speed"], 10**400, "speed must be a finite number, got 1"),
    (["speed"], False, "speed must be a finite number, got False."),
    (["armed"], 1, "armed must be True or False, got 1."),
    (["title"], 1, "title must be a str, got 1."),
    (["title"], "x" * 1001, "'set': 'value' must have at most 1000 characters, got 1001."),
    (["mood"], "mro", "mood must be 'CALM' or 'ANGRY', got 'mro'."),
    (["mood"], 2, "mood must be 'CALM' or 'ANGRY', got 2."),
    (["place"], [1, 2, 3], "place must be 2 numbers, got [1, 2, 3]."),
    (["place"], [1.5, 2], "place[0] must be an integer, got 1.5."),
    (["place"], [1, [2]], "place[1] must be a finite number, got [2]."),
    (["aim"], {"x": 1}, "aim must be 2 numbers, got {'x': 1}."),
    (["nothing"], 1, "nothing cannot be edited: it is None."),
    (["friends"], [], "friends cannot be edited: it is ['Ann']."),
    (["transform"], 1, "transform cannot be edited: it is Transform("),
    (["double"], 1, "Guard has no public field 'double'."),
    (["_secret"], 1, "Guard has no public field '_secret'."),
    (["__class__"], 1, "Guard has no public field '__class__'."),
    (["__dict__", "health"], 1, "Guard has no public field '__dict__'."),
    (["bag", "7"], "x", "dict has more than one public field '7'."),
    (["bag", "silver"], 1, "dict has no public field 'silver'."),
    (["health", "real"], 1, "int has no public field 'real'."),
    (["friends", "0"], 1, "list has no public field '0'."),
    (["a", "b", "c"], 1, "A path must have 1 to 2 names, got 3."),
    ([], 1, "A path must have 1 to 2 names, got 0."),
    (["a"] * 9, 1, "A path must have 1 to 5 names, got 10."),
    ([["health"]], 1, "A path must consist of strings, got ['health']."),
    ([3], 1, "A path must consist of strings, got 3."),
    (["x" * 1001], 1, "A path must consist of strings, got 'xxx"),
]


@pytest.mark.parametrize(("names", "value", "message"), REFUSED, ids=lambda each: str(each)[:30])
def test_what_does_not_fit_is_refused_with_the_reason(
    names: list[Any], value: Any, message: str, inspected: Callable[..., Any]
) -> None:
    guard = Guard()
    before = repr(vars(guard))
    page = inspected(machine(guard))
    answer = page.ask("set", machine="Guard", path=["context", *names], value=value)
    assert answer["error"].startswith(message)
    assert repr(vars(guard)) == before
    assert notes(page) == []


@dataclass(frozen=True)
class Frozen:
    health: int = 3


@attrs.define
class Checked:
    health: int = attrs.field(default=3, validator=attrs.validators.le(10))
    name: str = attrs.field(default="x", converter=str.strip)


class Half:
    """Takes the value, and refuses it then."""

    def __init__(self) -> None:
        self.health = 3

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if value == 4:
            raise ValueError("four is not allowed")


UNWILLING: list[tuple[Any, int, str]] = [
    (Frozen(), 4, "health cannot be set: FrozenInstanceError: cannot assign to field 'health'"),
    (Checked(), 40, "health cannot be set: ValueError: 'health' must be <= 10: 40"),
    (Half(), 4, "health cannot be set: ValueError: four is not allowed"),
    (MappingProxyType({"health": 3}), 4, "health cannot be set: TypeError: 'mappingproxy' object"),
]


@pytest.mark.parametrize(("context", "value", "message"), UNWILLING, ids=lambda each: str(each)[:9])
def test_an_object_that_refuses_says_why_and_stays_as_it_was(
    context: Any, value: int, message: str, inspected: Callable[..., Any]
) -> None:
    page = inspected(machine(context))
    answer = page.ask("set", machine="Guard", path=["context", "health"], value=value)
    assert answer["error"].startswith(message)
    health = context["health"] if isinstance(context, MappingProxyType) else context.health
    assert health == 3


def test_a_converter_has_the_last_word(inspected: Callable[..., Any]) -> None:
    page = inspected(machine(Checked()))
    answer = page.ask("set", machine="Guard", path=["context", "name"], value=" Bob ")
    assert answer["text"] == "'Bob'"


def test_a_field_is_offered_with_its_full_value_and_its_choices(
    inspected: Callable[..., Any],
) -> None:
    guard = Guard()
    guard.speed, guard.title = 1 / 3, "x" * 500
    page = inspected(machine(guard), read_only=True)
    offers = {
        name: page.ask("offer", machine="Guard", path=["context", name]).get("offer")
        for name in ("speed", "title", "mood", "aim", "friends")
    }
    assert offers == {
        "speed": {"kind": "f", "value": 1 / 3, "choices": []},
        "title": {"kind": "s", "value": "x" * 500, "choices": []},
        "mood": {"kind": "e", "value": "CALM", "choices": ["CALM", "ANGRY"]},
        "aim": {"kind": "v", "value": [1.0, 2.0], "choices": []},
        "friends": None,
    }


def test_the_kinds_of_values_come_with_the_details(inspected: Callable[..., Any]) -> None:
    page = inspected(machine(Guard()))
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert detail["kinds"] == {
        "health": "i", "speed": "f", "armed": "b", "title": "s", "mood": "e", "place": "v",
        "point": "v", "aim": "v", "bag": "o", "transform": "o",
    }  # fmt: skip
    assert detail["actions"][0]["kinds"] == {"duration": "f", "elapsed": "f", "length": "f"}


def test_the_log_notes_an_edit_and_the_recording_ends_with_it(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(machine(Guard()))
    for health in (10, 11):
        assert page.ask("set", machine="Guard", path=["context", "health"], value=health)["ok"]
    assert page.ask("undo")["outcome"] == "health: back to 10"
    page.frame(lambda _: len(notes(page)) == 3)
    assert notes(page) == [
        "health: 3 -> 10, edited on the page; the recording ends here",
        "health: 10 -> 11, edited on the page",
        "health: back to 10, undone on the page",
    ]


def test_edits_are_undone_from_the_last_one_on(inspected: Callable[..., Any]) -> None:
    guard = Guard()
    page = inspected(machine(guard))
    page.ask("set", machine="Guard", path=["context", "health"], value=10)
    page.ask("set", machine="Guard", path=["context", "armed"], value=True)
    seen = []
    for _ in range(3):
        answer = page.ask("undo")
        seen.append((guard.health, guard.armed, answer.get("error", "")))
    assert seen == [
        (10, False, ""),
        (3, False, ""),
        (3, False, "There is no edit to undo."),
    ]


def test_an_edit_of_a_machine_that_has_left_is_neither_made_nor_undone(
    inspected: Callable[..., Any],
) -> None:
    guards = [Guard(), Guard(), Guard()]
    group = FsmGroup(machine(guard) for guard in guards)
    page = inspected(group)
    page.ask("set", machine="Guard #3", path=["context", "health"], value=10)
    group.remove(list(group)[2])
    page.frame(lambda frame: frame["left"])
    gone = "'Guard #3' is not (or no longer) an inspected machine."
    answer = page.ask("set", machine="Guard #3", path=["context", "health"], value=4)
    assert (answer["error"], guards[2].health) == (gone, 10)
    assert page.ask("undo")["error"] == "'Guard' is not (or no longer) an inspected machine."


# Parameters of actions


class Shoot(FsmAction[Any]):
    def __init__(self) -> None:
        self.shots = 0

    def on_update(self) -> None:
        self.shots += 1


def fighter() -> tuple[Fsm[Any], Shoot]:
    inner = Fsm[Any]("Fight")
    shoot = Shoot()
    inner.add_state("Strike").add_action(Parallel(TimedWait(5.0), shoot))
    fsm = Fsm[Any]("Guard", on_unhandled="ignore")
    fsm.add_state("Combat").add_action(RunFsm(inner))
    fsm.start()
    return fsm, shoot


def test_a_parameter_of_an_action_is_set_with_its_own_checks(
    inspected: Callable[..., Any],
) -> None:
    fsm, _ = fighter()
    page = inspected(fsm)
    path = ["action", "Guard/Fight", "Strike", "0/0", "duration"]
    assert page.ask("offer", machine="Guard", path=path)["offer"]["value"] == 5.0
    assert page.ask("set", machine="Guard", path=path, value=7)["text"] == "7.0"
    wait = fsm.states["Combat"].actions[0].machines[0].states["Strike"].actions[0].children[0]
    assert isinstance(wait, TimedWait)
    assert wait.duration == 7.0
    assert page.ask("set", machine="Guard", path=path, value="x")["error"] == (
        "TimedWait.duration must be a finite number, got 'x'."
    )
    answer = page.ask("set", machine="Guard", path=path, value=-1)
    assert answer["error"].startswith("TimedWait.duration cannot be set: ValueError: ")
    assert wait.duration == 7.0


NO_ACTION: list[tuple[list[Any], str]] = [
    (["action", "Guard/Fight", "Strike", "0/7", "duration"], "'Strike' has no action at '0/7'."),
    (["action", "Guard/Fight", "Strike", "-1", "duration"], "'Strike' has no action at '-1'."),
    (["action", "Guard/Fight", "Strike", "", "duration"], "'Strike' has no action at ''."),
    (["action", "Guard/Fight", "Nowhere", "0", "x"], "'Nowhere' has no action at '0'."),
    (["action", "Guard/Fight", "Strike", "0/0", "_x"], "TimedWait shows no '_x'."),
    (["action", "Guard/Fight", "Strike", "0/0", "enabled"], "TimedWait shows no 'enabled'."),
    (["action", "Guard/Fight", "Strike", "0/0", "__class__"], "TimedWait shows no '__class__'."),
    (
        ["action", "Guard/Fight", "Strike", "0/0", "elapsed"],
        "TimedWait.elapsed cannot be edited: the action remembers it by itself.",
    ),
    (["action", "Nobody", "Strike", "0", "x"], "'Guard' has no machine 'Nobody'."),
    (["action", "Guard/Fight", "Strike", "0"], "There is no field ('action', 'Guard/Fight'"),
    (["globals", "x"], "There is no field ('globals', 'x'): a path is "),
]


@pytest.mark.parametrize(("path", "message"), NO_ACTION, ids=lambda each: str(each)[-30:])
def test_an_action_that_is_not_there_is_refused(
    path: list[Any], message: str, inspected: Callable[..., Any]
) -> None:
    page = inspected(fighter()[0])
    for _ in range(3):
        page.update()
    answer = page.ask("set", machine="Guard", path=path, value=1)
    assert answer["error"].startswith(message)


def test_an_action_of_another_machine_is_refused(inspected: Callable[..., Any]) -> None:
    page = inspected(FsmGroup([machine(name="A"), machine(name="B")]))
    path = ["action", "B", "Patrol", "0", "duration"]
    answer = page.ask("set", machine="A", path=path, value=1.0)
    assert answer["error"] == "'A' has no machine 'B'."


def test_an_action_is_switched_off_from_the_next_visit_on_and_on_again(
    inspected: Callable[..., Any],
) -> None:
    fsm, shoot = fighter()
    page = inspected(fsm)
    place = {"machine": "Guard/Fight", "state": "Strike", "place": "0/1"}
    assert page.ask("enable", **place, on=False)["ok"]
    page.ask("force", machine="Guard/Fight", state="Strike")
    before = shoot.shots
    for _ in range(5):
        page.update()
    assert (shoot.shots, shoot.enabled) == (before, False)
    assert page.ask("enable", **place, on=False)["ok"]
    assert page.ask("enable", **place, on=True)["ok"]
    page.ask("force", machine="Guard/Fight", state="Strike")
    page.frame(lambda _: len(notes(page)) == 2)
    assert shoot.shots > before
    assert notes(page) == [
        "Shoot in Strike switched off on the page; the recording ends here",
        "Shoot in Strike switched on on the page",
    ]


def test_there_is_no_action_to_switch_off(inspected: Callable[..., Any]) -> None:
    page = inspected(machine())
    for place in ("1", "0/0", "x", "1e3", "٣", "9" * 900):
        answer = page.ask("enable", machine="Guard", state="Patrol", place=place, on=False)
        assert answer["error"].startswith("'Patrol' has no action at ")


# Suspended machines


def test_a_suspended_machine_gets_events_but_no_updates(inspected: Callable[..., Any]) -> None:
    group = FsmGroup([machine(name="A"), machine(name="B")])
    first, second = group
    page = inspected(group)
    assert page.ask("suspend", machine="A", on=True)["ok"]
    frame = page.frame(lambda frame: frame["suspended"])
    before = first.time, second.time
    for _ in range(8):
        page.update()
    assert frame["suspended"] == ["A"]
    assert first.time == before[0]
    assert second.time > before[1]
    first.send_event("TIRED")
    assert page.frame(lambda frame: frame["detail"]["state"] == "Rest")
    assert page.ask("suspend", machine="A", on=False)["ok"]
    page.frame(lambda frame: not frame["suspended"])
    assert first.time > before[0]
    assert notes(page) == ["suspended on the page", "resumed on the page"]


def test_a_nested_machine_can_be_suspended_but_not_the_only_one(
    inspected: Callable[..., Any],
) -> None:
    fsm, shoot = fighter()
    page = inspected(fsm)
    assert page.ask("suspend", machine="Guard", on=True)["error"] == (
        "'Guard' is the only machine here. Pause instead."
    )
    assert page.ask("suspend", machine="Guard/Fight", on=True)["ok"]
    before = shoot.shots
    for _ in range(5):
        page.update()
    assert shoot.shots == before
    assert fsm.time > 0


def test_closing_the_inspector_resumes_what_was_suspended(inspected: Callable[..., Any]) -> None:
    group = FsmGroup([machine(name="A"), machine(name="B")])
    page = inspected(group)
    page.ask("suspend", machine="A", on=True)
    page.inspector.close()
    before = next(iter(group)).time
    group.update(1.0)
    assert next(iter(group)).time == before + 1.0


def test_when_the_last_page_has_been_closed_for_a_while_suspended_machines_continue(
    inspected: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = FsmGroup([machine(name="A"), machine(name="B")])
    page = inspected(group)
    page.ask("suspend", machine="A", on=True)
    monkeypatch.setattr("fsmkit.inspector.live.subscribers.PATIENCE", 0.0)
    page.socket.close()
    first, before = next(iter(group)), 0.0
    while first.time == before or not before:
        before = before or first.time
        group.update(1 / 64)
    later = type(page)(page.inspector.url, page.update)
    later.frame(lambda frame: frame["log"])
    assert notes(later)[-1] == "the last page was closed: resumed A"
    later.socket.close()


def test_a_machine_that_leaves_is_no_longer_suspended(inspected: Callable[..., Any]) -> None:
    group = FsmGroup([machine(name="A"), machine(name="B")])
    first = next(iter(group))
    page = inspected(group)
    page.ask("suspend", machine="A", on=True)
    group.remove(first)
    page.frame(lambda frame: frame["left"])
    before = first.time
    first.update(1.0)
    assert first.time == before + 1.0


# At a breakpoint


def test_at_a_breakpoint_values_can_be_edited_and_the_machine_continues_with_them(
    inspected: Callable[..., Any],
) -> None:
    guard = Guard()
    fsm = machine(guard)
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="event", name="TIRED", on=True)
    answers: list[Any] = []
    editing = Thread(target=lambda: answers.extend(edits()))

    def while_held() -> None:
        page.inspector.session.while_held = lambda: None
        editing.start()

    def edits() -> list[Any]:
        page.update = lambda: None
        place = {"machine": "Guard", "state": "Patrol", "place": "0"}
        return [
            page.ask("set", machine="Guard", path=["context", "health"], value=9),
            page.ask("enable", **place, on=False),
            page.ask("undo"),
            page.ask("set", machine="Guard", path=["context", "speed"], value=9),
            page.ask("resume"),
        ]

    page.inspector.session.while_held = while_held
    fsm.send_event("TIRED")
    editing.join()
    assert [answer.get("ok") for answer in answers] == [True] * 5
    assert (guard.health, guard.speed, fsm.current_state) == (3, 9.0, fsm.states["Rest"])


def test_a_context_that_is_a_mapping_is_edited_by_its_keys(inspected: Callable[..., Any]) -> None:
    context = {"health": 3, (0, 1): 2.0, "_own": 1}
    page = inspected(machine(context))
    for name in ("health", "(0, 1)", "_own"):
        assert page.ask("set", machine="Guard", path=["context", name], value=5)["ok"]
    assert context == {"health": 5, (0, 1): 5.0, "_own": 5}


def test_the_objects_in_a_context_are_reached_one_level_deep(
    inspected: Callable[..., Any],
) -> None:
    inner = SimpleNamespace(x=1, deeper=SimpleNamespace(y=2))
    page = inspected(machine(SimpleNamespace(inner=inner)))
    assert page.ask("set", machine="Guard", path=["context", "inner", "x"], value=5)["ok"]
    answer = page.ask("set", machine="Guard", path=["context", "inner", "deeper", "y"], value=5)
    assert answer["error"] == "A path must have 1 to 2 names, got 3."
    assert (inner.x, inner.deeper.y) == (5, 2)


@pytest.mark.slow
def test_the_fields_of_an_object_in_the_context_are_sent_when_asked_for(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(machine(Guard()), read_only=True)
    answers = [
        page.ask("look_inside", machine="Guard", path=["context", *names])
        for names in (["bag"], ["transform"], ["health"], ["friends"], ["_secret"], ["bag", "gold"])
    ]
    assert [answer.get("rows", answer.get("error")) for answer in answers] == [
        [["gold", "5"], ["7", "'text'"]],
        [["local_position", "(0.0, 0.0)"], ["local_rotation", "0.0"], ["local_scale", "1.0"]],
        "health has no public fields.",
        "friends has no public fields.",
        "Guard has no public field '_secret'.",
        "bag.gold has no public fields.",
    ]
    assert answers[1]["kinds"]["local_position"] == "v"
