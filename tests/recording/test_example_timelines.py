"""The timelines of the examples in docs/_static/timelines are what the examples do now.

To draw them all again: python tests/recording/test_example_timelines.py
"""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.recording import Chronicle, History, timeline_svg

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    path
    for path in sorted(ROOT.glob("examples/*.py"))
    if "-> CrowdFsm" not in path.read_text("utf-8")  # a crowd has another picture of its time
]
PICTURES = ROOT / "docs/_static/timelines"
SECONDS = 20.0
AFTER_THE_END = 1.0


def is_over(fsm: Fsm[Any]) -> bool:
    state = fsm.current_state
    return state is None or (state.final and fsm.time_in_state >= AFTER_THE_END)


def chronicle_of(example: Path) -> Chronicle:
    with redirect_stdout(StringIO()):
        built: Fsm[Any] | FsmGroup = run_path(str(example))["build"]()
        machines = [built] if isinstance(built, Fsm) else [*built]
        history = History(built)
        for fsm in machines:
            if not fsm.is_running:
                fsm.start()
        while history.now < SECONDS - 1e-6 and not all(map(is_over, machines)):
            built.update(1 / 60)
    return history.chronicle()


def pictures_of(example: Path) -> dict[Path, str]:
    chronicle = chronicle_of(example)
    return {
        PICTURES / f"{example.stem}.svg": timeline_svg(chronicle),
        PICTURES / f"{example.stem}-dark.svg": timeline_svg(chronicle, dark=True),
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_the_pictures_are_up_to_date(example: Path) -> None:
    pictures = pictures_of(example)
    assert {path: path.read_text("utf-8") for path in pictures} == pictures


def test_there_is_no_picture_without_an_example() -> None:
    stems = {path.stem.removesuffix("-dark") for path in PICTURES.iterdir()}
    assert stems == {example.stem for example in EXAMPLES}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for each in EXAMPLES:
        for path, picture in pictures_of(each).items():
            path.write_text(picture, "utf-8", newline="\n")
