"""Random machines on a card that numba simulates: they do what they do in the processor."""

import sys
from collections.abc import Callable
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow


def loaded(path: Path) -> Any:
    spec = util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


HERE = Path(__file__).parent
machines = loaded(HERE.parent / "test_crowd_equals_machines.py")
Pair: Any = loaded(HERE / "pairs.py").Pair
written = machines.written
sums = loaded(HERE.parent / "test_crowd_any_expression.py")


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    blueprint=machines.blueprints(most=4),
    courses=st.lists(machines.steps, min_size=3, max_size=3),
    dtype=st.sampled_from(["float64", "float32"]),
)
def test_any_machine_is_the_same_on_a_card(
    written: Callable[[str], ModuleType], blueprint: Any, courses: Any, dtype: str
) -> None:
    machine = blueprint.machine(written(blueprint.functions()))
    for course in courses:
        pair = Pair(machine, 50, seed=3, dtype=dtype)
        for step in [machines.BEGIN, *course]:
            pair.both(lambda crowd, step=step: made(crowd, step))


def made(crowd: Any, step: tuple[Any, ...]) -> Any:
    """Make a step of a course; errors are raised."""
    kind, *rest = step
    if kind == "update":
        return crowd.update(rest[0])
    if kind == "level":
        crowd.world.level = rest[0]
        return None
    where = machines.chosen(len(crowd), rest[1])
    if kind == "send":
        return crowd.send_event(rest[0], where) if rest[0] in crowd.layout.events else None
    return crowd.start(crowd.layout.states[rest[0] % len(crowd.layout.states)], where)


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases=st.lists(sums.columns, min_size=40, max_size=40))
def test_any_expression_is_the_same_on_a_card(cases: list[tuple[str, str]]) -> None:
    known = [case for case in dict.fromkeys(cases) if sums.is_compiled(case)]
    some = slice(None, None, 9)
    given_columns = {name: values[some] for name, values in sums.GIVEN.items()}
    pair = Pair(sums.machine(known), len(given_columns["x"]), exact=False)
    for number in range(len(known)):
        for name, values in given_columns.items():
            pair.both(lambda crowd, name=name, values=values: crowd.write(name, values))
        pair.both(lambda crowd, name=f"S{number}": crowd.start(name))
        pair.both(lambda crowd: crowd.update(0.1))
