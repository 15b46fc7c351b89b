"""The examples in docstrings run as they are written."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHANGE_THE_PROCESS = ("fsmkit/engines/arcade", "fsmkit/engines/ursina")
"""What changes the whole process when it is imported."""

SLOW = ("crowd.", "pathfinding.flow_field", "inspector.")
"""What compiles, or serves a page."""

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("fsmkit", "actions")
    for path in sorted(ROOT.glob(f"{package}/**/*.py"))
    if not path.relative_to(ROOT).as_posix().startswith(CHANGE_THE_PROCESS)
    and ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * name.startswith(SLOW, len("fsmkit.")))
        for name in MODULES
    ],
)
def test_the_examples_in_docstrings_hold(name: str) -> None:
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(str(error))
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
