"""Architecture: who may import whom, the names that packages export, and how large the core is."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

import actions
import fsmkit

Graph: TypeAlias = dict[str, set[str]]

ROOT = Path(__file__).parents[1]

FLOORS = (
    {"core", "space", "terminal"},
    {"timing", "observer", "sound", "svg"},
    {"fsmkit", "pathfinding"},  # the first is the face: what `import fsmkit` shows
    {"introspection", "goap", "actions"},
    {"classic", "polled", "recording"},
    {"checking"},
    {"diagram", "exploring"},
    {"crowd", "engines", "reloading", "testing"},
    {"editing"},
    {"inspector"},
    {"cli", "pytest_plugin"},
    {"__main__", "freezing"},
)
"""The rooms, from the ground up. A room imports only what lies on a lower floor."""

CORE_CIRCLE = {
    "action", "definition", "fsm", "nested", "processing", "run", "state", "visit",
}  # fmt: skip
HONEST_CIRCLES = ({f"fsmkit.core.{name}" for name in CORE_CIRCLE},)
"""Files that name each other, as types: the core's nouns."""

PUBLIC_FILES = {
    "__init__", "__main__", "classic", "curves", "observer", "polled", "sound", "testing", "timing",
}  # fmt: skip
DOORS = {
    "checks.functions", "known_events", "words.notes", "words.parameters", "words.quoting",
    "words.suggestions",
}  # fmt: skip
"""What tools may import of the core, beside the checks of arguments, which all may."""

ARGUMENTS = "fsmkit.core.checks.arguments"
"""The one vocabulary of argument checks, which imports nothing of ours."""

NAMES_OF_TWO = {"Condition", "Finishes", "State", "Step", "Tile", "Transition"}
"""Type names with two homes: public in both, or repeated by actions, which import public names."""

TOOLS = {"checking", "diagram", "editing", "exploring", "recording", "inspector", "reloading"}
BASE = {"attrs", "typing_extensions"}
FOR_ACTIONS = {"fsmkit", "fsmkit.sound", "fsmkit.space", "fsmkit.timing"}
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


CORE = modules("fsmkit/core")
STORY = [ROOT / f"fsmkit/core/{name}.py" for name in ("visit", "processing", "run", "fsm")]
"""What tells the story of an event."""

EVERY_FILE = (*modules("fsmkit"), *modules("actions"))
CORE_AND_ACTIONS = (*CORE, *modules("actions"))


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


EVERY_MODULE = {module_of(path): path for path in EVERY_FILE}


def room_of(path: Path) -> str:
    """The room that a file belongs to: a folder or a file of `fsmkit`, or the package `actions`."""
    package, *inside = path.relative_to(ROOT).with_suffix("").parts
    if package == "fsmkit" and inside != ["__init__"]:
        return inside[0]
    return package


def room_of_module(module: str) -> str:
    return room_of(ROOT / module.replace(".", "/") / "__init__.py") if "." in module else module


