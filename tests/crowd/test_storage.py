"""Crowds in files: the loaded values, and the refused files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from attrs import define, frozen

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, CrowdMismatchError
from fsmkit.crowd.library import TimedWait

Arrays = dict[str, Any]


@define
class Npc:
    x: float = 0.0
    hits: int = 0
    alive: bool = True


@define
class World:
    wind: float = 0.5
    round: int = 3
    dt: float = 0.0


def blow(npc: Npc, world: World) -> None:
    npc.x += world.wind * world.dt


def leave(npc: Npc, world: World) -> None:
    npc.x += world.dt


def build(agent: type = Npc, world: type = World, wait: float = 3.0) -> CrowdFsm:
    machine = CrowdFsm("Npc", agent, world)
    rest, go = machine.add_state("Rest"), machine.add_state("Go")
    rest.add_action(TimedWait(wait, "GO"))
    rest.add_action(CrowdAction(on_update=blow, on_exit=leave))
    rest.add_transition("GO", go)
    machine.add_global_transition("CALM", rest)
    return machine


def used(machine: CrowdFsm | None = None, **options: Any) -> Crowd:
    """Make a crowd with removed agents, added agents, and some that do not run."""
    crowd = Crowd(machine or build(), 5, start="Rest", engine="python", **options)
    crowd["x"] = [0.0, 0.5, 2.0, 3.0, 1e300 if options.get("dtype") != "float32" else 4.0]
    crowd.remove([1])
    crowd.update(0.1)
    crowd.send_event("GO", where=[0])
    crowd.add(2, hits=3)
    return crowd


def condition(crowd: Crowd) -> list[object]:
    """Return everything that distinguishes one crowd from another."""
    store = crowd._store
    columns = [(name, str(each.dtype), each.tolist()) for name, each in store.arrays().items()]
    times = store.time, store.delta_time, store.step, store.next_id
    return [columns, times, crowd.seed, crowd.world]


@pytest.fixture
def path(folder: Path) -> Path:
    used(seed=11).save(folder / "crowd.npz")
    return folder / "crowd.npz"


def changed(path: Path, change: Callable[[dict[str, Any], Arrays], object]) -> Path:
    """Write the file with other contents."""
    with np.load(path) as file:
        arrays = dict(file)
    heading = json.loads(str(arrays["heading"]))
    change(heading, arrays)
    if "heading" in arrays:
        arrays["heading"] = np.array(json.dumps(heading))
    np.savez(path, **arrays)
    return path


# What comes back


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_crowd_is_saved_and_continues_from_there(dtype: Any, folder: Path) -> None:
    crowd = used(seed=11, dtype=dtype)
    crowd.world.wind = 2.0
    crowd.save(folder / "crowd.npz")
    loaded = Crowd.load(build(), folder / "crowd.npz", engine="python")
    assert condition(loaded) == condition(crowd)
    for each in (crowd, loaded):
        each.send_event("GO")
        each.update(0.1)
    assert condition(loaded) == condition(crowd)
    assert str(loaded["x"].dtype) == dtype


def test_numbers_of_numpy_are_saved_as_others_are(folder: Path) -> None:
    crowd = used(seed=np.int64(5))
    crowd.world.round, crowd.world.wind = np.int64(7), np.float32(0.25)
    crowd.update(np.float32(0.5))
    crowd.save(folder / "crowd.npz")
    loaded = Crowd.load(build(), folder / "crowd.npz", engine="python")
    assert (loaded.seed, loaded.time, loaded.world) == (5, 0.6, World(0.25, 7))
    assert [type(each) for each in (loaded.seed, loaded.time, crowd.time)] == [int, float, float]


def test_a_frozen_world_comes_back_too(folder: Path) -> None:
    crowd = Crowd(build(world=Frozen), 2, engine="python")
    crowd.world = Frozen(wind=4.0)
    crowd.save(folder / "crowd.npz")
    assert Crowd.load(build(world=Frozen), folder / "crowd.npz").world == Frozen(wind=4.0)


@frozen
class Frozen:
    wind: float = 0.5


@define
class Character:
    """Like Npc, with another name and order."""

    alive: bool = True
    x: float = 0.0
    hits: int = 0


def test_the_name_of_the_class_and_the_order_of_its_fields_do_not_matter(path: Path) -> None:
    loaded = Crowd.load(build(Character), path, engine="python")
    saved = used(seed=11)
    assert [loaded[name].tolist() for name in ("x", "hits", "alive")] == [
        saved[name].tolist() for name in ("x", "hits", "alive")
    ]


def test_parameters_of_actions_are_those_of_the_machine(path: Path) -> None:
    loaded = Crowd.load(build(wait=0.2), path, engine="python")
    loaded.update(0.1)
    assert loaded.count() == {"Rest": 0, "Go": 4}


@pytest.mark.filterwarnings("error")
def test_a_file_of_64_bits_is_rounded_for_a_crowd_of_32(path: Path) -> None:
    loaded = Crowd.load(build(), path, engine="python", dtype="float32")
    assert str(loaded["x"].dtype) == "float32"
    assert loaded["x"].tolist() == [
        np.float32(each).item() for each in [0.15, 2.05, 3.05, np.inf, 0.0, 0.0]
    ]
    wider = used(seed=11, dtype="float32")
    wider.save(path)
    loaded = Crowd.load(build(), path, engine="python", dtype="float64")
    assert (str(loaded["x"].dtype), loaded["x"].tolist()) == ("float64", wider["x"].tolist())


def test_what_cannot_be_saved_leaves_the_old_file(path: Path) -> None:
    before = path.read_bytes()
    crowd = used()
    crowd.world.wind = "strong"
    with pytest.raises(CrowdError, match=r"^crowd\.world\.wind must be float, got 'strong'\.$"):
        crowd.save(path)
    assert path.read_bytes() == before


# What is refused


@define
class Older:
    x: float = 0.0
    hits: float = 0.0
    speed: float = 1.0


@define
class Storm:
    wind: int = 0


def with_other_states() -> CrowdFsm:
    machine = build()
    machine.add_state("Swim").add_transition("CALM", "Rest")
    machine.states["Rest"].remove_transition("GO")
    machine.states["Rest"].add_transition("CALM", "Go")
    return machine


def with_other_global_transitions() -> CrowdFsm:
    machine = build()
    machine.remove_global_transition("CALM")
    machine.add_global_transition("CALM", "Go")
    return machine


def without_the_wait() -> CrowdFsm:
    machine = build()
    machine.states["Rest"].remove_action(machine.states["Rest"].actions[0])
    return machine


def the_other_way_round() -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc, World)
    go, rest = machine.add_state("Go"), machine.add_state("Rest")
    rest.add_action(TimedWait(3.0, "GO"))
    rest.add_transition("GO", go)
    machine.add_global_transition("CALM", rest)
    return machine


@pytest.mark.parametrize(
    ("machine", "found"),
    [
        (
            build(Older),
            (
                "values of agents only in the file: alive; values of agents only in the machine: "
                "speed; values of agents of another kind: hits"
            ),
        ),
        (
            build(world=Storm),
            (
                "values of the world only in the file: round; values of the world of another kind: "
                "wind"
            ),
        ),
        (
            with_other_states(),
            "states only in the machine: Swim; states with other transitions: Rest",
        ),
        (with_other_global_transitions(), "global transitions to other states: CALM"),
        (
            without_the_wait(),
            "values of agents only in the file: elapsed of state 'Rest', actions[0]",
        ),
        (the_other_way_round(), "the states in another order"),
    ],
)
def test_a_machine_that_is_built_differently_is_reported(
    machine: CrowdFsm, found: str, path: Path
) -> None:
    machine.on_unhandled = "ignore"
    with pytest.raises(CrowdMismatchError) as caught:
        Crowd.load(machine, path, engine="python")
    assert str(caught.value) == (
        f"{str(path)!r} does not fit 'Npc'. There are {found}. Load it for a machine that is built "
        "like the one it was saved from."
    )


def test_a_file_of_another_version_is_reported(path: Path) -> None:
    changed(path, lambda heading, _: heading.update(version=2))
    with pytest.raises(CrowdError) as caught:
        Crowd.load(build(), path)
    assert str(caught.value) == (
        f"{str(path)!r} must be a crowd of version 1, got version 2. Use the fsmkit that it was "
        "made with."
    )


DAMAGES: dict[str, Callable[[dict[str, Any], Arrays], object]] = {
    "a state too high": lambda _, arrays: arrays["state"].fill(9),
    "a state too low": lambda _, arrays: arrays["state"].fill(-5),
    "states in columns": lambda _, arrays: arrays.update(state=arrays["state"].reshape(2, 3)),
    "a single state": lambda _, arrays: arrays.update(state=np.int8(1)),
    "no states": lambda _, arrays: arrays.pop("state"),
    "states of another kind": lambda _, arrays: arrays.update(state=np.zeros(6)),
    "a column too short": lambda _, arrays: arrays.update({"column 0": np.zeros(5)}),
    "a column of another kind": lambda _, arrays: arrays.update({"column 0": np.zeros(6, int)}),
    "a column of objects": lambda _, arrays: arrays.update(
        {"column 0": np.array([None] * 6, object)}
    ),
    "a column missing": lambda _, arrays: arrays.pop("column 1"),
    "the same agent twice": lambda _, arrays: arrays["ids"].fill(0),
    "an agent from nowhere": lambda _, arrays: arrays["ids"].__setitem__(-1, 99),
    "a time that is not a number": lambda _, arrays: arrays["entered_at"].fill(np.nan),
    "no heading": lambda _, arrays: arrays.pop("heading"),
    "another format": lambda heading, _: heading.update(format="photograph"),
    "no version": lambda heading, _: heading.pop("version"),
    "no world": lambda heading, _: heading.pop("world"),
    "a world of nothing": lambda heading, _: heading.update(world={}),
    "a world of text": lambda heading, _: heading["world"].update(wind="strong"),
    "a number too large": lambda heading, _: heading["world"].update(round=2**70),
    "no time": lambda heading, _: heading.pop("time"),
    "a time of text": lambda heading, _: heading.update(time="noon"),
    "an infinite time": lambda heading, _: heading.update(time=float("inf")),
    "a seed of text": lambda heading, _: heading.update(seed="x"),
    "a seed below 0": lambda heading, _: heading.update(seed=-3),
    "no step": lambda heading, _: heading.update(step=None),
    "a dtype that floats do not have": lambda heading, _: heading.update(dtype="int8"),
    "an outline of a number": lambda heading, _: heading.update(outline=3),
    "an outline of half": lambda heading, _: heading["outline"].pop("states"),
    "an outline of numbers": lambda heading, _: heading["outline"].update(states=3),
    "more than there should be": lambda heading, _: heading.update(mood="bad"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(damage: str, path: Path) -> None:
    changed(path, DAMAGES[damage])
    refuses(path)


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"PK", b"PK\x03\x04", b"\x80\x04K\x03."])
def test_a_file_of_something_else_is_refused(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    refuses(path)


def test_a_single_array_is_refused(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    refuses(path)


def refuses(path: Path) -> None:
    with pytest.raises(CrowdError) as caught:
        Crowd.load(build(), path, engine="python")
    assert str(caught.value) == (
        f"{str(path)!r} is not a crowd, or is damaged. Load a file that Crowd.save() has written."
    )


@pytest.mark.slow
def test_no_byte_can_be_lost_or_changed_without_notice(folder: Path) -> None:
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Rest")
    path = folder / "crowd.npz"
    crowd = Crowd(machine, 3, start="Rest", seed=4, engine="python")
    crowd.save(path)
    whole = path.read_bytes()
    flipped = (
        whole[:i] + bytes([byte ^ 1 << i % 8]) + whole[i + 1 :] for i, byte in enumerate(whole)
    )
    cut = (whole[:length] for length in range(0, len(whole), 9))
    for content in (*flipped, *cut):
        path.write_bytes(content)
        try:
            loaded = Crowd.load(machine, path, engine="python")
        except CrowdError:
            continue
        assert condition(loaded) == condition(crowd)


def test_a_file_that_promises_more_agents_than_it_has_is_refused_at_once(path: Path) -> None:
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    promised = parts["state.npy"].replace(b"(6,), }" + b" " * 12, b"(6000000000000,), }")
    assert len(promised) == len(parts["state.npy"])
    assert promised != parts["state.npy"]
    with ZipFile(path, "w") as archive:
        for name, content in (parts | {"state.npy": promised}).items():
            archive.writestr(name, content)
    refuses(path)


def test_a_save_that_fails_in_between_leaves_the_old_file_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def interrupted(file: Any, **arrays: Any) -> None:
        file.write(b"PK")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        used().save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_compressed_file_is_read_too(path: Path) -> None:
    with np.load(path) as file:
        np.savez_compressed(path, **dict(file))
    assert condition(Crowd.load(build(), path, engine="python")) == condition(used(seed=11))
