"""Pictures of crowds: shares in the diagram, and those of the stadium in the documentation.

To draw these all again: python tests/crowd/test_pictures.py
"""

import re
from pathlib import Path
from runpy import run_path

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdFsm
from fsmkit.crowd.census import Census
from fsmkit.crowd.collector import Collector
from fsmkit.crowd.pictures import share_svg

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "_static" / "crowd"
IN_THE_WAVE = 77
"""The second at which the diagram of the stadium is drawn."""


@define
class Npc:
    x: float = 0.0


def crowd_of(size: int) -> Crowd:
    machine = CrowdFsm("Npc", Npc)
    patrol, chase = machine.add_state("Patrol"), machine.add_state("Chase")
    patrol.add_transition("SEEN", chase)
    return Crowd(machine, size, engine="python")


def words(svg: str) -> list[str]:
    return re.findall(r">([^<>\n]+)</text>", svg)


def test_every_state_has_its_share_of_the_agents() -> None:
    crowd = crowd_of(1000)
    crowd.start()
    crowd.send_event("SEEN", where=range(19))
    assert words(share_svg(crowd)) == ["Npc", "Patrol", "98.1 %", "Chase", "1.9 %", "SEEN"]


def test_shares_are_those_of_the_agents_that_run() -> None:
    crowd = crowd_of(8)
    crowd.start("Chase", where=range(2))
    assert words(share_svg(crowd)) == ["Npc", "Patrol", "0.0 %", "Chase", "100.0 %", "SEEN"]


def test_a_crowd_that_does_not_run_or_has_no_agents_has_a_picture_too() -> None:
    assert words(share_svg(crowd_of(0))) == words(share_svg(crowd_of(3)))


def test_a_dark_diagram_says_the_same() -> None:
    crowd = crowd_of(3)
    light, dark = share_svg(crowd), share_svg(crowd, dark=True)
    assert light != dark
    assert words(light) == words(dark)


# The stadium


def stadium_pictures() -> dict[str, str]:
    """Return file name -> SVG."""
    stadium = run_path(str(ROOT / "examples" / "stadium.py"))
    crowd = Crowd(stadium["build"](), 20_000, start="Arriving", seed=7)
    census, collector = Census(crowd), Collector(crowd)
    collector.mean("patience")
    collector.min("patience")
    collector.max("patience")
    collector.quantile("patience", 0.1, 0.9)
    census.take()
    collector.take()
    drawn = {}
    for second in stadium["play"](crowd, census):
        collector.take()
        if second == IN_THE_WAVE:
            drawn["stadium_shares.svg"] = share_svg(crowd)
            drawn["stadium_shares_dark.svg"] = share_svg(crowd, dark=True)
    drawn["stadium.svg"] = census.to_svg()
    drawn["stadium_dark.svg"] = census.to_svg(dark=True)
    drawn["patience.svg"] = collector.to_svg("patience")
    drawn["patience_dark.svg"] = collector.to_svg("patience", dark=True)
    return drawn


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return stadium_pictures()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["stadium.svg", "stadium_dark.svg", "patience.svg", "patience_dark.svg"]
)
def test_the_counts_and_columns_of_the_stadium_are_up_to_date(
    name: str, drawn: dict[str, str]
) -> None:
    assert (PICTURES / name).read_text("utf-8") == drawn[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stadium_shares.svg", "stadium_shares_dark.svg"])
def test_the_diagram_of_the_stadium_is_up_to_date(name: str, drawn: dict[str, str]) -> None:
    """Check its texts; their positions are up to Graphviz."""
    assert sorted(words((PICTURES / name).read_text("utf-8"))) == sorted(words(drawn[name]))


# The outbreak


def outbreak_pictures() -> dict[str, str]:
    """Return file name -> SVG."""
    study = run_path(str(ROOT / "examples" / "outbreak.py"))["study"]()
    return {
        "outbreak.svg": study.to_svg("reached"),
        "outbreak_dark.svg": study.to_svg("reached", dark=True),
    }


@pytest.mark.slow
def test_the_study_of_the_outbreak_is_up_to_date() -> None:
    for name, picture in outbreak_pictures().items():
        assert (PICTURES / name).read_text("utf-8") == picture


if __name__ == "__main__":
    for file_name, picture in (stadium_pictures() | outbreak_pictures()).items():
        (PICTURES / file_name).write_text(picture, "utf-8", newline="\n")