@cache
def imported_modules(path: Path) -> frozenset[str]:
    """The modules that a file imports, wherever it does so."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = {f"{node.module}.{name.name}" for name in node.names}
            found |= names & EVERY_MODULE.keys()
            if names - EVERY_MODULE.keys():
                found.add(str(node.module))
    return frozenset(found)


def ours_in(path: Path) -> set[str]:
    """The modules of ours that a file imports."""
    return set(filter(is_ours, imported_modules(path)))


def packages_in(path: Path) -> set[str]:
    """The packages of others that a file imports, those of Python aside."""
    return {m.partition(".")[0] for m in filter(is_third_party, imported_modules(path))}


def others_in(files: Iterable[Path], *prefixes: str) -> dict[str, set[str]]:
    """File -> the modules of ours that it imports, but for those that begin with a prefix."""
    return faults({p: {m for m in ours_in(p) if not m.startswith(prefixes)} for p in files})


def faults(found: Mapping[Path, set[str]]) -> dict[str, set[str]]:
    """File -> what it must not import, of those files that do."""
    return {str(path.relative_to(ROOT)): modules for path, modules in found.items() if modules}


def imports_between_files() -> Graph:
    """Module -> the modules of ours that it imports, for its types as well."""
    return {
        module: ours_in(path) & EVERY_MODULE.keys() - {module}
        for module, path in EVERY_MODULE.items()
    }


def circles(graph: Graph) -> list[set[str]]:
    """The groups whose members all lead to each other, by whatever way."""
    reach = {node: reached(graph, node) for node in graph}
    groups = {frozenset(n for n in reach[node] if node in reach.get(n, ())) for node in graph}
    return [set(group) for group in groups if len(group) > 1]


def reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for node in graph.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def private_attributes_of_others(path: Path) -> Iterator[ast.Attribute]:
    """Yield the places where a file touches `_name` of anything but `self` and `cls`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr):
            owner = node.value
            if node.attr == "_replace":  # a public method of named tuples
                continue
            if not (isinstance(owner, ast.Name) and owner.id in {"self", "cls"}):
                yield node


