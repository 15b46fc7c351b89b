"""Models from the literature, compared with known results, and their pictures.

To draw these again: python tests/crowd/test_models.py
"""

from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from fsmkit.crowd.census import Census

pytestmark = pytest.mark.slow  # as the examples of crowds are

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "_static" / "crowd"

RING_ROAD, EPIDEMIC, EVACUATION, CLINIC = (
    run_path(str(ROOT / "examples" / f"{name}.py"))
    for name in ("ring_road", "epidemic", "evacuation", "clinic")
)


def flow(cars: int, **road: Any) -> tuple[float, float]:
    """Return the flow on a road of 1,000 cells, measured and known."""
    made = RING_ROAD["Road"](**road)
    measured = RING_ROAD["flow"](cars, made, warm_up=500, steps=500)
    return measured, RING_ROAD["known_flow"](cars / made.length, made)


@pytest.mark.parametrize("cars", [50, 150, 200, 500, 900])
def test_where_nobody_dawdles_the_flow_is_exactly_the_known_one(cars: int) -> None:
    measured, known = flow(cars, dawdling=0.0)
    assert measured == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("cars", [100, 300, 500, 700])
def test_with_a_limit_of_one_cell_the_flow_is_the_known_one(cars: int) -> None:
    measured, known = flow(cars, limit=1)
    assert measured == pytest.approx(known, rel=0.02)


def test_no_two_cars_are_ever_in_one_cell() -> None:
    crowd = RING_ROAD["traffic"](150, RING_ROAD["Road"](length=500))
    order = crowd["x"].argsort()
    for _ in range(300):
        crowd.update(1.0)
        assert len(set(crowd["x"].tolist())) == 150
        gaps = (crowd["x"][order] - crowd["x"][order[0]]) % 500
        assert (gaps[1:] > gaps[:-1]).all()  # nobody overtakes


@pytest.mark.parametrize(
    ("infection", "size", "spread"), [(0.3, 0.59, 0.03), (0.4, 0.80, 0.015), (0.6, 0.94, 0.015)]
)
def test_at_one_place_the_known_share_of_people_has_had_it(
    infection: float, size: float, spread: float
) -> None:
    crowd = EPIDEMIC["town"](30_000, ill=150)
    crowd.world.infection = infection
    infected = EPIDEMIC["infected_by_one"](crowd.world)
    known = EPIDEMIC["final_size"](infected, 1.0 - 150 / 30_000)
    assert known == pytest.approx(size, abs=0.02)
    assert EPIDEMIC["run"](crowd) == pytest.approx(known, rel=spread)


def test_with_homes_and_workplaces_fewer_have_had_it() -> None:
    crowd = EPIDEMIC["town"](20_000, household=4, staff=20, ill=100)
    assert 0.05 < EPIDEMIC["run"](crowd) < 0.75


def test_the_doors_let_through_the_known_flow() -> None:
    crowd = EVACUATION["hall"](1_000)
    times, inside = EVACUATION["empty"](crowd)
    known = EVACUATION["capacity"](EVACUATION["Hall"]())
    assert EVACUATION["outflow"](times, inside) == pytest.approx(known, rel=0.02)
    assert known / EVACUATION["LANE"] == pytest.approx(1.3, abs=0.01)


def erlang_c(servers: int, load: float) -> float:
    """Return the share that must wait, by Erlang's formula."""
    blocked = 1.0  # Erlang B
    for n in range(1, servers + 1):
        blocked = load * blocked / (n + load * blocked)
    return blocked / (1.0 - load / servers * (1.0 - blocked))


@pytest.mark.parametrize(("servers", "share"), [(5, 0.554), (6, 0.285), (7, 0.135)])
def test_the_known_share_that_waits_is_that_of_erlang(servers: int, share: float) -> None:
    clinic = CLINIC["Clinic"](doctors=servers, patience=CLINIC["ENDLESS"])
    delayed, gave_up = CLINIC["known"](clinic)
    assert erlang_c(servers, clinic.takes / clinic.between) == pytest.approx(share, abs=5e-4)
    assert delayed == pytest.approx(erlang_c(servers, 4.0), rel=1e-6)
    assert gave_up == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    "patience", [pytest.param(CLINIC["ENDLESS"], marks=pytest.mark.long), 60.0]
)
def test_the_known_shares_of_patients_wait_and_give_up(patience: float) -> None:
    crowd = CLINIC["clinics"](100)
    crowd.world = CLINIC["Clinic"](doctors=6, patience=patience)
    crowd.update(CLINIC["STEP"], steps=12_000)
    measured, known = CLINIC["measured"](crowd), CLINIC["known"](crowd.world)
    assert measured["delayed"] == pytest.approx(known[0], rel=0.06)
    assert measured["gave up"] == pytest.approx(known[1], abs=0.004)


def test_patients_are_called_in_the_order_in_which_they_came() -> None:
    crowd = CLINIC["clinics"](1, seed=3)
    crowd.world.patience = CLINIC["ENDLESS"]
    called: list[int] = []
    for _ in range(3_000):
        crowd.update(CLINIC["STEP"])
        examined = crowd.ids[crowd.where("Examined")].tolist()
        assert len(examined) <= 5
        called += sorted(set(examined) - set(called))
    assert len(called) > 40
    assert called == sorted(called)


def pictures() -> dict[str, str]:
    """Return file name -> SVG."""
    jams = RING_ROAD["traffic"](80, RING_ROAD["Road"](length=400))
    jams.update(1.0, steps=200)
    hall = EVACUATION["hall"](1_000)
    hall.update(EVACUATION["STEP"], steps=300)
    town = EPIDEMIC["town"](20_000, household=4, staff=20, ill=20)
    census = Census(town, interval=0.5)
    EPIDEMIC["run"](town, census)
    clinic = CLINIC["counts"]()
    return {
        "clinic.svg": clinic.to_svg(),
        "clinic_dark.svg": clinic.to_svg(dark=True),
        "ring_road.svg": RING_ROAD["to_svg"](jams),
        "evacuation.svg": EVACUATION["to_svg"](hall),
        "epidemic.svg": census.to_svg(),
        "epidemic_dark.svg": census.to_svg(dark=True),
    }


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return pictures()


@pytest.mark.parametrize(
    "name",
    [
        "clinic.svg",
        "clinic_dark.svg",
        "ring_road.svg",
        "evacuation.svg",
        "epidemic.svg",
        "epidemic_dark.svg",
    ],
)
def test_the_pictures_of_the_models_are_up_to_date(name: str, drawn: dict[str, str]) -> None:
    assert (PICTURES / name).read_text("utf-8") == drawn[name]


if __name__ == "__main__":
    for name, svg in pictures().items():
        (PICTURES / name).write_text(svg, "utf-8")
