"""Functions of agents: those of an action, the values that they get as `own`, and their source."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter, signature
from itertools import chain
from types import CodeType, FunctionType
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from fsmkit.crowd.argument_checks import WHOLE_NUMBERS, plain
from fsmkit.crowd.errors import CrowdError, SubsetError
from fsmkit.crowd.spawning import start_name

AgentFunction: TypeAlias = Callable[..., Any]
Number: TypeAlias = float | int | bool
Value: TypeAlias = float | int | bool | str
"""A number, or the name of a field: `"speed"` of the agent, `"world.speed"` of the world."""

MISSING: Final = object()

PHASES: Final = ("on_enter", "on_update", "on_exit")


@frozen(eq=False)
class ActionFunctions:
    """The definition of an action: the same for every agent, in every visit."""

    functions: Mapping[str, AgentFunction] = field(factory=dict)
    """`on_enter`, `on_update`, `on_exit` -> its function; phases without one are left out."""
    parameters: Mapping[str, Value] = field(factory=dict)
    memory: Mapping[str, Number] = field(factory=dict)
    """Name of a remembered value -> its initial value."""
    events: Mapping[str, str] = field(factory=dict)


def action_functions(
    owner: str,
    functions: Mapping[str, object],
    parameters: Mapping[str, Any] | None,
    memory: Mapping[str, Any] | None,
    events: Mapping[str, Any] | None,
) -> ActionFunctions:
    """Return the definition of an action of the class `owner`; `functions` may be None.

    Raises CrowdError for an unsuitable function or value, and for a name that is used twice.
    """
    given = {phase: each for phase, each in functions.items() if each is not None}
    definition = ActionFunctions(
        {phase: checked_function(owner, phase, each) for phase, each in given.items()},
        _checked_values(owner, "parameter", parameters, (float, int, bool, str)),
        _checked_values(owner, "memory", memory, (float, int, bool)),
        _checked_values(owner, "event", events, (str,)),
    )
    names = chain(definition.parameters, definition.memory, definition.events)
    for name, number in Counter(names).items():
        if number > 1:
            raise CrowdError(
                f"{owner}: {name!r} is used twice. Parameters, memory and events are all read as "
                "own.NAME: rename one of them."
            )
    return definition


def _checked_values(
    owner: str, kind: str, values: Mapping[str, Any] | None, allowed: tuple[type, ...]
) -> dict[str, Any]:
    checked = {name: plain(value) for name, value in (values or {}).items()}
    for name, value in checked.items():
        if type(value) not in allowed:
            raise CrowdError(
                f"{owner}: the {kind} {name!r} must be "
                f"{' or '.join(each.__name__ for each in allowed)}, got {value!r}."
            )
        if type(value) is int and value not in WHOLE_NUMBERS:
            raise CrowdError(f"{owner}: the {kind} {name!r} must fit into 64 bits, got {value!r}.")
    return checked


def name_of(function: AgentFunction) -> str:
    return str(getattr(function, "__name__", repr(function)))


def checked_function(owner: str, name: str, function: Any, most: int = 3) -> AgentFunction:
    """Return `function`, the argument `name`. Raises CrowdError unless it can run over columns.

    It takes the agent and the world, and the values of the action if `most` is 3.
    """
    if not isinstance(function, FunctionType):
        raise CrowdError(
            f"{owner}: {name} must be a plain function (agent, world), got {function!r}."
        )
    own = signature(function, follow_wrapped=False)
    parameters = own.parameters.values()
    positional = all(each.kind is Parameter.POSITIONAL_OR_KEYWORD for each in parameters)
    if not positional or not 2 <= len(parameters) <= most:
        or_three = ", or three, (agent, world, own)" if most == 3 else ""
        raise CrowdError(
            f"{owner}: {name} must take two parameters, (agent, world){or_three}, got "
            f"{name_of(function)}{own}."
        )
    if any(each.default is not Parameter.empty for each in parameters):
        instead = (
            "Pass values as parameters={...}, and read them as own.NAME."
            if most == 3
            else "Make them fields of the agents or of the world."
        )
        raise CrowdError(
            f"{owner}: {name} must have no defaults, got {name_of(function)}{own}. {instead}"
        )
    return function


@frozen(eq=False)
class FunctionSource:
    function: AgentFunction
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
        return f"{self.file}:{self.line(node)}"

    def line(self, node: ast.AST) -> int:
        return self.first_line + getattr(node, "lineno", 1) - 1

    def refuse(self, node: ast.AST, what: str, instead: str) -> SubsetError:
        return SubsetError(f"{self.place(node)}, {self.name}(): {what} {instead}")

    def meaning(self, name: str) -> Any:
        """Return the value of a global name, or of an outer function's; MISSING if unknown."""
        code = self.function.__code__
        if name in code.co_varnames:  # its own variable hides outer ones
            return MISSING
        if name in code.co_freevars:
            cell = (self.function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                return MISSING
        return self.function.__globals__.get(name, getattr(builtins, name, MISSING))

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.meaning(node.id)
        owner = self.value(node.value) if isinstance(node, ast.Attribute) else MISSING
        return getattr(owner, node.attr, MISSING) if owner is not MISSING else MISSING  # type: ignore[attr-defined]


@lru_cache(maxsize=1024)
def source_of(function: AgentFunction) -> FunctionSource:
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
    return FunctionSource(function, code.co_name, code.co_filename, first, parameters, tuple(body))


def events_of(definition: ActionFunctions, phases: Sequence[str] = PHASES) -> tuple[str, ...]:
    """Return the events that the functions of an action may return, each once.

    A function whose source cannot be read is skipped.
    """
    found = (
        event
        for phase in phases
        if phase in definition.functions
        for source, node in _nodes(definition.functions[phase])
        if isinstance(node, ast.Return) and node.value is not None
        for event in _named_events(source, definition.events, node.value)
    )
    return tuple(dict.fromkeys(found))


def starts_of(definition: ActionFunctions) -> tuple[str, ...]:
    """Return the states in which the functions of an action spawn agents, each once."""
    found = (
        start_name(source.value(node.value))
        for function in definition.functions.values()
        for source, node in _nodes(function)
        if isinstance(node, ast.keyword) and node.arg == "start"
    )
    return tuple(dict.fromkeys(name for name in found if isinstance(name, str)))


def _nodes(function: AgentFunction) -> Iterator[tuple[FunctionSource, ast.AST]]:
    try:
        source = source_of(function)
    except SubsetError:
        return
    for statement in source.body:
        for node in ast.walk(statement):
            yield source, node


def _named_events(
    source: FunctionSource, events: Mapping[str, str], value: ast.expr
) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from _named_events(source, events, value.body)
        yield from _named_events(source, events, value.orelse)
    elif isinstance(event := event_named(source, events, value), str):
        yield event


def event_named(source: FunctionSource, events: Mapping[str, str], value: ast.expr) -> object:
    """Return the event that an expression names; None for None, MISSING for anything else."""
    if isinstance(value, ast.Constant) and value.value is None:
        return None
    owner = value.value if isinstance(value, ast.Attribute) else None
    if isinstance(owner, ast.Name) and source.parameters[2:] == (owner.id,):
        return events.get(value.attr, MISSING)  # type: ignore[attr-defined]
    meaning = source.value(value)
    return meaning if isinstance(meaning, str) else MISSING


def _function_body(code: CodeType) -> list[ast.stmt]:
    # From the code: a decorator may have replaced the function.
    text = inspect.getsource(code)
    if text[0].isspace():  # after `if`, as its comments and strings may be indented less
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
    starts: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for line, end_line, column, end_column in code.co_positions():
        if line and end_line and column is not None and end_column:
            starts.append((line, column))
            ends.append((end_line, end_column))
    return min(starts), max(ends)
