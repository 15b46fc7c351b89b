"""The text of kernels: what must not be in it, so that a card gives the same bits."""

import ast
import math
import re

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, random
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.cuda.kernel_functions import COMMON, ON_A_CARD
from fsmkit.crowd.cuda.kernel_text import KernelText


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    n: int = 0
    ok: bool = False


def slope(npc, left):
    return math.sqrt(left * npc.y) / npc.x


def move(npc, world):
    npc.x += npc.y * world.dt - slope(npc, 2.0) % 3.0
    npc.n = npc.n * 3 // 2
    npc.y = npc.x / 4.0 + npc.x / 10.0 + math.radians(npc.y) * 0.5
    if slope(npc, npc.y) > random(npc):
        return "GO"
    return None


def leave(npc, world):
    npc.n = npc.n % 3 if slope(npc, 1.0) > 0.5 else 7


def kernels(is_float32: bool = False) -> KernelText:
    machine = CrowdFsm("Npc", Npc)
    first, second = machine.add_state("First"), machine.add_state("Second")
    first.add_action(CrowdAction(on_update=move, on_exit=leave))
    first.add_transition("GO", second)
    plan = Emitter(Layout(machine, is_float32=is_float32)).plan()
    return KernelText(plan, is_simulated=False)


def own_functions(text: str) -> list[ast.FunctionDef]:
    """The functions that were made of the loops, not those of every kernel."""
    given = {each.name for part in (ON_A_CARD, COMMON) for each in ast.parse(part).body
             if isinstance(each, ast.FunctionDef)}  # fmt: skip
    return [
        each
        for each in ast.parse(text).body
        if isinstance(each, ast.FunctionDef) and each.name not in given
    ]


def test_no_operator_is_left_that_could_be_fused_or_raise() -> None:
    functions = own_functions(kernels().text)
    assert [each.name for each in functions][-2:] == ["update", "change"]
    left = {
        ast.unparse(node)
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Raise)
        or (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow))
        )
    }
    assert left == set()


def test_there_are_neither_notes_nor_places_nor_trails() -> None:
    for function in own_functions(kernels().text):
        names = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)}
        names |= {each.arg for each in function.args.args}
        assert not names & {"notes", "trails", "place", "_note"}, function.name


def test_a_division_by_a_power_of_two_is_a_product() -> None:
    text = kernels().text
    assert "multiply(npc_x_of_i, 0.25) + fraction(npc_x_of_i, 10.0)" in text


def test_a_condition_that_may_raise_stays() -> None:
    [update, change] = own_functions(kernels().text)[-2:]
    calls = [
        n for n in ast.walk(update) if isinstance(n, ast.If) and "call_slope" in ast.unparse(n.test)
    ]
    assert len(calls) == 1
    assert "call_slope" in ast.unparse(change)


def test_cells_are_rounded_as_their_columns_are() -> None:
    assert re.findall(r"npc_x_of_i = (\S+?)\(", kernels().text)[0] == "np.float64"
    assert set(re.findall(r"npc_x_of_i = (\S+?)\(", kernels(True).text)) == {"np.float32"}


def test_written_columns_are_known() -> None:
    written = kernels().written
    assert written["update"] == {"state", "entered_at", "npc_x", "npc_y", "npc_n"}
    assert "ids" not in written["change"]


def test_a_loop_that_does_more_is_refused() -> None:
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("First")
    plan = Emitter(Layout(machine)).plan()
    object.__setattr__(plan, "text", plan.text.replace("now, seed", "now, others, seed"))
    with pytest.raises(CrowdError, match="its loop 'update' needs 'others', which a GPU does"):
        KernelText(plan, is_simulated=False)
    assert Crowd(machine, 1).source
