"""A crowd on a GPU beside one in a thread of the processor: are all bits the same, and how fast.

    python tests/benchmarks/crowd/on_a_card.py                   1 and 10 million agents, on a card
    python tests/benchmarks/crowd/on_a_card.py --sizes 200000    other sizes
    python tests/benchmarks/crowd/on_a_card.py --ptx             compiles only; needs no card

Needs `pip install 'fsmkit[cuda]'`, and the toolkit as packages (`numba-cuda[cu12]` or `[cu13]`)
unless CUDA is installed. With NUMBA_ENABLE_CUDASIM=1 numba simulates the card: with `--sizes 100
--steps 5` that tries the script itself; its times mean nothing. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from statistics import median
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from fsmkit_crowd import Npc, World, make_machine
from scenario import DT, STATES, beginning, player_at

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, random
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout

FIELDS: Final = ("x", "y", "vx", "vy", "elapsed")
ROUNDS: Final = 7
COMPUTE_CAPABILITY: Final = (8, 0)
"""The card that `--ptx` compiles for."""


def stray(npc: Npc, world: Any) -> None:
    npc.x += (random(npc) - 0.5) * npc.vy * world.dt
    npc.y += npc.x % 3.0 / 7.0


def divide(npc: Npc, world: Any) -> None:
    npc.elapsed += 1e-9 / (npc.x - world.player_x) + (npc.x // 2.5) * 1e-6


def light() -> CrowdFsm:
    """The machine of the other benchmarks."""
    return make_machine()


def drawing() -> CrowdFsm:
    """The same, and everyone draws a number in every step, and takes a remainder."""
    machine = make_machine()
    for state in machine.states.values():
        state.add_action(CrowdAction(on_update=stray))
    return machine


def failing() -> CrowdFsm:
    """The same, with a division that raises for some agents, who are left to the processor."""
    machine = make_machine()
    machine.states["Wait"].add_action(CrowdAction(on_update=divide))
    return machine


MACHINES: Final[dict[str, Callable[[], CrowdFsm]]] = {
    "light": light, "drawing": drawing, "failing": failing,
}  # fmt: skip


def made(machine: CrowdFsm, size: int, target: str) -> Crowd:
    """Return a crowd at its beginning."""
    crowd = Crowd(machine, size, seed=7, target=target)  # type: ignore[arg-type]
    states, *columns = beginning(size)
    for index, name in enumerate(STATES):
        crowd.start(name, where=states == index)
    for name, column in zip(FIELDS, columns, strict=True):
        crowd.write(name, column)
    crowd.write("x", player_at(3, 1)[0][0], agents=slice(0, size, 29))  # some raise in step 3
    return crowd


def told(error: BaseException) -> Any:
    """Return what an error shows."""
    inner = [told(each) for each in getattr(error, "exceptions", ())]
    return type(error).__name__, str(error), getattr(error, "__notes__", []), inner


def stepped(crowd: Crowd, player: tuple[float, float]) -> Any:
    """Make a step, and an event for every third agent; return the errors."""
    crowd.world.player_x, crowd.world.player_y = player
    errors = []
    for call in (
        lambda: crowd.update(DT),
        lambda: crowd.send_event("LOST_PLAYER", where=np.arange(0, len(crowd), 3)),
    ):
        try:
            call()
        except Exception as error:
            errors.append(told(error))
    return errors


def differences(one: Crowd, other: Crowd) -> Iterator[str]:
    """Yield the columns that differ in a bit; every NaN is the same."""
    columns: list[tuple[str, Any, Any]] = [
        (name, one.read(name), other.read(name)) for name in FIELDS
    ]
    columns += [("states", one.states, other.states), ("ids", one.ids, other.ids)]
    columns.append(("time_in_state", one.time_in_state, other.time_in_state))
    for name, mine, theirs in columns:
        same = mine.view(np.uint8) == theirs.view(np.uint8)
        same = same.reshape(len(mine), -1).all(axis=1)
        if mine.dtype.kind == "f":
            same |= np.isnan(mine) & np.isnan(theirs)
        if not same.all():
            first = int(np.argmin(same))
            yield (
                f"{name} of {np.count_nonzero(~same):,} agents, the first is {first}: "
                f"{mine[first]!r} and {theirs[first]!r}"
            )


def compared(name: str, size: int, steps: int) -> list[str]:
    """Return what differs between the processor and the card."""
    here, card = (made(MACHINES[name](), size, target) for target in ("cpu", "cuda"))
    failures = 0
    for step, player in enumerate(player_at(0, steps)):
        errors = stepped(here, player)
        failures += bool(errors)
        if stepped(card, player) != errors:
            return [f"{name}, step {step}: the errors differ"]
        if found := list(differences(here, card)):
            return [f"{name}, step {step}: {each}" for each in found]
    print(f"{name:8} {size:>12,} agents, {steps} steps: all bits are the same; {failures} errors")
    return []


def timed(name: str, size: int, steps: int) -> None:
    """Print the nanoseconds that an agent takes in a step, in turn in the processor and there."""
    crowds = {target: made(MACHINES[name](), size, target) for target in ("cpu", "cuda")}
    taken: dict[str, list[float]] = {target: [] for target in crowds}
    for crowd in crowds.values():
        crowd.update(DT, steps=8)
    for _ in range(ROUNDS):
        for target, crowd in crowds.items():
            begun = perf_counter()
            crowd.update(DT, steps=steps)
            taken[target].append((perf_counter() - begun) / steps / size * 1e9)
    here, card = median(taken["cpu"]), median(taken["cuda"])
    print(
        f"{name:8} {size:>12,} agents: one thread {here:7.3f} ns, card {card:7.3f} ns an agent and "
        f"step (medians of {ROUNDS}); {here / card:.1f} times as fast"
    )


def fused(ptx: str) -> list[str]:
    """Return the operations that round once where the loops round twice."""
    return re.findall(r"^\s*(?:@\S+\s+)?(fma\.\S*f(?:32|64)[^;]*);", ptx, re.MULTILINE)


def checked_assembly(name: str, ptx: str) -> list[str]:
    """Print what a machine's kernels are made of; return what must not be there.

    Only remainders have products that may be fused: those of `fmod`, which are exact.
    """
    if not ptx:
        print(f"{name:8} kernels: simulated")
        return []
    counts = {
        each: len(re.findall(rf"^\s*(?:@\S+\s+)?{re.escape(each)}", ptx, re.MULTILINE))
        for each in ("mul.rn.f64", "mul.f64", "add.f64", "sub.f64", "div.rn.f64", "sqrt.rn.f64")
    }
    print(f"{name:8} kernels: {len(fused(ptx))} fused, {counts}")
    found = [f"{name}: {each} is fused" for each in fused(ptx)]
    if name == "light" and counts["mul.f64"]:
        found.append(f"{name}: {counts['mul.f64']} products may be fused")
    return found


def ptx_of(name: str) -> str:
    """Return the PTX of a machine's kernels, compiled without a card."""
    from cuda.pathfinder import DynamicLibNotFoundError

    from fsmkit.crowd.cuda.engine import cuda
    from fsmkit.crowd.cuda.kernel_text import KernelText

    types, dispatcher = cuda.types, cuda.dispatcher
    # Functions ask the card for what it can do; nothing else asks it.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)
    kernels = KernelText(Emitter(Layout(MACHINES[name]())).plan(), is_simulated=False)
    space: dict[str, Any] = {}
    text = kernels.text.replace("kernel = cuda.jit(cache=True)", "kernel = lambda f: f")
    exec(compile(text, name, "exec"), space)
    arrays = {"state": types.int8, "ids": types.int64, "count": types.int64}
    arrays |= dict.fromkeys(("left", "where", "moved"), types.boolean)
    parts = []
    for kernel in kernels.written:
        kinds = [
            types.int64 if each in ("event", "seed", "step")
            else types.float64 if each == "now" or each.startswith("world_")
            else arrays.get(each, types.float64)[::1]
            for each in signature(space[kernel]).parameters
        ]  # fmt: skip
        try:
            parts.append(cuda.compile_ptx(space[kernel], tuple(kinds), cc=COMPUTE_CAPABILITY)[0])
        except DynamicLibNotFoundError:
            raise CrowdError(
                "--ptx needs no card, but the CUDA toolkit: pip install 'numba-cuda[cu12]' (or "
                "'numba-cuda[cu13]')."
            ) from None
    return "\n".join(parts)


