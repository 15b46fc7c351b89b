"""docs/making/stand_ins.py: a reference of what uses packages that are not installed."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from making.stand_ins import PACKAGES, Finder

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that nobody has."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder(["no_engine"])])
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "no_engine"]:
        del sys.modules[name]


def test_everything_can_be_imported_from_a_stand_in() -> None:
    keys = import_module("no_engine.input.keys")
    assert keys.KEY_ZERO is keys.KEY_ZERO
    assert repr(keys.KEY_ZERO) == "no_engine.input.keys.KEY_ZERO"
    assert (keys.KEY_ZERO + 3, int(keys.KEY_ONE), list(keys.ALL)) == (0, 0, [])


def test_a_stand_in_is_a_base_class_an_annotation_and_a_decorator() -> None:
    engine = import_module("no_engine")

    class Sprite(engine.Sprite):  # type: ignore[misc]  # it is any
        """A sprite."""

        @engine.compiled
        def draw(self, where: engine.Vector | None = None) -> None:
            """Draw it."""

    assert Sprite.__doc__ == "A sprite."
    assert Sprite.draw.__doc__ == "Draw it."


def test_other_packages_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("no_engine_either")


@pytest.mark.slow
def test_all_that_the_reference_describes_can_be_imported_with_stand_ins() -> None:
    engines = sorted((ROOT / "fsmkit/engines").iterdir())
    others = ("parts", "__pycache__", "__init__.py", "held.py")
    modules = [
        *("fsmkit.crowd", "fsmkit.crowd.library", "fsmkit.crowd.shards"),
        *(f"fsmkit.engines.{path.stem}" for path in engines if path.name not in others),
    ]
    code = (
        "import sys; from importlib import import_module; "
        "from making.stand_ins import PACKAGES, Finder; "
        "sys.meta_path.insert(0, Finder(PACKAGES)); "
        f"[import_module(name) for name in {modules}]; "
        "print(*sorted({name.partition('.')[0] for name in sys.modules} & {*PACKAGES}))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "docs", capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == sorted(PACKAGES)
