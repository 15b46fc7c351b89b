"""What the tests of crowds share."""

import math
from collections.abc import Iterator

import pytest

from fsmkit.crowd.pace import Pace


@pytest.fixture(autouse=True, scope="session")
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is compiled for the whole session, and no longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(tmp_path_factory.mktemp("compiled")))
        yield


@pytest.fixture
def always_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a sweep in every update, whichever loop is faster, and however large the machine is."""
    monkeypatch.setattr(Pace, "choose", lambda pace: setattr(pace, "sweeps", True))
    for limit in ("MOST", "MOST_STATES"):
        monkeypatch.setattr(f"fsmkit.crowd.sweep.{limit}", math.inf)
