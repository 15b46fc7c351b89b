"""Neighbours are worked out for those who ask: with `for_`, and where few states read them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdError, CrowdFsm, Places, spawn
from fsmkit.crowd import random as draw
from fsmkit.crowd.neighbours import evaluation
from fsmkit.crowd.neighbours.declaration import restored, saved


@define
class Guest:
    x: float = 0.0
    room: int = 0
    gap: float = 0.5
    ahead: int = -5
    near: int = -5
    there: float = 0.5
    to_x: float = 0.5
    seen: float = 0.0
    is_tall: bool = False


def walk(guest: Any, world: Any) -> str | None:
    guest.x += (draw(guest) - 0.5) * world.dt
    return "JOIN" if draw(guest) < 0.2 else None


def arrive(guest: Any, _world: Any) -> None:
    guest.seen += guest.there


def wait(guest: Any, _world: Any) -> str | None:
    guest.seen += guest.near + (guest.gap if guest.gap < 9.0 else 0.0) + 0.125 * guest.ahead
    if draw(guest) < 0.1:
        spawn(guest, start="Away", x=guest.x + 0.25, room=guest.room)
    return "LEAVE" if draw(guest) < 0.3 else None


def build() -> CrowdFsm:
    machine = CrowdFsm("Guest", Guest)
    away, waits = machine.add_state("Away"), machine.add_state("Waits")
    gone = machine.add_state("Gone", retire=True)
    rests = machine.add_state("Rests")
    away.add_action(CrowdAction(on_update=walk))
    away.add_transition("JOIN", waits)
    waits.add_action(CrowdAction(on_enter=arrive, on_update=wait))
    waits.add_transition("LEAVE", gone)
    machine.add_global_transition("WAIT", waits)
    rests.add_transition("JOIN", waits)
    return machine


MACHINE = build()


def crowd_of(engine: Any = "python", size: int = 40, **options: Any) -> Crowd:
    crowd = Crowd(MACHINE, size, start="Away", engine=engine, seed=3, **options)
    places = np.random.default_rng(3)
    crowd.write("x", places.uniform(0.0, 12.0, size))
    crowd.write("room", places.integers(0, 6, size))
    crowd.write("is_tall", places.uniform(size=size) < 0.4)
    crowd.start("Waits", where=np.arange(0, size, 7))
    crowd.start("Rests", where=np.arange(1, size, 7))
    return crowd


WRITTEN = ["gap", "ahead", "near", "there", "to_x"]


def declare(crowd: Crowd, **for_: Any) -> None:
    line = Cells(crowd, "x", size=1.5)
    line.nearest(distance="gap", id="ahead", ahead=True, **for_)
    line.count(into="near", where="Waits", **for_)
    line.offset(into="to_x", **for_)
    Places(crowd, "room").share("Waits", into="there", **for_)


def content(crowd: Crowd) -> dict[str, Any]:
    names = ["x", "room", *WRITTEN, "seen"]
    return {
        "states": crowd.states.tolist(),
        "ids": crowd.ids.tolist(),
        **{name: crowd.read(name).tolist() for name in names},
    }


# With for_


@pytest.mark.slow
@pytest.mark.parametrize(
    ("for_", "is_asked"),
    [
        ("Waits", lambda crowd: crowd.where("Waits")),
        (["Waits", "Rests"], lambda crowd: crowd.where("Waits") | crowd.where("Rests")),
        ("is_tall", lambda crowd: crowd.read("is_tall")),
        (["Away", "Rests"], lambda crowd: ~crowd.where("Waits")),
        ("Gone", lambda crowd: crowd.where("Gone")),
    ],
)
@pytest.mark.parametrize("few", [0, 4096])
def test_only_those_get_new_values_and_the_others_keep_theirs(
    for_: Any, is_asked: Callable[[Crowd], Any], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "FEW", few)
    everybody, some = crowd_of(), crowd_of()
    declare(everybody)
    kept = {name: some.read(name) for name in WRITTEN}
    declare(some, for_=for_)
    for name in WRITTEN:
        expected = np.where(is_asked(some), everybody.read(name), kept[name])
        assert some.read(name).tolist() == expected.tolist()


@pytest.mark.slow
def test_who_enters_the_state_in_a_step_knows_at_the_next() -> None:
    crowd = crowd_of()
    Cells(crowd, "x", size=1.5).count(into="near", for_="Waits")
    who = int(crowd.where("Rests").nonzero()[0][0])
    crowd.send_event("JOIN", where=[who])
    assert crowd.where("Waits")[who]
    assert crowd.read("near")[who] == -5
    crowd.update(0.0)
    assert crowd.read("near")[list(crowd.ids).index(who)] >= 0


def test_quantities_of_one_object_may_be_for_different_agents() -> None:
    crowd, everybody = crowd_of(), crowd_of()
    for each, for_near, for_there in [(crowd, "Waits", "is_tall"), (everybody, None, None)]:
        line = Cells(each, "x", size=1.5)
        line.count(into="near", for_=for_near)
        line.mean("room", into="there", for_=for_there)
    waits, tall = crowd.where("Waits"), crowd.read("is_tall")
    assert crowd.read("near").tolist() == np.where(waits, everybody.read("near"), -5).tolist()
    assert crowd.read("there").tolist() == np.where(tall, everybody.read("there"), 0.5).tolist()


@pytest.mark.usefixtures("compiled_in_the_slow_run")
def test_both_engines_take_the_same_course_with_for() -> None:
    crowds = [crowd_of("python"), crowd_of("compiled")]
    for each in crowds:
        declare(each, for_="Waits")
    for _ in range(12):
        assert content(crowds[0]) == content(crowds[1])
        for each in crowds:
            each.update(0.5)


def test_a_value_that_is_not_finite_is_refused_whoever_asks() -> None:
    crowd = crowd_of()
    Cells(crowd, "x", size=1.5).least("there", into="gap", where="Waits", for_="Waits")
    crowd["there"][1] = math.nan
    with pytest.raises(CrowdError, match=r"'there' of agent 1: .* must be a number, got nan"):
        crowd.update(0.5)
    crowd["there"][1] = 0.0
    crowd["x"][1] = math.nan
    with pytest.raises(CrowdError, match=r"'x' of agent 1: .* must be finite, got nan"):
        crowd.update(0.5)


@pytest.mark.parametrize("for_", ["Nowhere", "x", [], 3])
def test_those_who_ask_must_be_states_or_a_boolean_field(for_: Any) -> None:
    with pytest.raises(CrowdError, match=r"Places\('room'\): for_"):
        Places(crowd_of(), "room").count(into="near", for_=for_)


def test_a_saved_crowd_knows_who_asks(tmp_path: Path) -> None:
    crowd = crowd_of()
    declare(crowd, for_="Waits")
    crowd.update(0.5)
    crowd.save(tmp_path / "crowd.npz")
    loaded = Crowd.load(MACHINE, tmp_path / "crowd.npz", engine="python")
    assert loaded.neighbours.declarations == crowd.neighbours.declarations
    crowd.update(0.5, steps=3)
    loaded.update(0.5, steps=3)
    assert content(loaded) == content(crowd)


def test_a_declaration_of_an_older_version_is_for_all() -> None:
    crowd = crowd_of()
    declare(crowd)
    values = saved(crowd.neighbours.declarations)
    for each in values:
        for quantity in each["quantities"]:
            del quantity["asked"]
    assert restored(values) == crowd.neighbours.declarations


# Where few states read it


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For how many agents each part of a declaration is evaluated, also in a small crowd."""
    counts: list[int] = []
    real = evaluation.answers

    def answers(declaration: Any, agents: Any, rows: Any = slice(None), **options: Any) -> Any:
        everybody = range(len(agents))
        counts.append(len(everybody[rows]) if isinstance(rows, slice) else len(rows))
        return real(declaration, agents, rows, **options)

    monkeypatch.setattr(evaluation, "answers", answers)
    monkeypatch.setattr("fsmkit.crowd.neighbours.renewal.LEAST_AGENTS", 0)
    return counts


