"""What the tests of pictures share: whether they can be laid out here."""

import pytest

from fsmkit import Fsm
from fsmkit.diagram import to_svg


@pytest.fixture(scope="session")
def has_graphviz() -> bool:
    fsm: Fsm[None] = Fsm("Lamp")
    fsm.add_state("Off")
    try:
        return bool(to_svg(fsm))
    except ImportError:
        return False


@pytest.fixture
def graphviz(has_graphviz: bool) -> None:
    """Skip the test where neither graphviz-pure nor dot is installed."""
    if not has_graphviz:
        pytest.skip("there is no Graphviz")
