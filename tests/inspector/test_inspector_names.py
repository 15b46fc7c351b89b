"""Names of any length, with any letters, also with half a letter: a lone surrogate."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fsmkit import Fsm, FsmGroup

WAYS = ("server", "inside")

ODD = "caf\udce9"  # as os.fsdecode() makes of a name in Latin-1
QUERY = "caf%ED%B3%A9"


def machine(name: str, state: str = "Go") -> Fsm[Any]:
    fsm = Fsm[Any](name, context={state: 1}, on_unhandled="ignore")
    fsm.add_state(state).add_transition("E" + state, fsm.add_state("Rest"))
    fsm.start()
    return fsm


def test_half_a_letter_in_names_gets_through_everywhere(inspected: Callable[..., Any]) -> None:
    odd = machine(ODD, ODD)
    page = inspected(FsmGroup([machine("Fine"), odd]))
    assert page.ask("select", machine=ODD)["ok"]
    detail = page.frame(lambda frame: frame["reset"])["detail"]
    assert (detail["machine"], detail["state"], detail["context"]) == (ODD, ODD, [[ODD, "1"]])
    assert detail["events"][0]["name"] == "E" + ODD
    status, _, body = page.get(f"graph?machine={QUERY}")
    nodes = json.loads(body)["nodes"]
    assert (status, [node["state"] for node in nodes.values()]) == (200, [ODD, "Rest"])
    assert r"caf\udce9" in page.ask("ask", machine=ODD, event="E" + ODD)["why"]
    assert page.ask("break", machine=ODD, kind="state", name=ODD, on=True)["ok"]
    assert page.ask("break", machine=ODD, kind="state", name=ODD, on=False)["ok"]
    assert page.ask("send", machine=ODD, event="E" + ODD, data=ODD)["ok"]
    assert page.frame(lambda frame: frame["detail"]["state"] == "Rest")
    assert page.ask("force", machine=ODD, state=ODD)["ok"]
    status, headers, body = page.get(f"snapshot?machine={QUERY}")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="caf_.json"'
    assert json.loads(body)["machines"][0]["name"] == ODD


def test_bytes_that_are_no_text_are_no_machine(inspected: Callable[..., Any]) -> None:
    page = inspected(machine("Fine"))
    for address in ("graph?machine=%FF%FE", "graph?machine=%ED%B2", "snapshot?machine=%80"):
        status, _, body = page.get(address)
        assert (status, "is not (or no longer) an inspected" in body.decode()) == (409, True)


def test_a_machine_with_a_long_name_is_shown_by_its_beginning_and_end(
    inspected: Callable[..., Any],
) -> None:
    long = "x" * 2_000
    group = FsmGroup(
        [machine("Fine"), machine(f"{long}1"), machine(f"{long}2"), machine(f"{long}1")]
    )
    page = inspected(group)
    shown = [name for name, _ in page.hello["machines"]]
    assert shown[1:] == [f"{'x' * 100}…{'x' * 99}1", f"{'x' * 100}…{'x' * 99}2", f"{shown[1]} #2"]
    for name in shown:
        assert page.ask("select", machine=name)["ok"]
        assert page.frame(lambda frame: frame["reset"])["detail"]["machine"] == name


def test_a_state_with_a_long_name_can_be_forced(inspected: Callable[..., Any]) -> None:
    page = inspected(machine("Fine", "x" * 2_000))
    assert page.ask("send", machine="Fine", event="none")["ok"]
    assert page.ask("force", machine="Fine", state="Rest")["ok"]
    assert page.ask("force", machine="Fine", state="x" * 2_000)["ok"]