def events(crowd: Crowd) -> Any:
    return crowd.send_event("WAIT", where=[2, 4, 6])


def added(crowd: Crowd) -> Any:
    crowd.add(3, start="Waits", x=4.0)
    crowd.remove([0, 5, 8])
    return content(crowd)


def written(crowd: Crowd) -> Any:
    crowd.write("near", 7, agents=[3])
    crowd[2].near = 9
    crowd[2].x = 3.0
    return content(crowd)


def put(crowd: Crowd) -> Any:
    fsm = crowd.fsm(1)
    fsm.context.agent.gap += 1.0
    crowd.put(1, fsm)
    return content(crowd)


LOOKS: list[Callable[[Crowd], Any]] = [
    content,
    events,
    added,
    written,
    put,
    lambda crowd: crowd["gap"].tolist(),
    lambda crowd: [each.near for each in (crowd[i] for i in range(len(crowd)))],
    lambda crowd: [crowd.fsm(i).context.agent.gap for i in range(len(crowd))],
    lambda crowd: crowd.update(0.25, steps=3),
]


@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("options", [{}, {"dtype": "float32"}])
def test_whoever_looks_sees_the_values_of_all(
    look: Callable[[Crowd], Any], options: dict[str, Any]
) -> None:
    crowds = [crowd_of("python", **options), crowd_of("compiled", **options)]
    for each in crowds:
        declare(each)
    for number in range(9):
        for each in crowds:
            each.update(0.5)
        if number % 3 == 1:
            found = [look(each) for each in crowds]
            assert found[1] == found[0]
    assert content(crowds[1]) == content(crowds[0])


