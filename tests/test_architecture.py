"""Architecture: who may import whom, and the names that the packages export.

`python tests/test_architecture.py [FOLDER]` prints the figures of the layout, here or in another
copy of the project.
"""

import ast
import re
import subprocess
import sys
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
    {"tooling", "goap", "engines", "actions"},
    {"classic", "polled", "recording"},
    {"checking"},
    {"diagram", "exploring"},
    {"crowd", "reloading", "testing"},
    {"inspector"},
    {"cli", "pytest_plugin"},
    {"__main__"},
)
"""The rooms, from the ground up. A room imports only what lies on a lower floor."""

CORE_CIRCLE = {
    "action", "copying", "deciding", "definition", "elsewhere", "fsm", "messages", "observers",
    "parameters", "processing", "run", "running", "state", "suggestions", "suspension",
    "transition", "visit",
}  # fmt: skip
HONEST_CIRCLES = (
    {f"fsmkit.core.{name}" for name in CORE_CIRCLE},
    {"fsmkit.pathfinding.graph", "fsmkit.pathfinding.graph_search"},
    {
        f"fsmkit.pathfinding.{name}"
        for name in (
            "compiled.engine",
            "compiled.search",
            "engines",
            "flow_field",
            "grid",
            "grid_search",
            "python_search",
        )
    },
)
"""Files that name each other, as types: the core's nouns, and two things with their searches."""

OLD_CORE = (
    "action", "context", "deciding", "definition", "delivery", "errors", "failing", "finishing",
    "fsm", "observer", "phase", "state", "visit",
)  # fmt: skip
"""The place of the core in 0.1.0, for `print_figures`."""

