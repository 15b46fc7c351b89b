"""The actions of the library by name, and the import of a name in a file."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.editing.definition import MachineData
from fsmkit.editing.draft import Draft, Scope
from fsmkit.editing.refusal import RefusedEditError, meant
from fsmkit.editing.source import Replacement, SourceFile
from fsmkit.editing.values import LibraryName

OWN_EVENTS: Final = (ERROR, FAILED, FINISHED)
"""The events that fsmkit sends; each is called by its text."""


BACK_NAME: Final = "BACK"
"""What edits call the target `fsmkit.BACK`."""


def library_action(name: str, machine: Fsm[Any]) -> tuple[str, type[FsmAction[Any]]]:
    """Return the module and the class of an action for a machine. Raises RefusedEditError."""
    is_crowd = type(machine).__module__.startswith("fsmkit.crowd.")
    module = "fsmkit.crowd.library" if is_crowd else "actions"
    library = importlib.import_module(module)  # the library imports us
    kind = getattr(library, name) if name in library.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, FsmAction)):
        raise RefusedEditError(f"there is no action {name!r}{meant(name, library.__all__)}")
    return module, kind


def code_of(value: object, draft: Draft, scope: Scope) -> tuple[str, list[Replacement]]:
    """Return a value as code, and the pieces that import what it needs."""
    if isinstance(value, LibraryName):
        expression, *pieces = imported(scope.source, value.module, value.name)
        return f"{expression}.{value.attribute}", pieces
    return draft.value(value, scope), []


def code_of_event(event: str, draft: Draft, scope: Scope) -> tuple[str, list[Replacement]]:
    """Return an event as code, one of fsmkit by its name, and the pieces that import that."""
    text = draft.text(event, scope)
    if event in OWN_EVENTS and text == scope.source.quoted(event):
        with suppress(RefusedEditError):  # the name is something else here
            name, *pieces = imported(scope.source, "fsmkit", event)
            return name, pieces
    return text, []


def target_of(draft: Draft, name: str) -> FsmState[Any] | None:
    """Return the state that a name stands for as a target; None for `BACK`."""
    is_back = name == BACK_NAME and name not in draft.machine.states
    return None if is_back else draft.state(name)


def target_in(definition: MachineData, name: str) -> str | None:
    """Return a target as a definition has it."""
    return None if name == BACK_NAME and name not in definition["states"] else name


def code_of_target(name: str, draft: Draft, scope: Scope) -> tuple[str, list[Replacement]]:
    """Return a target as code, and the pieces that import `BACK`."""
    if target_of(draft, name) is not None:
        return draft.target(name, scope), []
    expression, *pieces = imported(scope.source, "fsmkit", BACK_NAME)
    return expression, pieces


def imported(source: SourceFile, module: str, name: str) -> tuple[Any, ...]:
    """Return the expression for a name of a module in a file, and the pieces that import it."""
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == module:
                    return (f"{alias.asname or module}.{name}",)
    froms = [node for node in source.tree.body if isinstance(node, ast.ImportFrom)]
    own = [node for node in froms if node.module == module and not node.level]
    for node in own:
        for alias in node.names:
            if alias.name in (name, "*"):
                return (alias.asname or name,)
    if any(_binds(node, name) for node in source.tree.body):
        raise RefusedEditError(f"{name} is something else here", source.place(source.tree))
    return (name, _among(source, own[0], name) if own else _line(source, froms, module, name))


def imported_together(
    source: SourceFile, module: str, names: Sequence[str]
) -> tuple[list[str], list[Replacement]]:
    """Return the expressions for several names of a module, and the pieces that import them."""
    found = [imported(source, module, name) for name in dict.fromkeys(names)]
    pieces = [piece for _, *more in found for piece in more]
    lines = [each for each in pieces if each.text.startswith(f"from {module} import ")]
    if len(lines) > 1:  # one line for all
        new = sorted(each.text.rpartition(" ")[2].strip() for each in lines)
        end = lines[0].text[len(lines[0].text.rstrip()) :]
        pieces = [lines[0]._replace(text=f"from {module} import {', '.join(new)}{end}")]
    expressions = dict(zip(dict.fromkeys(names), (each[0] for each in found), strict=True))
    return [expressions[name] for name in names], pieces


def _among(source: SourceFile, node: ast.ImportFrom, name: str) -> Replacement:
    before = [alias for alias in node.names if alias.name < name]
    is_below = node.names[0].lineno != node.lineno
    indent = source.newline + " " * node.names[0].col_offset if is_below else " "
    if before:
        return source.behind_alias(before[-1], f",{indent}{name}")
    return source.before_alias(node.names[0], f"{name},{indent}")


def _line(source: SourceFile, froms: list[ast.ImportFrom], module: str, name: str) -> Replacement:
    imports = [each for each in source.tree.body if isinstance(each, (ast.Import, ast.ImportFrom))]
    ours = [each for each in froms if (each.module or "").partition(".")[0] == "fsmkit"]
    code = f"from {module} import {name}"
    if ours or imports:
        first = (ours or imports)[0]
        return source.line_above(first, code) if ours else source.line_below(imports[-1], code)
    raise RefusedEditError("it has no import to stand beside", source.place(source.tree))


def _binds(node: ast.stmt, name: str) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name == name
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name) == name for alias in node.names)
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == name for target in node.targets
    )
