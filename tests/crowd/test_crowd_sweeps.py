"""A loop without branches runs before the update loop, and only the clock shows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, CrowdGuard, normal, random
from fsmkit.crowd.engine.compiled import TRIAL_INTERVAL, LoopChooser

SIZE = 200_000


@define
class Npc:
    x: float = 5.0
    y: float = 1.0
    n: int = 0
    told: int = 0
    tired: bool = False


@define
class World:
    limit: float = 0.5


def root(npc: Any, world: Any) -> Any:
    npc.told += 1
    npc.y = math.sqrt(npc.x)
    npc.told += 1
    npc.x -= world.dt
    return "GO" if npc.y < world.limit else None


def share(npc: Any, world: Any) -> Any:
    npc.n += 1
    npc.y = 1.0 / (npc.n - 3)
    npc.tired = not npc.tired
    return "GO" if npc.n > 4 else None


def go_on(npc: Any, world: Any) -> Any:
    npc.told += 16
    if npc.x < world.limit:
        npc.x += 0.2
        return "AGAIN"
    return None


def tell(npc: Any, world: Any) -> Any:
    npc.told += 256


def machine(*, max_transitions: int = 100) -> CrowdFsm:
    """Roots lead to shares and these to roots; agents with little move at once, or turn round."""
    built = CrowdFsm("Npc", Npc, World, max_transitions=max_transitions)
    roots, shares = built.add_state("Roots"), built.add_state("Shares")
    roots.add_action(CrowdAction(on_enter=go_on, on_update=root, on_exit=tell))
    roots.add_action(CrowdAction(on_enter=tell))
    shares.add_action(CrowdAction(on_enter=go_on, on_update=share))
    for state, other in ((roots, shares), (shares, roots)):
        state.add_transition("GO", other)
        state.add_transition("AGAIN", state)
    return built


def assert_same(machine: CrowdFsm, x: Any) -> None:
    """Check that both engines do the same."""
    interpreted, compiled = (ending(machine, x, engine=e) for e in ("python", "compiled"))
    assert repr(compiled) == repr(interpreted)


def ending(machine: CrowdFsm, x: Any, **options: Any) -> list[Any]:
    """Return all columns and all errors of a crowd, step by step."""
    crowd = Crowd(machine, len(x), **options)
    crowd.start("Roots", np.arange(len(x)) % 5 > 0)  # the others have not started
    crowd["x"] = x
    told: list[Any] = ["def sweep" in crowd.source or options["engine"] == "python"]
    for _ in range(8):
        try:
            crowd.update(0.25)
        except Exception as error:
            told += [
                (str(e), getattr(e, "__notes__", []))
                for e in getattr(error, "exceptions", [error])[:10]
            ]
            told.append(str(error))
        told += [(name, each.tobytes()) for name, each in crowd._store.arrays().items()]
    return told


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_errors_are_those_of_the_functions_and_what_was_written_before_them_stays() -> None:
    x = np.linspace(1.0, 9.0, 40)
    x[[3, 8, 21]] = [0.75, math.nan, -2.0]
    assert_same(machine(), x)


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_an_agent_that_fails_is_reported_by_the_line_and_all_others_continue() -> None:
    crowd = Crowd(machine(), 4, start="Roots")
    crowd["x"] = [4.0, -1.0, 9.0, 16.0]
    with pytest.raises(ValueError, match="math domain error") as raised:
        crowd.update(0.25)
    line = root.__code__.co_firstlineno + 2
    assert raised.value.__notes__ == [
        f"Crowd of 'Npc', agent 1, state 'Roots', root(), {__file__}:{line}"
    ]
    assert crowd["told"].tolist() == [274, 273, 274, 274]
    assert crowd["y"].tolist() == [2.0, 1.0, 3.0, 4.0]


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_changes_that_lead_on_and_those_without_end_are_those_of_the_functions() -> None:
    x = np.linspace(0.3, 3.0, 40)
    x[::9] = 0.01
    for most in (1, 2, 100):
        assert_same(machine(max_transitions=most), x)


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_threads_change_nothing_in_a_sweep() -> None:
    x = np.random.default_rng(1).uniform(-0.1, 9.0, SIZE)
    one, *others = (ending(machine(), x, parallel=n, engine="compiled") for n in (1, 2, 3))
    assert others == [one, one]


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_agents_come_and_go_between_sweeps() -> None:
    crowds = [Crowd(machine(), 30, start="Roots", engine=e) for e in ("python", "compiled")]
    for crowd in crowds:
        crowd["x"] = np.linspace(2.0, 5.0, 30)
        crowd.update(0.25)
        crowd.add(7, start="Shares", x=8.0)
        crowd.update(0.25)
        crowd.remove(range(0, 30, 2))
        crowd.update(0.25)
    one, other = (crowd._store.arrays() for crowd in crowds)
    assert {name: each.tobytes() for name, each in one.items()} == {
        name: each.tobytes() for name, each in other.items()
    }


@pytest.mark.slow
def test_fields_whose_names_end_in_numbers_are_not_mixed_up() -> None:
    @define
    class Numbered:
        x: float = 1.0
        x_1: float = 2.0
        x_2: float = 3.0

    def turn(agent: Any, world: Any) -> Any:
        agent.x, agent.x_1, agent.x_2 = agent.x_2, agent.x, agent.x_1

    built = CrowdFsm("Numbered", Numbered)
    built.add_state("Only").add_action(CrowdAction(on_update=turn))
    crowd = Crowd(built, 1, start="Only")
    assert "def sweep" in crowd.source
    crowd.update(0.25)
    assert [crowd[name][0] for name in ("x", "x_1", "x_2")] == [3.0, 1.0, 2.0]


def draws(npc: Any, world: Any) -> Any:
    npc.x = random(npc)


def takes_sines(npc: Any, world: Any) -> Any:
    npc.x = math.sin(npc.x)


def takes_remainders(npc: Any, world: Any) -> Any:
    npc.n = npc.n % 7


def needs_branches_either_way(npc: Any, world: Any) -> Any:
    if npc.x > 0.5:
        npc.x = random(npc)
    else:
        npc.n = npc.n // 2


@pytest.mark.parametrize(
    "function", [draws, takes_sines, takes_remainders, needs_branches_either_way]
)
def test_where_all_functions_need_branches_the_update_loop_runs_alone(
    function: Callable[..., Any],
) -> None:
    built = CrowdFsm("Npc", Npc, World)
    for name, each in (("One", function), ("Other", function), ("Light", root)):
        built.add_state(name).add_action(CrowdAction(on_update=each))
    assert "def sweep" not in Crowd(built, 1).source


def draws_in_one_case(npc: Any, world: Any) -> Any:
    npc.told += 1
    if npc.x > 4.0:
        npc.y = random(npc) + random(npc)
        return "GO"
    npc.told += 2
    return None


def draws_otherwise(npc: Any, world: Any) -> Any:
    npc.told += 1
    if npc.x > 4.0:
        npc.n += 1
    elif npc.x > 2.0 and not npc.tired:
        npc.y = random(npc)
        npc.told += 2
    else:
        npc.tired = npc.x > 1.0
        if npc.told > 9:
            npc.y += random(npc)
    npc.x += 0.125


def takes_sines_in_one_case(npc: Any, world: Any) -> Any:
    npc.y = math.sin(npc.x) if npc.x > 4.0 else npc.x
    npc.x = npc.y if npc.x < 3.0 else math.cos(npc.x)


def takes_remainders_in_one_case(npc: Any, world: Any) -> Any:
    npc.n += 3
    if npc.x > 4.0 and npc.n % 2 == 0:
        npc.told += 1
    if npc.x > 2.0 or npc.n // 5 == 1:
        npc.told += 2
    return "GO" if npc.x > 4.5 and npc.n % 3 > 0 else None


def calls_others(npc: Any, world: Any) -> Any:
    z, x_ = npc.x, npc.y
    npc.y = apart(npc.x, apart(x_, 1.0)) + z
    npc.n += steps_of(npc.x, npc.n)
    if is_rich(npc, world) and not npc.tired:
        npc.x -= apart(z, x_) * 0.25
        return "GO"
    npc.tired = waves(npc.x) > 0.0
    return None


def apart(x: Any, y: Any) -> Any:
    if x > y:
        z = x - y
    else:
        z = y - x
        y = 0.5
    return math.sqrt(z) + y


def steps_of(x: Any, n: Any) -> Any:
    if x > 4.0:
        if n > 6:
            return 1
        n = 0
    elif n > 9:
        return min(n, 12) - 9
    else:
        n += 2
        if x > 3.0:
            return n
    return -n


def waves(x: Any) -> Any:
    return math.sin(x) if x > 4.0 else x


def is_rich(npc: Any, world: Any) -> Any:
    return npc.x > world.limit * 5


def is_poor(npc: Any, world: Any) -> Any:
    return npc.x - npc.y < apart(world.limit, npc.y) or npc.n % 2 > 0


def goes(npc: Any, world: Any) -> Any:
    npc.n += 1
    npc.x -= 0.25
    return "GO" if npc.n > 1 else None


def lives(npc: Any, world: Any) -> Any:
    if npc.time_in_state > 0.3:
        npc.n += 1
    for turn in range(3):
        npc.x += 0.125 * turn
        if npc.x > 5.0:
            break
    match npc.n:
        case 1 | 2:
            npc.told += 1
        case _:
            npc.told += 2
    if npc.x > 4.5 and npc.id % 2 == 0:
        npc.y = normal(npc, 0.0, 1.0)
    return "GO" if npc.n > 2 and world.time > 0.5 else None


PARTLY = [
    draws_in_one_case, draws_otherwise, takes_sines_in_one_case, takes_remainders_in_one_case,
    calls_others, lives, goes,
]  # fmt: skip


def partly_light(functions: list[Callable[..., Any]]) -> CrowdFsm:
    """Each function has a state, and a transition to the next one with a guard."""
    built = CrowdFsm("Npc", Npc, World)
    states = [built.add_state("Roots" if i == 0 else f"S{i}") for i in range(len(functions))]
    for i, (state, function) in enumerate(zip(states, functions, strict=True)):
        state.add_action(CrowdAction(on_enter=draws if i % 2 else go_on, on_update=function))
        following = states[(i + 1) % len(states)]
        state.add_transition("GO", following, when=CrowdGuard(is_poor) if i % 3 < 2 else None)
        state.add_transition("AGAIN", state, when=CrowdGuard(is_rich))
    return built


@pytest.mark.usefixtures("always_sweeps", "not_compiled")
@pytest.mark.parametrize("function", PARTLY)
def test_only_agents_that_need_branches_are_left(function: Callable[..., Any]) -> None:
    assert_same(partly_light([function, goes]), np.linspace(0.0, 6.0, 40))


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_compiled_sweeps_leave_agents_that_need_branches() -> None:
    functions = [draws_in_one_case, calls_others, lives]
    assert_same(partly_light(functions), np.linspace(0.0, 6.0, 200))


def share_of_left(machine: CrowdFsm, x: Any) -> float:
    crowd = Crowd(machine, len(x), start="Roots")
    crowd["x"] = x
    crowd.update(0.25)
    [agents] = crowd._store.rows.parts  # type: ignore[union-attr]
    return float((agents._skipped == 1).mean())


@pytest.mark.usefixtures("always_sweeps", "not_compiled")
def test_only_agents_that_draw_are_left() -> None:
    x = np.linspace(0.0, 8.0, 40)
    assert share_of_left(partly_light([draws_in_one_case, goes]), x) == 0.5
    assert share_of_left(partly_light([goes, draws_in_one_case]), x) == 0.0


@pytest.mark.parametrize("function", [calls_others, takes_sines_in_one_case, draws_otherwise])
def test_a_machine_of_which_a_part_needs_branches_has_a_sweep(function: Callable[..., Any]) -> None:
    assert "def sweep" in Crowd(partly_light([function]), 1).source


@pytest.mark.slow
@pytest.mark.parametrize(("count", "function"), [(20, root), (400, tell)])
def test_a_large_machine_has_no_sweep(count: int, function: Callable[..., Any]) -> None:
    built = CrowdFsm("Npc", Npc, World)
    for number in range(count):
        built.add_state(f"S{number}").add_action(CrowdAction(on_update=function))
        built.states[f"S{number}"].add_transition("GO", built.states["S0"])
    assert "def sweep" not in Crowd(built, 1).source


def test_the_faster_loop_is_taken_and_the_other_one_tried_again() -> None:
    chooser, sweeps = LoopChooser(), []
    for number in range(3 * TRIAL_INTERVAL):
        chooser.choose()
        chooser.record(0.25 if chooser.sweeps == (number < TRIAL_INTERVAL) else 1.0)
        sweeps.append(chooser.sweeps)
    assert sum(sweeps[:TRIAL_INTERVAL]) == TRIAL_INTERVAL - 7
    assert sum(sweeps[-TRIAL_INTERVAL:]) == 1
