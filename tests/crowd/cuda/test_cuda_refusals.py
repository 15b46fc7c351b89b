"""What a crowd on a card refuses: other arithmetic, no card, no package, wrong arguments."""

import importlib
import math
import sys
from typing import Any

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, CrowdGuard, SubsetError


@define
class Npc:
    x: float = 0.0


def machine(**functions: Any) -> CrowdFsm:
    made = CrowdFsm("Npc", Npc)
    state = made.add_state("Patrol")
    state.add_action(CrowdAction(**functions))
    return made


def turned(npc):
    return math.cos(npc.x) * 2.0


def turn(npc, world):
    npc.x = turned(npc)


def is_turned(npc, world):
    return math.atan2(npc.x, 1.0) > 0.0


def plain(npc, world):
    npc.x = math.sqrt(abs(npc.x)) + math.floor(npc.x) + math.radians(npc.x)


def bad(call: Any) -> str:
    with pytest.raises(CrowdError) as raised:
        call()
    return str(raised.value)


def test_a_function_with_another_last_bit_is_refused_with_its_line() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (the extra cuda)")
    with pytest.raises(SubsetError) as raised:
        Crowd(machine(on_update=turn), 3, target="cuda")
    line = turned.__code__.co_firstlineno + 1
    assert str(raised.value) == (
        f"Fsm 'Npc', state 'Patrol', actions[0] on_update: {__file__}:{line}, turned(): "
        "math.cos is rounded differently on a GPU. Write it without, or make the crowd with "
        'exact=False: then target="cuda" gives nearly the same results, no longer the same bits.'
    )


def test_so_is_one_that_a_guard_calls() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (the extra cuda)")
    made = machine(on_update=plain)
    made.states["Patrol"].add_transition("GO", "Patrol", when=CrowdGuard(is_turned))
    text = bad(lambda: Crowd(made, 3, target="cuda"))
    assert "transition 'GO': " in text
    assert "is_turned(): math.atan2 is rounded differently" in text


def test_without_a_card_it_says_what_to_do() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (the extra cuda)")
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a card")
    for options in ({}, {"exact": False}):
        text = bad(
            lambda options=options: Crowd(machine(on_update=plain), 3, target="cuda", **options)
        )
        assert text.startswith(
            'target="cuda" needs an NVIDIA card with its driver, and numba finds none: '
        )
        assert text.endswith(
            "Leave target out to run on the processor, or try it without a card in the simulator, "
            "which is slow: set NUMBA_ENABLE_CUDASIM=1 before Python starts. `python -m numba -s` "
            "shows what numba finds."
        )


@pytest.mark.slow
def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("fsmkit.crowd.cuda")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ImportError, match=r"needs numba-cuda: pip install 'fsmkit\[cuda\]'"):
        importlib.import_module("fsmkit.crowd.cuda.engine")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"target": "gpu"}, "target must be 'cpu' or 'cuda', got 'gpu'."),
        ({"target": None}, "target must be 'cpu' or 'cuda', got None."),
        (
            {"target": "cuda", "engine": "python"},
            "engine must be 'compiled' for target='cuda', got 'python'. Leave it out.",
        ),
        ({"exact": 1}, "exact must be True or False, got 1."),
        ({"exact": False}, "exact=False is for target='cuda': on the CPU all results are exact."),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], text: str) -> None:
    assert bad(lambda: Crowd(machine(on_update=plain), 3, **options)) == text


def test_columns_in_this_process_are_read_and_written_by_the_same_calls() -> None:
    crowd = Crowd(machine(on_update=plain), 4, engine="python")
    crowd.remove([1])
    crowd.write("x", [1.0, 2.0, 3.0])
    crowd.write("x", 9.0, agents=[-1])
    column = crowd.read("x")
    column[:] = 0.0
    assert crowd["x"].tolist() == [1.0, 2.0, 9.0]
    assert crowd.read("x", agents=crowd["x"] > 1.5).tolist() == [2.0, 9.0]
    assert bad(lambda: crowd.read("y")) == "Npc has no field 'y'. Its fields: x."
    assert bad(lambda: crowd.write("x", [1.0, 2.0])) == (
        "'x' must be one value, or 3 of them, got an array of the shape (2,)."
    )
    assert bad(lambda: crowd.write("x", "a", agents=[0])).startswith(
        "The column 'x' must be float64"
    )
    assert bad(lambda: crowd.read("x", agents=[7])) == (
        "Crowd of 'Npc': there is no agent 7. It has 3, from 0 to 2."
    )
    assert bad(lambda: crowd.read("x", agents=0.5)) == (
        "agents must be a mask of 3 booleans, a list of indices or a state, got 0.5."
    )