def type_names(path: Path) -> Iterator[str]:
    """The classes and type aliases that a file defines."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and getattr(node.annotation, "id", "") == "TypeAlias":
            assert isinstance(node.target, ast.Name)
            yield node.target.id


def lines_of_code(path: Path) -> int:
    """How many lines have a token that is neither a comment nor in a docstring."""
    source = path.read_text(encoding="utf-8")
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                code.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(code)


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in {"fsmkit", "actions"}


def is_third_party(module: str) -> bool:
    return not is_ours(module) and module.partition(".")[0] not in sys.stdlib_module_names


@pytest.mark.slow
def test_no_import_runs_back_up() -> None:
    floors = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

    def upwards(path: Path) -> set[str]:
        here = room_of(path)
        rooms = {module: room_of_module(module) for module in ours_in(path)}
        return {m for m, there in rooms.items() if there != here and floors[there] >= floors[here]}

    assert faults({path: upwards(path) for path in EVERY_FILE}) == {}


@pytest.mark.slow
def test_files_that_import_each_other_are_few_and_known() -> None:
    found = circles(imports_between_files())
    assert sorted(map(sorted, found)) == sorted(map(sorted, HONEST_CIRCLES))
    assert len(CORE_CIRCLE) <= 8


@pytest.mark.slow
def test_a_type_name_means_one_thing() -> None:
    """But for adapters, one an engine, what a crowd has as actions are named, and public names."""
    defined: defaultdict[str, set[str]] = defaultdict(set)
    for module, path in EVERY_MODULE.items():
        for name in type_names(path):
            defined[name].add("engines" if room_of(path) == "engines" else module)
    several = {name: homes for name, homes in defined.items() if len(homes) > 1}
    twins = {name for name in several if {"fsmkit.crowd.library"} < several[name]}
    assert several.keys() - twins == NAMES_OF_TWO


def test_what_lies_directly_in_the_package_is_public() -> None:
    assert {path.stem for path in (ROOT / "fsmkit").glob("*.py")} == PUBLIC_FILES


@pytest.mark.slow
def test_the_core_imports_only_itself() -> None:
    assert others_in(CORE, "fsmkit.core") == {}


def test_the_story_of_an_event_stays_short() -> None:
    assert sum(map(lines_of_code, STORY)) <= 900


def test_a_machine_has_few_fields() -> None:
    kinds = [kind for kind in fsmkit.Fsm.__mro__ if is_ours(kind.__module__)]
    assert all("__slots__" in vars(kind) for kind in kinds), "no field stands anywhere else"
    assert len([slot for kind in kinds for slot in vars(kind)["__slots__"]]) <= 24


def test_an_action_has_few_names_that_a_game_cannot_use() -> None:
    assert len([name for name in dir(fsmkit.FsmAction) if not name.startswith("_")]) <= 25


@pytest.mark.slow
def test_the_files_of_the_core_keep_out_of_each_other() -> None:
    """The private attributes of others that they touch, and those that they write."""
    touched = [node for path in CORE for node in private_attributes_of_others(path)]
    assert len(touched) <= 60
    assert len([node for node in touched if not isinstance(node.ctx, ast.Load)]) <= 6


def test_the_kernel_does_not_grow() -> None:
    """Rather delete something: see docs/decisions/kernel.md."""
    assert len((ROOT / "fsmkit/core/_kernel.c").read_text("utf-8").splitlines()) < 900


@pytest.mark.slow
def test_path_finding_knows_no_machine() -> None:
    files = modules("fsmkit/pathfinding")
    assert others_in(files, "fsmkit.pathfinding.", "fsmkit.svg.", ARGUMENTS) == {}
    optional = {
        "image": {"PIL"},
        "numba_packages": {"numba", "numpy"},
        "flow_field": {"numpy"},
        "tiled_files": {"pytmx"},
    }
    allowed = {path: BASE | optional.get(path.stem, set()) for path in files}
    assert faults({path: packages_in(path) - allowed[path] for path in files}) == {}


def test_planning_knows_no_machine() -> None:
    files = sorted((ROOT / "fsmkit/goap").glob("[!_]*.py"))
    assert others_in(files, "fsmkit.goap", ARGUMENTS) == {}


@pytest.mark.slow
def test_tools_enter_the_core_by_its_doors_and_by_each_of_them() -> None:
    files = [path for tool in TOOLS for path in modules(f"fsmkit/{tool}")]
    used = {
        path: {m.removeprefix("fsmkit.core.") for m in ours_in(path) if m.startswith("fsmkit.core")}
        for path in files
    }
    arguments = {"checks", "checks.arguments"}
    assert faults({path: used[path] - DOORS - arguments for path in files}) == {}
    assert DOORS - set().union(*used.values()) == set()


@pytest.mark.slow
def test_fsmkit_never_imports_actions() -> None:
    assert others_in(modules("fsmkit"), "fsmkit") == {}


@pytest.mark.slow
def test_actions_import_only_the_public_names() -> None:
    ours = {path: ours_in(path) for path in modules("actions")}
    used = {path: {m for m in ours[path] if not m.startswith("actions")} for path in ours}
    assert faults({path: used[path] - FOR_ACTIONS for path in used}) == {}


@pytest.mark.slow
def test_core_and_actions_need_no_package_but_the_base_ones() -> None:
    assert faults({path: packages_in(path) - BASE for path in CORE_AND_ACTIONS}) == {}


@pytest.mark.slow
def test_core_and_actions_read_no_clock_and_roll_no_dice() -> None:
    sources = {"time", "datetime", "secrets"}
    assert faults({path: sources & imported_modules(path) for path in CORE_AND_ACTIONS}) == {}
    rolling = [path for path in CORE_AND_ACTIONS if "random.random(" in path.read_text("utf-8")]
    assert rolling == []


def test_the_face_of_fsmkit() -> None:
    assert sorted(fsmkit.__all__) == sorted(
        [
            "Fsm",
            "FsmState",
            "FsmAction",
            "FsmGroup",
            "FINISHED",
            "FAILED",
            "ERROR",
            "FsmError",
            "UnknownStateError",
            "DuplicateStateError",
            "DuplicateTransitionError",
            "ActionOwnershipError",
            "UnhandledEventError",
            "TransitionOnExitError",
            "TransitionLoopError",
            "TimeReference",
            "BACK",
            "Transition",
            "StateGroup",
            "Event",
        ]
    )
    errors = [getattr(fsmkit, name) for name in fsmkit.__all__ if name.endswith("Error")]
    assert all(issubclass(error, fsmkit.FsmError) for error in errors)


def test_completions_show_public_names_only() -> None:
    assert set(dir(fsmkit)) == {*fsmkit.__all__, "__version__"}
    assert set(dir(actions)) == set(actions.__all__)


def test_every_action_is_exported_by_its_name() -> None:
    for name in set(actions.__all__) - {"HOST"}:
        assert getattr(actions, name).__name__ == name


def modules_after(statement: str, *options: str) -> set[str]:
    """The modules that are loaded after a statement in a new interpreter."""
    code = f"import sys; {statement}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(result.stdout.split())


@pytest.mark.slow
def test_importing_the_libraries_loads_nothing_heavy() -> None:
    loaded = modules_after("import fsmkit; from actions import *")
    assert not loaded & {"asyncio", "logging", "argparse", "numpy", "glm", "pygame", "panda3d"}


@pytest.mark.slow
def test_the_engine_alone_loads_no_other_package_and_none_that_takes_long() -> None:
    heavy = {"ast", "attr", "attrs", "inspect", "pathlib", "typing_extensions"}
    assert not modules_after("import fsmkit, actions", "-S") & heavy


@pytest.mark.slow
def test_an_action_is_imported_when_it_is_named() -> None:
    loaded = {name for name in modules_after("import actions; actions.Log") if "actions." in name}
    assert {name for name in loaded if "parts" not in name} == {"actions.definition", "actions.log"}


PARTS = {"transitions", "global_transitions", "actions", "children"}
"""What is gone through of a machine, a state or an action, by the names of the attributes.

