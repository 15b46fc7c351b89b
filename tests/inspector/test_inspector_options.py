"""What inspect() refuses, before anything is attached."""

from __future__ import annotations

import socket
from math import inf, nan
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.inspector import inspect_recording
from fsmkit.inspector.local import LocalInspector

PORT = "port must be an integer from 0 to 65535 (0: a free one), got "
RATE = "rate must be a number of frames per second >= 1 and <= 60, got "

WRONG: list[tuple[str, Any, type[Exception], str]] = [
    ("port", True, ValueError, f"{PORT}True."),
    ("port", "80", ValueError, f"{PORT}'80'."),
    ("port", -1, ValueError, f"{PORT}-1."),
    ("port", 65_536, ValueError, f"{PORT}65536."),
    ("port", 80.0, ValueError, f"{PORT}80.0."),
    ("port", None, ValueError, f"{PORT}None."),
    ("rate", "x", ValueError, f"{RATE}'x'."),
    ("rate", True, ValueError, f"{RATE}True."),
    ("rate", nan, ValueError, f"{RATE}nan."),
    ("rate", inf, ValueError, f"{RATE}inf."),
    ("rate", None, ValueError, f"{RATE}None."),
    ("rate", 1j, ValueError, f"{RATE}1j."),
    ("read_only", "no", TypeError, "read_only must be True or False, got 'no'."),
    ("read_only", 1, TypeError, "read_only must be True or False, got 1."),
    ("record", "x", TypeError, "record must be True, False or None, got 'x'."),
    ("record", 0, TypeError, "record must be True, False or None, got 0."),
    ("while_held", 3, TypeError, "while_held must be a function or None, got 3."),
    ("announce", 3, TypeError, "announce must be a function or None, got 3."),
    ("announce", "x", TypeError, "announce must be a function or None, got 'x'."),
    ("ignore", 5, TypeError, "ignore must be a list of codes, got 5."),
    ("ignore", [5], TypeError, "ignore must be a list of codes, got 5 in it."),
    ("places", 5, TypeError, "places must be the DefinitionSites that noting_places() has noted,"),
]


@pytest.fixture
def inspect() -> Any:
    pytest.importorskip("starlette")
    from fsmkit.inspector import inspect as it

    return it


def lamp() -> Fsm[None]:
    fsm = Fsm[None]("Lamp")
    fsm.add_state("Off")
    return fsm


@pytest.mark.parametrize(("name", "value", "kind", "text"), WRONG)
def test_a_wrong_argument_is_refused_with_what_it_must_be(
    inspect: Any, name: str, value: Any, kind: type[Exception], text: str
) -> None:
    fsm = lamp()
    with pytest.raises(kind) as raised:
        inspect(fsm, **{"announce": None, name: value})
    assert str(raised.value).startswith(text)
    inspect(fsm, announce=None).close()  # nothing was left attached


def test_a_port_that_is_taken_is_named(inspect: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        fsm = lamp()
        with pytest.raises(OSError, match=f"cannot listen on port {port} of 127.0.0.1: ") as raised:
            inspect(fsm, port=port, announce=None)
    assert raised.value.errno is not None
    assert str(raised.value).endswith("pass another port, or port=0 for a free one.")
    inspect(fsm, announce=None).close()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("signal", "signal must have the methods of a threading.Event, set(), clear() and wait(),"),
        ("draw", "draw must be a function or None, got 5."),
    ],
)
def test_an_inspector_without_a_server_refuses_what_it_cannot_use(name: str, text: str) -> None:
    arguments: dict[str, Any] = {name: 5}
    with pytest.raises(TypeError) as raised:
        LocalInspector(lamp(), **arguments)
    assert str(raised.value).startswith(text)
    with LocalInspector(lamp()):
        pass


def test_nothing_is_no_recording() -> None:
    pytest.importorskip("starlette")
    nothing: Any = None
    with pytest.raises(TypeError, match="must be a Recording or the path of one, got None"):
        inspect_recording(nothing, announce=None)
