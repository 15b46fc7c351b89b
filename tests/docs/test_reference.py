"""Every public name is described whole: with an example that runs, and with what it raises."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any, Final, is_typeddict

import pytest

pytest.importorskip("numba")  # the reference lists what needs it

from making.names import MODULES, public_names

DOCS: Final = Path(__file__).parents[2] / "docs"
DESCRIBED: Final = (
    *MODULES,
    "fsmkit.polled",
    "fsmkit.reloading",
    "fsmkit.crowd.shards",
    "fsmkit.crowd.collector",
    "fsmkit.crowd.study",
)

ON_PAGES: Final = {
    "Composite": "writing_actions.md",
    "Explanation": "planning.md",
    "Reloader": "reloading.md",
    "ShardLostError": "crowd_shards.md",
    "ShardMismatchError": "crowd_shards.md",
    "Study": "crowd_studies.md",
    "StudyError": "crowd_studies.md",
    "TimedAction": "writing_actions.md",
    "UnknownAgentError": "crowds/one_by_one.md",
    "assert_replays": "testing.md",
    "reloaded": "reloading.md",
}
"""Names whose example needs files, several classes or processes, and stands on a page."""


def public_things() -> Iterator[tuple[str, Any]]:
    """Yield each public class and function with its name, once."""
    seen = set()
    for module in DESCRIBED:
        for name in public_names(module):
            thing = getattr(import_module(module), name)
            is_ours = getattr(thing, "__module__", "").startswith(("fsmkit", "actions"))
            is_described = is_ours and (inspect.isclass(thing) or inspect.isroutine(thing))
            if is_described and id(thing) not in seen:
                seen.add(id(thing))
                yield name, thing


def is_outline(thing: object) -> bool:
    """Whether a class only says what others must have: it is shown where they are taken."""
    return is_typeddict(thing) or getattr(thing, "_is_protocol", False)


def own_methods(thing: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the public methods that a class itself defines."""
    for name, method in vars(thing).items():
        function = inspect.unwrap(getattr(method, "__func__", method))
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


def has_example(thing: Any) -> bool:
    methods = [method for _, method in own_methods(thing)] if inspect.isclass(thing) else []
    return any(">>>" in (each.__doc__ or "") for each in (thing, *methods))


def test_every_public_name_has_an_example() -> None:
    without = {
        name for name, thing in public_things() if not (is_outline(thing) or has_example(thing))
    }
    assert without - set(ON_PAGES) == set()
    assert set(ON_PAGES) - without == set(), "they have an example: take them off the list"


@pytest.mark.parametrize(("name", "page"), ON_PAGES.items(), ids=ON_PAGES)
def test_an_example_on_a_page_is_there(name: str, page: str) -> None:
    assert re.search(rf"\b{name}\b", (DOCS / page).read_text("utf-8"))


def raised(function: Callable[..., object]) -> set[str]:
    """Return the errors that a function itself raises, but for those of a method to override."""
    [tree] = ast.parse(dedent(inspect.getsource(function))).body
    raises = (each.exc for each in ast.walk(tree) if isinstance(each, ast.Raise))
    calls = (each.func for each in raises if isinstance(each, ast.Call))
    names = {each.id for each in calls if isinstance(each, ast.Name)}
    return {name for name in names if name.endswith("Error")} - {"NotImplementedError"}


@pytest.mark.slow
def test_what_a_function_raises_is_documented() -> None:
    untold = []
    for name, thing in public_things():
        of_class = thing.__doc__ if inspect.isclass(thing) else ""
        functions = own_methods(thing) if inspect.isclass(thing) else [("", inspect.unwrap(thing))]
        for method, function in functions:
            if not inspect.isfunction(function):
                continue
            told = f"{of_class} {function.__doc__}"
            if raised(function) and not re.search(r"raise|Error", told):
                untold.append(f"{name}.{method}".rstrip("."))
    assert untold == []
