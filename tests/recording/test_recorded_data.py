"""The data of recorded events: as it was when it was sent, in memory and through a file."""

import json
import math
from collections import OrderedDict
from contextlib import suppress
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit import Fsm
from fsmkit.recording import Recording, RecordingError, Replay, replay


def door() -> Fsm:
    fsm = Fsm("Door", on_unhandled="ignore")
    fsm.add_state("Closed").add_transition("OPEN", fsm.add_state("Open"))
    return fsm


def sent(path: Path, data: Any, **options: Any) -> Recording:
    """A recording of a door that is opened with `data`, loaded from its file."""
    fsm = door()
    with Recording(fsm, path, **options):
        fsm.start()
        fsm.send_event("OPEN", data)
        fsm.update(1.0)
    assert (fsm.current_state.name, fsm.time) == ("Open", 1.0)
    return Recording.load(path)


def received(recording: Recording, **options: Any) -> Any:
    """The data that a replay opens the door with."""
    course = Replay(door, recording, **options)
    course.go_to(2)
    return course.machines.event_data


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary() | st.text(st.characters(categories=["Cs"]), max_size=1),
    lambda parts: st.lists(parts) | st.tuples(parts, parts) | st.dictionaries(st.text(), parts)
    | st.dictionaries(st.tuples(st.integers(), st.booleans()), parts)
    | st.dictionaries(st.sampled_from(["$unsaved", "$tuple"]), parts),
    max_leaves=8,
) | st.sets(st.integers()) | st.frozensets(st.text())  # fmt: skip


@pytest.mark.slow
@given(PLAIN)
def test_plain_data_goes_through_a_file_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "plain.jsonl"
    arrived = received(sent(path, data))
    assert (arrived, type(arrived)) == (data, type(data))


def test_numbers_that_json_does_not_know_go_through_a_file(tmp_path: Path) -> None:
    data = [math.inf, 10**5000, -(10**5000)]
    assert received(sent(tmp_path / "door.jsonl", data)) == data


class Weapon(StrEnum):
    SWORD = "sword"


class Level(IntEnum):
    HIGH = 3


class Place(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        (Weapon.SWORD, "sword"),
        (Level.HIGH, 3),
        (Place(1, 2), (1, 2)),
        (OrderedDict({(1, 2): Level.HIGH}), {(1, 2): 3}),
    ],
)
def test_what_is_derived_from_plain_classes_arrives_as_plain_data(
    data: Any, plain: Any, tmp_path: Path
) -> None:
    arrived = received(sent(tmp_path / "door.jsonl", data))
    assert (arrived, type(arrived)) == (plain, type(plain))


class Ghost:
    def __repr__(self) -> str:
        raise ValueError("a ghost shows nothing")


class Colour(Enum):
    RED = "red"


def circular() -> list[Any]:
    data: list[Any] = [1]
    data.append(data)
    return data


def refuse(data: object) -> Any:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("data", "options", "description"),
    [
        (circular(), {}, "[1, [...]]"),
        (Ghost(), {}, "<Ghost>"),
        ({"who": Colour.RED}, {}, "{'who': <Colour.RED: 'red'>}"),
        (Colour.RED, {"encode": refuse}, "<Colour.RED: 'red'>"),
        (Colour.RED, {"encode": lambda data: data}, "<Colour.RED: 'red'>"),
    ],
)
def test_what_cannot_be_saved_is_described_and_the_game_continues(
    data: Any, options: dict[str, Any], description: str, tmp_path: Path
) -> None:
    loaded = sent(tmp_path / "door.jsonl", data, **options)
    loaded.save(tmp_path / "copy.jsonl")
    assert Recording.load(tmp_path / "copy.jsonl").steps == loaded.steps
    assert [str(step) for step in loaded.steps] == [
        "0.00 s  Door.start()",
        f"0.00 s  Door.send_event('OPEN', <not saved: {description}>)",
        "1.00 s  Door.update(1.0)",
    ]
    with pytest.raises(RecordingError, match="the event data was not saved"):
        received(loaded)


def test_an_event_that_is_not_a_string_does_not_spoil_the_file(tmp_path: Path) -> None:
    fsm, path = door(), tmp_path / "door.jsonl"
    with Recording(fsm, path):
        fsm.start()
        with suppress(TypeError):
            fsm.send_event(Colour.RED)  # type: ignore[arg-type]
        fsm.update(1.0)
    loaded = Recording.load(path)
    assert ([step.call for step in loaded.steps], loaded.fault) == (
        ["start", "send_event", "update"], "",
    )  # fmt: skip


def test_what_is_not_plain_is_encoded_wherever_it_is(tmp_path: Path) -> None:
    loaded = sent(
        tmp_path / "door.jsonl", {"colours": (Colour.RED, 1)}, encode=lambda each: {each.name}
    )
    assert received(loaded) == {"colours": ({"RED"}, 1)}
    assert received(loaded, decode=lambda data: data["colours"]) == ({"RED"}, 1)


def test_a_file_of_the_first_version_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "door.jsonl"
    lines = [
        {"format": "fsmkit recording", "version": 1, "machines": ["Door"]},
        {"machine": "Door", "call": "start", "time": 0.0,
         "journal": [["enter", "Door", "Closed", ""]]},
        {"machine": "Door", "call": "send_event", "time": 0.0,
         "arguments": {"event": "KNOCK", "data": {"$tuple": [3]}},
         "journal": [["event", "Door", "KNOCK", "unhandled", ""]]},
        {"machine": "Door", "call": "send_event", "time": 0.0,
         "arguments": {"event": "KNOCK", "data": {"$unsaved": "<Ghost>"}},
         "journal": [["event", "Door", "KNOCK", "unhandled", ""]]},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    loaded = Recording.load(path)
    assert [str(step) for step in loaded.steps] == [
        "0.00 s  Door.start()",
        "0.00 s  Door.send_event('KNOCK', {'$tuple': [3]})",
        "0.00 s  Door.send_event('KNOCK', <not saved: <Ghost>>)",
    ]
    course = Replay(door, loaded)
    course.go_to(2)
    assert course.compare()


def test_a_step_keeps_the_data_as_it_was() -> None:
    data: dict[str, Any] = {"hp": 1, "at": [3, 4], "seen": {1}, "ways": ([5],)}
    ghost = data["by"] = Ghost()
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.send_event("OPEN", data)
    data["hp"] = 2
    data["at"].append(5)
    data["seen"].add(2)
    data["ways"][0].append(6)
    assert recording.steps[1].arguments["data"] == {
        "hp": 1, "at": [3, 4], "seen": {1}, "ways": ([5],), "by": ghost,
    }  # fmt: skip
    assert fsm.event_data is data


def test_data_that_contains_itself_is_kept_itself() -> None:
    data, fsm = circular(), door()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.send_event("OPEN", data)
    assert recording.steps[1].arguments["data"] is data


def test_a_replay_does_not_change_the_data_that_it_replays() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.send_event("OPEN", {"hp": 1})
    received(recording)["hp"] = 2
    assert received(recording) == {"hp": 1}
    assert replay(door, recording)
