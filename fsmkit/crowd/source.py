"""Source: the source of an action's function, its position, and the events it may return."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, Final

from attrs import frozen

from fsmkit.crowd.action_functions import PHASES, ActionFunctions, Function, name_of
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.spawning import start_name

MISSING: Final = object()


@frozen(eq=False)
class Source:
    """A function as it was written."""

    function: Function
    name: str
    file: str
    first_line: int
    """The line in the file that counts as line 1 of `body`."""
    parameters: tuple[str, ...]
    body: tuple[ast.stmt, ...]

    @property
    def heading(self) -> str:
        """The comment above its compiled form; without the line, as code above it may change."""
        return f"# {self.name}"

    def place(self, node: ast.AST) -> str:
        """Return the file and the line of a part of it."""
        return f"{self.file}:{self.line(node)}"

    def line(self, node: ast.AST) -> int:
        """Return the line of a part of it, in the file."""
        return self.first_line + getattr(node, "lineno", 1) - 1

    def refuse(self, node: ast.AST, what: str, instead: str) -> SubsetError:
        """Return the error for a part of it that cannot be compiled."""
        return SubsetError(f"{self.place(node)}, {self.name}(): {what} {instead}")

    def meaning(self, name: str) -> Any:
        """Return the value of a global name, or of an outer function's; MISSING if unknown."""
        code = self.function.__code__
        if name in code.co_varnames:  # a variable of its own hides what is outside
            return MISSING
        if name in code.co_freevars:
            cell = (self.function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                return MISSING
        return self.function.__globals__.get(name, getattr(builtins, name, MISSING))


@lru_cache(maxsize=1024)
def source_of(function: Function) -> Source:
    """Return the source of a function. Raises SubsetError if it cannot be read."""
    code = function.__code__
    is_lambda = code.co_name == "<lambda>"
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise SubsetError(
            f"{code.co_filename}:{code.co_firstlineno}, {name_of(function)}(): an `async def` "
            "cannot be compiled, as nothing awaits it. Write `def`."
        )
    try:
        body = _lambda_body(code) if is_lambda else _function_body(code)
    except (OSError, TypeError, SyntaxError, IndexError, ValueError) as error:
        raise SubsetError(
            f"The source of {name_of(function)}() cannot be read, so it cannot be compiled. Put it "
            "into a file, as a `def`, or make the crowd with engine='python'."
        ) from error
    first = _span(code)[0][0] if is_lambda else code.co_firstlineno
    parameters = code.co_varnames[: code.co_argcount]
    return Source(function, code.co_name, code.co_filename, first, parameters, tuple(body))


def events_of(definition: ActionFunctions, phases: Sequence[str] = PHASES) -> tuple[str, ...]:
    """Return the events that the functions of an action may return, each once.

    A function whose source cannot be read is skipped.
    """
    found: dict[str, None] = {}
    for phase in phases:
        if phase in definition.functions:
            found.update(dict.fromkeys(_events_in(definition, definition.functions[phase])))
    return tuple(found)


def starts_of(definition: ActionFunctions) -> tuple[str, ...]:
    """Return the states in which the functions of an action spawn agents, each once."""
    found: dict[str, None] = {}
    for function in definition.functions.values():
        found.update(dict.fromkeys(_starts_in(function)))
    return tuple(found)


def _starts_in(function: Function) -> Iterator[str]:
    try:
        source = source_of(function)
    except SubsetError:
        return
    for node in (part for statement in source.body for part in ast.walk(statement)):
        if isinstance(node, ast.keyword) and node.arg == "start":
            meaning = (
                node.value.value if isinstance(node.value, ast.Constant)
                else source.meaning(node.value.id) if isinstance(node.value, ast.Name)
                else None
            )  # fmt: skip
            name = start_name(meaning)
            if isinstance(name, str):
                yield name


def _events_in(definition: ActionFunctions, function: Function) -> Iterator[str]:
    try:
        source = source_of(function)
    except SubsetError:
        return
    for node in (part for statement in source.body for part in ast.walk(statement)):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _named_events(source, definition.events, node.value)


def _named_events(source: Source, events: Mapping[str, str], value: ast.expr) -> Iterator[str]:
    """Yield the events that an expression after `return` may name."""
    if isinstance(value, ast.IfExp):
        yield from _named_events(source, events, value.body)
        yield from _named_events(source, events, value.orelse)
    elif isinstance(event := event_named(source, events, value), str):
        yield event


def event_named(source: Source, events: Mapping[str, str], value: ast.expr) -> object:
    """Return the event that an expression names; None for None, MISSING if it names none."""
    if isinstance(value, ast.Constant):
        return value.value if value.value is None or isinstance(value.value, str) else MISSING
    if isinstance(value, ast.Name) and value.id not in source.parameters:
        meaning = source.meaning(value.id)
        return meaning if isinstance(meaning, str) else MISSING
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        if len(source.parameters) == 3 and value.value.id == source.parameters[2]:
            return events.get(value.attr, MISSING)
        owner = source.meaning(value.value.id)
        meaning = getattr(owner, value.attr, MISSING) if owner is not MISSING else MISSING
        return meaning if isinstance(meaning, str) else MISSING
    return MISSING


def _function_body(code: CodeType) -> list[ast.stmt]:
    # From the code: a decorated function is another one.
    text = inspect.getsource(code)
    if text[0].isspace():  # after `if`, as comments and strings in it may be indented less
        [block] = ast.parse(f"if True:\n{text}").body
        [definition] = block.body  # type: ignore[attr-defined]
        ast.increment_lineno(definition, -1)
    else:
        [definition] = ast.parse(text).body
    if not isinstance(definition, ast.FunctionDef) or definition.name != code.co_name:
        raise SyntaxError("it is not a function, or the file has changed since")
    return definition.body


def _lambda_body(code: CodeType) -> list[ast.stmt]:
    """Return the expression of a lambda: the text from its first instruction to its last."""
    lines, _ = inspect.findsource(code)
    (first, start), (last, end) = _span(code)
    text = [line.encode() for line in lines[first - 1 : last]]
    text[-1] = text[-1][:end]
    text[0] = text[0][start:]
    parsed = ast.parse(b"(" + b"".join(text) + b")", mode="eval").body
    return [ast.Return(value=parsed, lineno=1, col_offset=0)]


def _span(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the positions where the instructions begin and end: line and column."""
    starts: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for line, end_line, column, end_column in code.co_positions():
        if line and end_line and column is not None and end_column:
            starts.append((line, column))
            ends.append((end_line, end_column))
    return min(starts), max(ends)
