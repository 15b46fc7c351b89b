"""Who may import whom, and what the packages show of themselves."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import actions
import fsmkit

ROOT = Path(__file__).parents[1]
CORE = {
    "action", "context", "deciding", "definition", "delivery", "errors", "failing", "finishing",
    "fsm", "observer", "parameters", "phase", "run_state", "state", "visit",
}  # fmt: skip
FREE = {"errors", "observer"}  # import nothing of ours
TOOLS = {"checking", "diagram", "recording", "inspector"}
BASE = {"attrs", "typing_extensions"}
FOR_ACTIONS = {"fsmkit", "fsmkit.space", "fsmkit.timing"}


def imported_modules(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield str(node.module)


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def is_third_party(module: str) -> bool:
    return module.partition(".")[0] not in {*sys.stdlib_module_names, "fsmkit", "actions"}


@pytest.mark.parametrize("name", sorted(CORE))
def test_core_files_import_only_each_other(name: str) -> None:
    ours = {m for m in imported_modules(ROOT / f"fsmkit/{name}.py") if m.startswith("fsmkit")}
    assert ours <= ({f"fsmkit.{core}" for core in CORE} if name not in FREE else set())


@pytest.mark.parametrize("path", modules("fsmkit/pathfinding"), ids=lambda path: path.stem)
def test_path_finding_knows_no_machine(path: Path) -> None:
    ours = {m for m in imported_modules(path) if m.startswith("fsmkit")}
    assert all(module.startswith("fsmkit.pathfinding.") for module in ours)
    assert not {m for m in imported_modules(path) if is_third_party(m)}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "fsmkit/goap").glob("[!_]*.py")), ids=lambda path: path.stem
)
def test_planning_knows_no_machine(path: Path) -> None:
    ours = {m for m in imported_modules(path) if m.startswith("fsmkit")}
    assert all(module.startswith("fsmkit.goap") for module in ours)


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_tools_import_nothing_inside_the_core(tool: str) -> None:
    inside = {f"fsmkit.{core}" for core in CORE} - {"fsmkit.parameters", "fsmkit.run_state"}
    for path in modules(f"fsmkit/{tool}"):
        assert not set(imported_modules(path)) & inside, path


@pytest.mark.parametrize("path", modules("fsmkit"), ids=lambda path: path.stem)
def test_fsmkit_never_imports_actions(path: Path) -> None:
    assert not {m for m in imported_modules(path) if m.partition(".")[0] == "actions"}


@pytest.mark.parametrize("path", modules("actions"), ids=lambda path: path.stem)
def test_actions_import_only_the_public_names(path: Path) -> None:
    ours = {m for m in imported_modules(path) if m.startswith("fsmkit")}
    assert ours <= FOR_ACTIONS


@pytest.mark.parametrize(
    "path", [*(ROOT / f"fsmkit/{name}.py" for name in sorted(CORE)), *modules("actions")],
    ids=lambda path: f"{path.parent.name}.{path.stem}",
)  # fmt: skip
def test_core_and_actions_need_no_package_but_the_base_ones(path: Path) -> None:
    assert {m for m in imported_modules(path) if is_third_party(m)} <= BASE


@pytest.mark.parametrize(
    "path", [*(ROOT / f"fsmkit/{name}.py" for name in sorted(CORE)), *modules("actions")],
    ids=lambda path: f"{path.parent.name}.{path.stem}",
)  # fmt: skip
def test_core_and_actions_read_no_clock_and_roll_no_dice(path: Path) -> None:
    assert not {"time", "datetime", "secrets"} & set(imported_modules(path))
    assert "random.random(" not in path.read_text(encoding="utf-8")


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
        ]
    )
    errors = [getattr(fsmkit, name) for name in fsmkit.__all__ if name.endswith("Error")]
    assert all(issubclass(error, fsmkit.FsmError) for error in errors)


def test_every_action_is_exported_by_its_name() -> None:
    for name in actions.__all__:
        assert getattr(actions, name).__name__ == name


def test_importing_the_libraries_loads_nothing_heavy() -> None:
    code = "import sys, fsmkit, actions; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split())
    assert not loaded & {"asyncio", "logging", "argparse", "numpy", "glm", "pygame", "panda3d"}