The states of a machine count only if they are met themselves, by `.values()` or `.items()`: many
lists of names are made of the mapping alone.
"""

OTHER_OWNERS = {
    "dataset", "header", "node", "pairing", "plan", "planning", "problem", "record", "self",
    "shape", "walk",
}  # fmt: skip
"""Variables with such an attribute that are no part of a machine: a node of a picture, a plan."""

LOOPS = {
    "chain", "enumerate", "filter", "from_iterable", "fromkeys", "iter", "list", "map", "reversed",
    "set", "sorted", "tuple", "zip",
}  # fmt: skip
"""The calls that go through what they are given; others only pass it on."""

WALKERS = {
    "fsmkit/classic.py": "states and transitions of its own, whose names are members of an Enum",
    "fsmkit/polled.py": "states and transitions of its own, which no event takes",
    "fsmkit/crowd/engine/interpreted.py": "runs the actions of a state, as the core does",
    "fsmkit/goap/agent/body.py": "on the floor of introspection: the actions of its own machine",
    "fsmkit/goap/agent/journey.py": "on the floor of introspection: whether an action is blocked",
    "fsmkit/goap/agent/plan_execution.py": "on the floor of introspection: the body's actions",
}
"""The files that walk through a machine themselves, and why they do not ask introspection."""


def walked_parts(path: Path) -> Iterator[str]:
    """Yield the loops over parts of a machine; to look one up by its name is none."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts, names = [], PARTS
        match node:
            case ast.Call(func=ast.Attribute(value=part, attr="values" | "items")):
                parts, names = [part], PARTS | {"states"}
            case ast.For(iter=part) | ast.comprehension(iter=part) | ast.Starred(value=part):
                parts = [part]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in LOOPS:
                parts = node.args
        for part in (each for each in parts if isinstance(each, ast.Attribute)):
            owner = ast.unparse(part.value).rpartition(".")[2]
            if part.attr in names and owner not in OTHER_OWNERS:
                yield f"{part.lineno}: {ast.unparse(part)}"


@pytest.mark.slow
def test_machines_are_walked_by_introspection_and_few_others() -> None:
    """Tools ask `fsmkit.introspection.walk`, and do not loop over states and actions themselves."""
    files = [p for p in EVERY_FILE if room_of(p) not in {"actions", "core", "introspection"}]
    found = faults({path: set(walked_parts(path)) for path in files})
    assert {file: loops for file, loops in found.items() if file not in WALKERS} == {}
    assert found.keys() == WALKERS.keys(), "one of them walks no more: take it out of the list"
    assert len(WALKERS) <= 6
