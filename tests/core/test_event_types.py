"""Event: at run time a plain string (rule 27)."""

import copy
import json
import pickle
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, get_type_hints

import pytest

from actions import IgnoreEvents, OnEvent, SendEvent
from fsmkit import Event, Fsm, FsmGroup
from fsmkit.testing import Recorder


@dataclass
class Damage:
    amount: int


class Names(StrEnum):
    HIT = "HIT"


class OldNames(str, Enum):  # noqa: UP042  # as games on older Pythons have it
    HIT = "HIT"


HIT = Event[Damage]("HIT")
DIED = Event[None]("DIED")


@pytest.mark.parametrize(
    "event",
    [HIT, Event("HIT"), Event[Any]("HIT"), Event["Damage"]("HIT"), Event[int | None]("HIT")],
)
def test_it_is_a_plain_string(event: str) -> None:
    assert type(event) is str
    assert event == "HIT"
    assert hash(event) == hash("HIT")
    assert json.dumps({event: event}) == '{"HIT": "HIT"}'
    assert pickle.loads(pickle.dumps(event)) == copy.deepcopy(event) == "HIT"


@pytest.mark.parametrize("name", [Names.HIT, OldNames.HIT])
def test_the_member_of_an_enum_gives_its_value(name: str) -> None:
    event = Event[Damage](name)
    assert (type(event), event) == (str, "HIT")


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("", ValueError, "The name of an event must not be empty."),
        (3, TypeError, "The name of an event must be a str, got 3."),
        (None, TypeError, "The name of an event must be a str, got None."),
        (b"HIT", TypeError, "The name of an event must be a str, got b'HIT'."),
    ],
)
def test_what_names_no_event_is_an_error(name: Any, error: type[Exception], text: str) -> None:
    for kind in (Event, Event[Damage]):
        with pytest.raises(error) as raised:
            kind(name)
        assert str(raised.value) == text


def test_an_event_is_one_name() -> None:
    with pytest.raises(TypeError):
        Event[Damage]("HIT", "HURT")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Event[Damage]()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Event[Damage, int]("HIT")  # type: ignore[misc]


def test_annotations_can_be_read() -> None:
    def shout(event: Event[Damage], other: Event[None] | None = None) -> None: ...

    assert get_type_hints(shout)["event"] == Event[Damage]
    assert repr(Event[Damage]).endswith("Event[" + Damage.__module__ + ".Damage]")


def test_a_machine_takes_it_as_any_other_event() -> None:
    fsm = Fsm("Guard", context=[])
    patrol, hurt, dead = (fsm.add_state(name) for name in ("Patrol", "Hurt", "Dead"))
    patrol.add_transition(HIT, hurt, when=lambda state, hit: hit.amount > 3)
    patrol.add_action(OnEvent("HIT", lambda state, hit: state.context.append(hit.amount)))
    hurt.add_action(IgnoreEvents(HIT))
    hurt.add_action(SendEvent(DIED, delay=1.0))
    fsm.add_global_transition("DIED", dead)
    fsm.start("Patrol")
    recorder = Recorder(fsm)
    fsm.send_event(HIT, Damage(5))
    fsm.start("Hurt")
    fsm.send_event("HIT", Damage(7))
    fsm.update(1.0)
    assert fsm.context == [5]
    assert [line for line in recorder.journal if line.startswith(("event", "enter "))] == [
        "event HIT: consumed",
        "enter Hurt",
        "event HIT: consumed",
        "event DIED: changed",
        "enter Dead",
    ]
    assert (fsm.last_event, list(patrol.transitions)) == ("DIED", ["HIT"])


def test_each_way_of_sending_takes_it() -> None:
    fsm = Fsm("Guard")
    calm = fsm.add_state("Calm")
    calm.add_transition(HIT, calm, do=lambda state, hit: taken.append(hit.amount))
    taken: list[int] = []
    fsm.start()
    fsm.send_event(HIT, Damage(1))
    fsm.offer_event(HIT, Damage(2))
    fsm.post_event(HIT, Damage(3))
    fsm.update(0.0)
    fsm.send_event_after(0.5, HIT, Damage(4))
    fsm.update(0.5)
    calm.send_event(HIT, Damage(5))
    fsm.send_in_time(HIT, Damage(6))
    FsmGroup([fsm]).broadcast(HIT, Damage(7))
    fsm.carry_event(HIT, Damage(8))
    fsm.send_event(HIT, Damage(9))
    assert taken == [1, 2, 3, 4, 5, 6, 7, 9, 8]