PUBLIC_FILES = {
    "__init__", "__main__", "classic", "observer", "polled", "sound", "testing", "timing",
}  # fmt: skip
DOORS = {"functions", "parameters", "quoting", "run_state", "suggestions"}  # of the core, for tools
TOOLS = {"checking", "diagram", "exploring", "recording", "inspector", "reloading"}
BASE = {"attrs", "typing_extensions"}
FOR_ACTIONS = {"fsmkit", "fsmkit.sound", "fsmkit.space", "fsmkit.timing"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


EVERY_FILE = (*modules("fsmkit"), *modules("actions"))
CORE_AND_ACTIONS = (*modules("fsmkit/core"), *modules("actions"))


def room_of(path: Path, root: Path) -> str:
    """The room that a file belongs to: a folder or a file of `fsmkit`, or the package `actions`."""
    package, *inside = path.relative_to(root).with_suffix("").parts
    if package == "fsmkit" and inside != ["__init__"]:
        return inside[0]
    return package


def room_of_module(module: str, root: Path) -> str:
    return (
        room_of(root / module.replace(".", "/") / "__init__.py", root) if "." in module else module
    )


@cache
def imported_modules(path: Path) -> frozenset[str]:
    """The modules that a file imports, wherever it does so."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
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


def imports_between_files(root: Path) -> Graph:
    """Module -> the modules of ours that it imports."""
    files = [*(root / "fsmkit").rglob("*.py"), *(root / "actions").rglob("*.py")]
    names = {".".join(path.relative_to(root).with_suffix("").parts): path for path in files}
    return {
        name: {module for module in imported_modules(path) if module in names} - {name}
        for name, path in names.items()
    }


def imports_between_rooms(root: Path) -> Graph:
    """Room -> the rooms that it imports."""
    rooms: Graph = {}
    for package in ("fsmkit", "actions"):
        for path in (root / package).rglob("*.py"):
            room = room_of(path, root)
            ours = filter(is_ours, imported_modules(path))
            rooms.setdefault(room, set()).update(
                {room_of_module(module, root) for module in ours} - {room}
            )
    return rooms


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
            if not (isinstance(owner, ast.Name) and owner.id in {"self", "cls"}):
                yield node


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in {"fsmkit", "actions"}


def is_third_party(module: str) -> bool:
    return not is_ours(module) and module.partition(".")[0] not in sys.stdlib_module_names


def test_no_import_runs_back_up() -> None:
    floors = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

    def upwards(path: Path) -> set[str]:
        here = room_of(path, ROOT)
        rooms = {module: room_of_module(module, ROOT) for module in ours_in(path)}
        return {m for m, there in rooms.items() if there != here and floors[there] >= floors[here]}

    assert faults({path: upwards(path) for path in EVERY_FILE}) == {}


def test_files_that_import_each_other_are_few_and_known() -> None:
    found = circles(imports_between_files(ROOT))
    assert sorted(map(sorted, found)) == sorted(map(sorted, HONEST_CIRCLES))


def test_what_lies_directly_in_the_package_is_public() -> None:
    assert {path.stem for path in (ROOT / "fsmkit").glob("*.py")} == PUBLIC_FILES


def test_the_core_imports_only_itself() -> None:
    assert others_in(modules("fsmkit/core"), "fsmkit.core") == {}


def test_path_finding_knows_no_machine() -> None:
    files = modules("fsmkit/pathfinding")
    assert others_in(files, "fsmkit.pathfinding.", "fsmkit.svg.") == {}
    optional = {
        "image": {"PIL"},
        "packages": {"numba", "numpy"},
        "tables": {"numpy"},
        "tiled": {"pytmx"},
        "tmx_file": {"pytmx"},
    }
    allowed = {path: BASE | optional.get(path.stem, set()) for path in files}
    assert faults({path: packages_in(path) - allowed[path] for path in files}) == {}


def test_planning_knows_no_machine() -> None:
    assert others_in(sorted((ROOT / "fsmkit/goap").glob("[!_]*.py")), "fsmkit.goap") == {}


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_tools_import_the_core_by_its_public_names(tool: str) -> None:
    allowed = {f"fsmkit.core.{door}" for door in DOORS}
    for path in modules(f"fsmkit/{tool}"):
        inside = {m for m in imported_modules(path) if m.startswith("fsmkit.core")}
        assert inside <= allowed, path


def test_fsmkit_never_imports_actions() -> None:
    assert others_in(modules("fsmkit"), "fsmkit") == {}


def test_actions_import_only_the_public_names() -> None:
    ours = {path: ours_in(path) for path in modules("actions")}
    used = {path: {m for m in ours[path] if not m.startswith("actions")} for path in ours}
    assert faults({path: used[path] - FOR_ACTIONS for path in used}) == {}


def test_core_and_actions_need_no_package_but_the_base_ones() -> None:
    assert faults({path: packages_in(path) - BASE for path in CORE_AND_ACTIONS}) == {}


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


def test_importing_the_libraries_loads_nothing_heavy() -> None:
    code = "import sys, fsmkit, actions; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split())
    assert not loaded & {"asyncio", "logging", "argparse", "numpy", "glm", "pygame", "panda3d"}


def print_figures(root: Path) -> None:
    core = [*(root / "fsmkit/core").glob("*.py")] or [
        root / f"fsmkit/{name}.py" for name in OLD_CORE
    ]
    touched = [node for path in core for node in private_attributes_of_others(path)]
    rooms = imports_between_rooms(root)
    in_circles = circles(rooms)
    print(f"{len([*(root / 'fsmkit').glob('*.py')]):4} files directly in fsmkit/")
    print(f"{len([*(root / 'actions').glob('*.py')]):4} files directly in actions/")
    print(f"{len(rooms):4} rooms")
    print(f"{sum(map(len, rooms.values())):4} arrows between rooms")
    print(f"{back_up(rooms):4} of them run back up")
    print(f"{len(in_circles):4} circles of rooms, with {sum(map(len, in_circles))} rooms in them")
    print(f"{len(circles(imports_between_files(root))):4} circles of files")
    print(f"{len(touched):4} private attributes of others touched in the core")
    print(f"{sum(isinstance(n.ctx, ast.Store | ast.Del) for n in touched):4} of them written")


def back_up(graph: Graph) -> int:
    """Return how many arrows remain that lead back to where one comes from."""
    arrows = 0
    open_: list[str] = []
    seen: set[str] = set()

    def walk(node: str) -> None:
        nonlocal arrows
        seen.add(node)
        open_.append(node)
        for other in sorted(graph.get(node, ())):
            if other in open_:
                arrows += 1
            elif other not in seen:
                walk(other)
        open_.pop()

    for node in sorted(graph):
        if node not in seen:
            walk(node)
    return arrows


if __name__ == "__main__":
    print_figures(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
