"""Random numbers of distributions: one drawn number each, the same bits in both engines."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from statistics import NormalDist, fmean, pstdev
from typing import Any

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, exponential, normal, random
from fsmkit.crowd.engine.compiled import load
from fsmkit.crowd.randomness import compiled, draw, standard_exponential, standard_normal

LAST = 1.0 - 2.0**-53
"""The largest number that is drawn."""

EDGES = [
    0.0, 2.0**-53, LAST, 0.5, 0.075, 0.925, math.nextafter(0.075, 0.0), math.nextafter(0.925, 1.0),
    math.exp(-25.0), math.nextafter(math.exp(-25.0), 0.0), math.nextafter(math.exp(-25.0), 1.0),
]  # fmt: skip


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    ill: bool = False


def test_they_are_the_quantiles_of_drawn_numbers() -> None:
    rng = Random(1)
    for p in [0.001, 0.02, 0.4, 0.5, 0.6, 0.99, *(rng.random() ** 9 for _ in range(1000))]:
        assert standard_normal(p) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-14)
        assert standard_exponential(p) == -math.log(1.0 - p)


def test_the_rarest_ones_are_finite() -> None:
    assert [round(standard_normal(p), 6) for p in (0.0, 2.0**-53, LAST)] == [
        -8.292361, -8.209536, 8.209536,
    ]  # fmt: skip
    assert (standard_exponential(0.0), standard_exponential(LAST)) == (0.0, 53 * math.log(2.0))
    assert math.copysign(1.0, standard_exponential(0.0)) == 1.0


@pytest.mark.slow
def test_compiled_ones_have_pythons_bits() -> None:
    text = "import math\nimport numpy as np\nfrom numba import njit\n\n\n" + compiled()
    module: Any = load(text)
    rng = Random(2)
    numbers = [*EDGES, *(rng.random() for _ in range(100_000))]
    numbers += [rng.random() * 10.0 ** -rng.randint(1, 16) for _ in range(100_000)]
    for drawn in numbers:
        assert module._normal(drawn).hex() == standard_normal(drawn).hex()
        assert module._exponential(drawn).hex() == standard_exponential(drawn).hex()


def machine(function: Callable[..., Any]) -> CrowdFsm:
    built = CrowdFsm("Npc", Npc)
    built.add_state("Only").add_action(CrowdAction(on_update=function))
    return built


def both(npc: Any, world: Any) -> None:
    npc.x = normal(npc, 5.0, 2.0)
    npc.y = exponential(npc, 3.0)


@pytest.mark.slow
def test_means_and_deviations_are_those_asked_for() -> None:
    crowd = Crowd(machine(both), 20_000, start="Only", engine="python", seed=7)
    crowd.update(1.0)
    x, y = crowd["x"].tolist(), crowd["y"].tolist()
    assert (fmean(x), pstdev(x)) == (pytest.approx(5.0, abs=0.03), pytest.approx(2.0, abs=0.03))
    assert (fmean(y), pstdev(y)) == (pytest.approx(3.0, abs=0.05), pytest.approx(3.0, abs=0.05))


def test_each_takes_one_drawn_number() -> None:
    crowd = Crowd(machine(both), 1, start="Only", engine="python", seed=7)
    crowd.update(1.0)
    assert crowd["x"].tolist() == [5.0 + 2.0 * standard_normal(draw(7, 0, 2, 0))]
    assert crowd["y"].tolist() == [3.0 * standard_exponential(draw(7, 0, 2, 1))]


def shock(npc: Any) -> Any:
    if npc.ill:
        return random(npc) - random(npc)
    return 0.0


def calls(npc: Any, world: Any) -> None:
    npc.x = shock(npc)
    npc.y = random(npc)


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_numbers_are_counted_on_in_functions_that_draw_in_some_cases(engine: Any) -> None:
    crowd = Crowd(machine(calls), 2, start="Only", engine=engine, seed=7)
    crowd["ill"] = [True, False]
    crowd.update(1.0)
    assert crowd["x"].tolist() == [draw(7, 0, 2, 0) - draw(7, 0, 2, 1), 0.0]
    assert crowd["y"].tolist() == [draw(7, 0, 2, 2), draw(7, 1, 2, 0)]