def assembly_on_the_card(name: str) -> str:
    """Return the PTX of the kernels that the card has run."""
    from fsmkit.crowd.cuda.engine import CudaEngine, is_simulated

    plan = Emitter(layout := Layout(MACHINES[name]())).plan()
    engine = CudaEngine(layout, plan, 1_000, 7, 1, exact=True)
    world = layout.world_values(World(), DT)
    engine.update(world)
    engine.change(np.ones(1_000, np.bool_), 0, world, np.zeros(1_000, np.bool_))
    if is_simulated():
        return ""
    kernels = (getattr(engine._module, each) for each in engine._kernels.written)
    return "\n".join(text for each in kernels for text in each.inspect_asm().values())


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares a crowd on a card with one here.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--ptx", action="store_true", help="compile only, without a card")
    options = parser.parse_args()
    if options.ptx and os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
        parser.error("the simulator compiles nothing: leave NUMBA_ENABLE_CUDASIM out.")
    found: list[str] = []
    try:
        for name in MACHINES:
            ptx = ptx_of(name) if options.ptx else assembly_on_the_card(name)
            found += checked_assembly(name, ptx)
        for size in () if options.ptx else options.sizes:
            for name in MACHINES:
                found += compared(name, size, options.steps)
            for name in ("light", "drawing"):
                timed(name, size, options.steps)
    except CrowdError as error:
        print(error)
        return 2
    print("\n".join(found) or "Nothing differs.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
