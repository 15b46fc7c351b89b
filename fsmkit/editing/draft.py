"""Draft: what an edit needs to know of a program: its files, its machines, and names for them."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from fsmkit import Fsm, FsmState
from fsmkit.editing.refusal import RefusedEditError, meant
from fsmkit.editing.source import (
    COMPREHENSIONS,
    FunctionNode,
    Replacement,
    SourceFile,
    names_bound,
    parsed,
)
from fsmkit.editing.trial import Built, MadePart, MakingCall, Trace, Variable
from fsmkit.editing.values import written
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import CodePlace


class Patch(NamedTuple):
    """The pieces of a file that an edit replaces."""

    source: SourceFile
    pieces: list[Replacement]
    uses: Sequence[CodePlace] = ()
    """Where the constant that it changes is used, if it changes one."""


class Scope(NamedTuple):
    """A function, or a module, in its file: where code is added."""

    source: SourceFile
    function: FunctionNode


class Draft:
    """A program with a machine that an edit is about.

    `machine` names one of several; it may be left out where there is one alone. Raises
    RefusedEditError.
    """

    def __init__(self, contents: Mapping[Path, bytes], built: Built, machine: str | None) -> None:
        self._contents = contents
        self._sources: dict[Path, SourceFile] = {}
        self.built = built
        self.name = self._found(machine)
        self.machine = built.machines[self.name]

    def _found(self, name: str | None) -> str:
        known = [*self.built.machines]
        if name is None:
            return known[0]
        if name not in known:
            raise RefusedEditError(f"there is no machine {name!r}{meant(name, known)}")
        return name

    # Parts by name

    def state(self, name: str) -> FsmState[Any]:
        if name not in self.machine.states:
            hint = meant(name, self.machine.states)
            raise RefusedEditError(f"{self.name} has no state {name!r}{hint}")
        return self.machine.states[name]

    def owner(self, name: str | None) -> walk.TransitionOwner:
        """Return what has transitions: a state or a group by name; the machine without one."""
        if name is None:
            return self.machine
        return self.machine.groups[name] if name in self.machine.groups else self.state(name)

    def transition_trace(self, source: str | None, event: str, rank: int) -> Trace:
        """Return the calls that made a transition. Raises RefusedEditError if there is none."""
        owner = self.owner(source)
        same = walk.table(owner).get(event, ())
        if not 0 <= rank < len(same):
            known = walk.table(owner)
            what = f"{event!r}{meant(event, known)}" if not same else f"{event!r} [{rank}]"
            raise RefusedEditError(f"{owner.name} has no transition for {what}")
        return self._known(self.built.trace_of_transition(owner, event, rank))

    def trace(self, part: MadePart) -> Trace:
        return self._known(self.built.trace(part))

    def _known(self, trace: Trace) -> Trace:
        if not trace:
            raise RefusedEditError("no file of the program has made it")
        return trace

    # Places

    def place_of_machine(self) -> CodePlace | None:
        """Return the line that makes the machine."""
        trace = self.built.trace(self.machine)
        return CodePlace(str(trace[0].path), trace[0].span.line) if trace else None

    def source(self, path: Path) -> SourceFile:
        if path not in self._sources:
            self._sources[path] = parsed(path, self._contents[path])
        return self._sources[path]

    def sources(self) -> list[SourceFile]:
        return [self.source(path) for path in self._contents]

    def node(self, call: MakingCall) -> ast.Call | None:
        return self.source(call.path).call(call.span)

    def whole_call(self, trace: Trace) -> tuple[SourceFile, ast.Call]:
        """Return the call that made one part alone: itself, or a call of the helper it is in."""
        for call in trace:
            if (node := self.node(call)) is not None and len(self.built.made_by(call)) == 1:
                return self.source(call.path), node
        raise self.made_together(trace)

    def made_with_others(self, edit: Any) -> RefusedEditError | None:
        """Return that the call an edit would change makes several parts; None if it does not."""
        trace: Trace = getattr(edit, "trace", lambda _: ())(self)
        is_shared = bool(trace) and len(self.built.made_by(trace[0])) > 1
        return self.made_together(trace) if is_shared else None

    def made_together(self, trace: Trace) -> RefusedEditError:
        """Return why the call of a part cannot be changed alone."""
        call = trace[0]
        place = CodePlace(str(call.path), call.span.line)
        node, made = self.node(call), self.built.made_by(call)
        if len(made) <= 1:
            return RefusedEditError("made by no call of its own", place)
        what = f"{len(made)} {made[0] if len({*made}) == 1 else 'parts'}"
        if node is not None and self.source(call.path).loop(node) is not None:
            return RefusedEditError(f"built by the loop there, which builds {what}", place)
        if node is not None and (kind := ast.unparse(node.func).rpartition(".")[2])[:1].isupper():
            return RefusedEditError(f"made by {kind}, which makes {what}", place)
        return RefusedEditError(f"made by a line that makes {what}", place)

    def is_by(self, trace: Trace, method: str) -> bool:
        """Return whether a part was made by a call of `method`, rather than of a helper with it."""
        node = self.node(trace[0])
        return node is not None and getattr(node.func, "attr", None) == method

    def scope_of(self, source: SourceFile, node: ast.AST) -> Scope:
        return Scope(source, source.function(node))

    # Names in a function

    def scopes(self, *parts: MadePart) -> Iterator[Scope]:
        """Yield the functions in which one of these parts has a name, the best first."""
        seen = set()
        for part in parts:
            for variable in reversed(self.built.variables(part)):
                scope = self._scope(variable)
                if scope is not None and id(scope.function) not in seen:
                    seen.add(id(scope.function))
                    yield scope

    def _scope(self, variable: Variable) -> Scope | None:
        source = self.source(variable.path)
        if variable.function == "<module>":
            return Scope(source, source.tree)
        for node in ast.walk(source.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                if node.name == variable.function and first == variable.line:
                    return Scope(source, node)
        return None

    def variable(self, part: MadePart, scope: Scope) -> str | None:
        """Return a name that stands for a part all through a function: bound once, in no loop."""
        for each in self.built.variables(part):
            found = self._scope(each)
            is_here = found is not None and found.function is scope.function
            if is_here and ("." in each.name or _is_bound_once(each.name, scope)):
                return each.name
        return None

    def expression(self, part: Any, scope: Scope) -> str | None:
        """Return an expression for a state, a group or a machine in a function."""
        if (name := self.variable(part, scope)) is not None or isinstance(part, Fsm):
            return name
        machine = self.variable(part.fsm, scope)
        if machine is None:
            return None
        table = "states" if isinstance(part, FsmState) else "groups"
        return f"{machine}.{table}[{scope.source.quoted(part.name)}]"

    def target(self, name: str, scope: Scope) -> str:
        """Return an expression for the target of a transition in a function."""
        return self.variable(self.state(name), scope) or scope.source.quoted(name)

    def text(self, text: str, scope: Scope) -> str:
        """Return a string, by the name of a constant that the file uses for it if there is one."""
        names: Mapping[str, Any] = self.built.globals_of(scope.source.path)
        used = {node.id for node in ast.walk(scope.source.tree) if isinstance(node, ast.Name)}
        for name, value in names.items():
            if name.isupper() and isinstance(value, str) and value == text:
                return name
        for name in used & names.keys():
            for constant, value in vars(names[name]).items() if _is_module(names[name]) else ():
                if constant.isupper() and isinstance(value, str) and value == text:
                    return f"{name}.{constant}"
        return scope.source.quoted(text)

    def value(self, value: object, scope: Scope) -> str:
        """Return a value as code: a text as `text` does, anything else as `written` does."""
        if isinstance(value, str):
            return self.text(value, scope)
        return written(value, scope.source, self.built.globals_of(scope.source.path))

    def new_name(self, title: str, scope: Scope) -> str:
        """Return a free name for a variable."""
        title = normalize("NFKC", title)  # as Python does with names
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W+", "_", title).strip("_").lower()
        name = words if words.isidentifier() else f"state_{words}".rstrip("_")
        taken = {node.id for node in ast.walk(scope.source.tree) if isinstance(node, ast.Name)}
        taken |= {node.arg for node in ast.walk(scope.source.tree) if isinstance(node, ast.arg)}
        taken |= {*dir(builtins), *self.built.globals_of(scope.source.path)}
        for candidate in (name, f"{name}_state", *(f"{name}_{n}" for n in range(2, 100))):
            if candidate not in taken and not keyword.iskeyword(candidate):
                return candidate
        raise RefusedEditError(f"no free name for {title!r}", scope.source.place(scope.function))

    # Adding lines

    def added_line(
        self,
        scope: Scope,
        code: str,
        *,
        behind: Sequence[Trace],
        methods: Sequence[str],
        needs: Sequence[Trace] = (),
    ) -> Replacement:
        """Return the piece that adds a line to a function.

        It stands behind the last of the calls `behind` in that function, else behind the last
        statement that mentions one of the `methods`; where the names it uses have values, and
        what the calls `needs` make is there.
        """
        anchor = self.making_statement(scope, behind) or _mentioning(scope, methods)
        if anchor is None:
            raise RefusedEditError("nothing to add it after", scope.source.place(scope.function))
        used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
        bound = [
            scope.source.in_body(node, scope.function)
            for node in names_bound(scope.function)
            if node.id in used and scope.source.function(node) is scope.function
        ]
        made = [
            each for trace in needs if (each := self.making_statement(scope, [trace])) is not None
        ]
        anchor = max([anchor, *bound, *made], key=lambda statement: statement.lineno)
        if isinstance(anchor, ast.Return):
            return scope.source.line_above(anchor, code)
        return scope.source.line_below(anchor, code)

    def making_statement(self, scope: Scope, traces: Sequence[Trace]) -> ast.stmt | None:
        """Return the statement of a function that carries out the last of some calls in it."""
        for trace in reversed(traces):
            for call in trace:
                source = self.source(call.path)
                node = source.call(call.span)
                if node is not None and source.function(node) is scope.function:
                    if source.loop(node) is not None:
                        return source.in_body(node, scope.function)
                    return source.statement(node)
        return None


def _is_bound_once(name: str, scope: Scope) -> bool:
    bound = [node for node in names_bound(scope.function) if node.id == name]
    if isinstance(scope.function, ast.Module):
        bound = [node for node in bound if scope.source.function(node) is scope.function]
        arguments = set()
    else:
        own = scope.function.args
        arguments = {each.arg for each in (*own.posonlyargs, *own.args, *own.kwonlyargs)}
    if name in arguments:
        return not bound
    is_looped = any(
        isinstance(scope.source.parent(node), (ast.For, ast.comprehension, *COMPREHENSIONS))
        or scope.source.loop(node) is not None
        for node in bound
    )
    return len(bound) == 1 and not is_looped


def _mentioning(scope: Scope, methods: Sequence[str]) -> ast.stmt | None:
    """Return the last statement of a function that mentions one of the first methods it can."""
    for method in methods:
        found = [
            scope.source.in_body(node, scope.function)
            for node in ast.walk(scope.function)
            if isinstance(node, ast.Attribute)
            and node.attr == method
            and scope.source.function(node) is scope.function
        ]
        if found:
            return max(found, key=lambda statement: statement.lineno)
    return None


def _is_module(value: object) -> bool:
    return type(value).__name__ == "module"
