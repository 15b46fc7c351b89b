"""The texts of pictures: names, labels, actions and values."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from fsmkit.checking import Finding
from fsmkit.core.checks.functions import described
from fsmkit.diagram.graph import ActionLine, EdgeLabel, StateNode, Stay
from fsmkit.terminal.console import cut, printable, width

ANY_STATE: Final = "any state"
NO_STATES: Final = "no states"
BACK_THERE: Final = "back"
SUSPENDS: Final = "(suspends)"
NEVER_ENTERED: Final = "never entered"

OUTSIDE_SENDS: Final = "»"
"""In front of an event that comes from outside the machine."""

ACTION_SENDS: Final = "·"
"""In front of an event that an action sends."""

FOUND: Final = "●"
"""In front of the code of a finding."""

MAX_LINE_COLUMNS: Final = 46
MAX_FUNCTION_COLUMNS: Final = 40
MAX_LABEL_COLUMNS: Final = 30
"""A label gets a further line rather than a longer one."""

WRAPPED_COLUMNS: Final = 24
"""The lines of an event, a guard or an effect that is longer than that."""

MAX_WRAPPED_COLUMNS: Final = 84
"""What is shown of a guard or an effect beside an arrow: four lines at most."""

WORD: Final = re.compile(r"[^\s_]*[\s_]*")
"""Part of a name or an expression, after which a line may end."""

CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">", "'": "'", '"': '"'}


def any_of(group: str) -> str:
    """Return the text that stands for the states of a group.

    >>> any_of("Alive")
    'any of Alive'
    """
    return f"any of {one_line(group)}"


def one_line(name: str) -> str:
    """Return a name in one line; a blank one in quotes."""
    return printable(name if name.strip() else repr(name))


def lines_of(name: str) -> list[str]:
    """Return the lines of a name; a blank one in quotes."""
    return [printable(line) for line in name.split("\n")] if name.strip() else [one_line(name)]


def names_text(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def abbreviated(text: str, columns: int) -> str:
    """Return `text`, or as much of it as fits, with an ellipsis.

    Brackets and quotes around it stay closed.

    >>> abbreviated("[1, 2, 3, 4, 5]", 10), abbreviated("Transform(position=(0.0, 0.0))", 20)
    ('[1, 2, 3…]', 'Transform(…)')
    """
    if width(text) <= columns:
        return text
    if call := re.match(r"([\w.]+)\(", text):
        return f"{abbreviated(call[1], columns - 3)}(…)"
    end = CLOSING.get(text[0], "")
    end = end if text.endswith(end) else ""
    text = text[: 2 * columns]
    while width(text) > columns - 1 - len(end):
        text = text[:-1]
    return f"{text}…{end}"


def started_text(node: StateNode) -> str:
    """Return the mark of a state in which other states start its machine; empty without any."""
    return f"started by {', '.join(map(one_line, node.started_by))}" if node.started_by else ""


def time_text(seconds: float) -> str:
    """Return a duration in few letters.

    >>> time_text(0.04), time_text(4.25), time_text(41.5), time_text(83.0), time_text(7384.0)
    ('0.04 s', '4.2 s', '42 s', '1:23 min', '2:03 h')
    """
    if seconds < 60.0:
        digits = 2 if 0.0 < seconds < 0.1 else 1 if seconds < 10.0 else 0
        return f"{seconds:.{digits}f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours}:{minutes_left:02} h" if hours else f"{minutes}:{rest:02} min"


def stay_text(stay: Stay) -> str:
    """Return what recordings show about a state.

    >>> stay_text(Stay(entered=12, seconds=4.2, share=0.38))
    '38 %  ·  4.2 s  ·  12×'
    """
    if not stay.entered and not stay.seconds:
        return NEVER_ENTERED
    times = f"{stay.entered}×"
    if stay.seconds is None:
        return times
    return f"{100 * stay.share:.0f} %  ·  {time_text(stay.seconds)}  ·  {times}"


def annotation_lines(node: StateNode) -> Iterator[str]:
    if node.stay is not None:
        yield stay_text(node.stay)
    yield from map(finding_code, node.findings)


def finding_code(finding: Finding) -> str:
    return f"{finding.severity}: {finding.code}"


def function_text(function: Callable[..., Any]) -> str:
    """Return the name of a guard or an effect; of a lambda, the expression that it returns.

    >>> function_text(lambda state: state.context.ammo > 0)
    'state.context.ammo > 0'
    """
    text = described(function)
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:  # <lambda>
        return printable(text)
    body = ast.get_source_segment(text, node.body) if isinstance(node, ast.Lambda) else None
    return printable(body or text)


def label_lines(label: EdgeLabel) -> Iterator[tuple[str, str]]:
    """Yield the lines beside an edge, each in two parts: the event, and guard, effect and mark.

    >>> list(label_lines(EdgeLabel("HIT", guard="is_armoured", effect="lose_all_that_armour")))
    [('HIT', ' [is_armoured]'), ('', '/ lose_all_that_armour')]
    """
    events = _numbered(lines_of(label.event), label)
    *others, first = (line for event in events for line in _wrapped_words(event))
    yield from ((line, "") for line in others)
    more = ""
    for detail in _details(label, MAX_WRAPPED_COLUMNS):
        lines = [*_wrapped_words(detail)]
        if len(lines) == 1 and width(first) + width(more) + width(detail) < MAX_LABEL_COLUMNS:
            more = f"{more} {detail}"
            continue
        yield first, more
        yield from (("", line) for line in lines[:-1])
        first, more = "", lines[-1]
    yield first, more


def _wrapped_words(text: str) -> Iterator[str]:
    """Yield `text` in lines that end after words of names and expressions."""
    line = ""
    for word in WORD.findall(text) if width(text) > MAX_LABEL_COLUMNS else [text]:
        for part in [word] if width(word) <= MAX_LABEL_COLUMNS else word:
            if line and width(line) + width(part.rstrip()) > WRAPPED_COLUMNS:
                yield line.rstrip()
                line = ""
            line += part
    yield line.rstrip()


def label_line(label: EdgeLabel, columns: int = MAX_FUNCTION_COLUMNS) -> str:
    """Return the same in one line. The guard and the effect get `columns` each.

    >>> label_line(EdgeLabel("HIT", guard="is_armoured", suspends=True))
    'HIT [is_armoured] (suspends)'
    """
    event, *_ = _numbered([one_line(label.event)], label)
    return " ".join((event, *_details(label, columns)))


def annotated_line(label: EdgeLabel, *, senders: bool) -> str:
    """Return the same with its sender, and what recordings and a check show.

    >>> annotated_line(EdgeLabel("HIT", guard="is_armoured", taken=3), senders=True)
    '» HIT [is_armoured] ×3'
    """
    sign = f"{sign_of(label)} " if senders and sign_of(label) else ""
    count = "" if label.taken is None else f" ×{label.taken}"
    codes = "".join(f" {finding_code(finding)}" for finding in label.findings)
    return f"{sign}{label_line(label)}{count}{codes}"


def sign_of(label: EdgeLabel) -> str:
    """Return the sign of the event's sender; empty if the machine sends it itself."""
    return {"itself": "", "action": ACTION_SENDS, "outside": OUTSIDE_SENDS}[label.origin]


def _numbered(lines: Sequence[str], label: EdgeLabel) -> list[str]:
    return [f"{label.place}. {lines[0]}", *lines[1:]] if label.place else [*lines]


def _details(label: EdgeLabel, columns: int) -> Iterator[str]:
    if label.guard:
        yield f"[{cut(label.guard, columns)}]"
    if label.effect:
        yield f"/ {cut(label.effect, columns)}"
    if label.suspends:
        yield SUSPENDS


def action_text(action: ActionLine, indent: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of an action, each in two parts: its name or an indent, and parameters."""
    head = f"{indent * action.depth}{action.name}"
    first, *others = _wrapped(action.parameters, MAX_LINE_COLUMNS - width(action.name))
    yield (f"{head}  ", first) if first else (head, "")
    yield from ((indent * (action.depth + 1), line) for line in others)


def _wrapped(parameters: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
    """Yield the parameters in as many lines as needed; at least one, perhaps empty."""
    text = ""
    for name, value in parameters:
        parameter = f"{name}={value}"
        if text and width(text) + width(parameter) + 2 > room:
            yield f"{text},"
            text, room = "", MAX_LINE_COLUMNS
        text = f"{text}, {parameter}" if text else parameter
    yield text