@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
def test_a_column_that_somebody_holds_is_live() -> None:
    crowd, reference = crowd_of("compiled"), crowd_of("python")
    for each in (crowd, reference):
        each.start("Rests")
        Cells(each, "x", size=1.5).count(into="near")
        each.update(0.0)
    held = np.asarray(crowd["near"])
    for each in (crowd, reference):
        each.write("x", np.arange(len(each)) * 0.75)
        each.update(0.0)
    assert held.tolist() == reference.read("near").tolist()


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
def test_a_later_declaration_reads_the_values_of_all() -> None:
    crowds = [crowd_of("python"), crowd_of("compiled")]
    for each in crowds:
        Places(each, "room").share("Waits", into="there")
        each.update(0.5)
        Cells(each, "x", size=2.5).sum("there", into="gap")
        each.update(0.5, steps=3)
    assert content(crowds[1]) == content(crowds[0])


@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
def test_a_closed_declaration_leaves_the_values_of_all() -> None:
    crowds = [crowd_of("python"), crowd_of("compiled")]
    for each in crowds:
        cells = Cells(each, "x", size=1.5)
        cells.count(into="near")
        each.update(0.5)
        cells.close()
        each.update(0.5)
    assert content(crowds[1]) == content(crowds[0])


@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
def test_a_step_that_is_refused_leaves_the_values_of_the_step_before() -> None:
    crowds = [crowd_of("python"), crowd_of("compiled")]
    for each in crowds:
        declare(each)
        each.update(0.5, steps=2)
        each["x"][3] = math.nan
        with pytest.raises(CrowdError):
            each.update(0.5)
        each["x"][3] = 1.0
    assert content(crowds[1]) == content(crowds[0])


@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
def test_agents_that_came_and_went_since_the_step_change_nothing() -> None:
    crowds = [crowd_of("python"), crowd_of("compiled")]
    for each in crowds:
        declare(each)
        each.update(0.5)
        each.remove(np.arange(len(each) - 9, len(each) - 1))
        each.remove([0, 4, len(each) - 1])
        each.add(4)
    assert content(crowds[1]) == content(crowds[0])


@pytest.mark.usefixtures("compiled_in_the_slow_run", "asked")
def test_a_crowd_that_has_become_small_keeps_its_newest_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowds = [crowd_of("python"), crowd_of("compiled")]
    for each in crowds:
        Cells(each, "x", size=1.5).count(into="near")
        each.update(9.0)
    monkeypatch.setattr("fsmkit.crowd.neighbours.renewal.LEAST_AGENTS", 1000)
    for each in crowds:
        each.update(9.0)
    assert content(crowds[1]) == content(crowds[0])


@pytest.mark.usefixtures("compiled_in_the_slow_run")
def test_a_step_works_out_what_is_read(asked: list[int]) -> None:
    crowd = crowd_of("compiled")
    Cells(crowd, "x", size=1.5).count(into="near")
    waiting = crowd.count()["Waits"]
    asked.clear()
    crowd.update(0.0)
    assert asked == [waiting]
    crowd.read("gap")
    assert asked == [waiting]
    crowd.read("near")
    assert asked == [waiting, 40]
    crowd.read("near")
    assert asked == [waiting, 40]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
def test_a_column_that_is_read_after_every_step_is_written_for_all(asked: list[int]) -> None:
    crowd = crowd_of("compiled")
    Cells(crowd, "x", size=1.5).count(into="near")
    for _ in range(6):
        crowd.update(0.0)
        crowd.read("near")
    asked.clear()
    size = len(crowd)
    crowd.update(0.0)
    crowd.read("near")
    assert asked == [size]
