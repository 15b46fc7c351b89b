"""A crowd on the page: its census, shares, and agents that are singled out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("numba")

from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
from fsmkit.inspector import inspect

DT = 1 / 64


@define
class Guest:
    hunger: float = 0.0
    is_vip: bool = False
    meals: int = 0


@define
class Hall:
    heat: float = 1.0


def get_hungry(guest: Guest, hall: Hall) -> str | None:
    guest.hunger += hall.heat
    if guest.hunger >= 8.0:
        return "HUNGRY"
    return None


def eat(guest: Guest, _hall: Hall) -> None:
    guest.hunger = 0.0
    guest.meals += 1


def party(size: int = 10) -> Crowd:
    machine = CrowdFsm("Guest", Guest, Hall)
    dancing, eating = machine.add_state("Dancing"), machine.add_state("Eating")
    home = machine.add_state("Home")
    dancing.add_action(CrowdAction(on_update=get_hungry))
    eating.add_action(CrowdAction(on_enter=eat))
    dancing.add_transition("HUNGRY", eating)
    eating.add_transition("MUSIC", dancing)
    machine.add_global_transition("LIGHTS", home)
    crowd = Crowd(machine, size, start="Dancing", engine="python")
    crowd["hunger"][:] = [float(index % 5) for index in range(size)]
    return crowd


@pytest.fixture
def hall(inspected: Callable[..., Any]) -> Callable[..., Any]:
    """A page and its crowd, paused, so that a test steps as it likes.

    Nobody gets hungry before the pause: the number of updates up to there depends on the computer.
    """

    def open_page(crowd: Crowd, **options: Any) -> Any:
        heat, crowd.world.heat = crowd.world.heat, 0.0
        page = inspected(crowd, **options)
        if not options.get("read_only"):
            page.ask("pause")
        crowd.world.heat = heat
        return page

    return open_page


def detail(
    page: Any, machine: str = "Guest", wanted: Callable[[dict[str, Any]], object] = lambda _: True
) -> dict[str, Any]:
    """The next details of a machine that are wanted; those before may be on their way already."""

    def is_wanted(frame: dict[str, Any]) -> object:
        shown = frame["detail"]
        return shown and shown["machine"] == machine and wanted(shown)

    found: dict[str, Any] = page.frame(is_wanted)["detail"]
    return found


def first_frame(page: Any, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The first frame of all that fits, which may have come with an answer."""
    while not (found := [frame for frame in page.frames if wanted(frame)]):
        page.frame()
    return dict(found[0])


def step(page: Any, count: int) -> None:
    for _ in range(count):
        page.ask("step")


def test_the_greeting_says_that_it_is_a_crowd_and_what_its_agents_can_be_asked_about(
    hall: Any,
) -> None:
    hello = hall(party()).hello
    assert [hello[name] for name in ("kind", "title", "machines", "fields")] == [
        "crowd",
        "Guest, 10 agents",
        [["Guest", None]],
        ["hunger", "is_vip", "meals", "time_in_state", "state"],
    ]


def test_the_census_and_the_shares_are_those_of_the_crowd(hall: Any) -> None:
    crowd = party()
    page = hall(crowd)
    crowd.start("Eating", [0, 1, 2])
    shown = detail(page, wanted=lambda each: each["census"]["counts"]["Eating"])
    assert shown["census"] == {
        "size": 10,
        "counts": {"Dancing": 7, "Eating": 3, "Home": 0},
    }
    assert shown["share"] == {"Guest__Dancing": 0.7, "Guest__Eating": 0.3}
    assert shown["shade"] == {"Guest__Dancing": 1.0, "Guest__Eating": pytest.approx(3 / 7)}
    assert [row for row in shown["context"] if row[0] in ("world.heat", "is_vip")] == [
        ["world.heat", "1.0"],
        ["is_vip", "0 % are True"],
    ]


@pytest.mark.slow
def test_the_log_of_a_crowd_holds_a_census_of_every_quarter_of_a_second(hall: Any) -> None:
    page = hall(party())
    step(page, 70)
    log: list[dict[str, Any]] = []
    while not log or log[-1]["time"] < 1.0:
        page.frame()
        log = [e for frame in page.frames for e in frame["log"] if e["kind"] == "census"]
    times = [entry["time"] for entry in log]
    assert all(b - a >= 0.25 for a, b in pairwise(times))
    assert len(times) >= 4
    assert {sum(map(int, entry["counts"].split())) for entry in log} == {10}


def test_an_event_from_the_page_goes_to_all_and_says_how_many_it_moved(hall: Any) -> None:
    crowd = party()
    page = hall(crowd)
    crowd.start("Eating", [0, 1, 2])
    answer = page.ask("send", machine="Guest", event="MUSIC")
    assert answer["outcome"] == "3 of 10 agents have changed their state."
    assert crowd.count() == {"Dancing": 10, "Eating": 0, "Home": 0}


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ("MUSIC", "Up to 0 agents take 'MUSIC': those in Eating."),
        ("HUNGRY", "Up to 10 agents take 'HUNGRY': those in Dancing."),
        ("LIGHTS", "Every running agent may take 'LIGHTS', whatever its state."),
        ("MUSIK", "Nothing: no state knows 'MUSIK'."),
    ],
)
def test_the_page_says_beforehand_what_an_event_would_do(hall: Any, event: str, why: str) -> None:
    assert hall(party()).ask("ask", machine="Guest", event=event)["why"] == why


def test_an_agent_is_singled_out_by_its_index_and_shown_in_full(hall: Any) -> None:
    crowd = party()
    page = hall(crowd)
    crowd["hunger"][3] = 2.5
    assert page.ask("agent", index=3)["machine"] == "Guest 3"
    page.ask("select", machine="Guest 3")
    shown = detail(page, "Guest 3")
    assert (shown["state"], shown["lit"]) == ("Dancing", ["Guest__Dancing"])
    assert shown["context"][0] == ["hunger", "2.5"]
    assert [action["name"] for action in shown["actions"]] == ["CrowdAction"]


@pytest.mark.parametrize(
    ("comparison", "name", "count"),
    [
        (("hunger", ">", 3.5), "Guest 4", 2),
        (("hunger", "==", 3), "Guest 3", 2),
        (("is_vip", "!=", True), "Guest 0", 10),
        (("state", "==", "Eating"), "Guest 7", 1),
        (("state", "!=", "Dancing"), "Guest 7", 1),
        (("time_in_state", "<=", 0), "Guest 0", 10),
    ],
)
def test_an_agent_is_singled_out_by_a_comparison(
    hall: Any, comparison: tuple[str, str, object], name: str, count: int
) -> None:
    crowd = party()
    page = hall(crowd)
    crowd["hunger"][:] = [float(index % 5) for index in range(10)]
    crowd.start("Eating", [7])
    crowd["hunger"][7] = 2.0
    field, operator, value = comparison
    if field == "time_in_state":
        crowd.start("Dancing")
    answer = page.ask("find_agent", field=field, operator=operator, value=value)
    assert (answer["machine"], answer["count"]) == (name, count)


def test_the_same_comparison_finds_the_next_agent(hall: Any) -> None:
    page = hall(party())
    names = [
        page.ask("find_agent", field="state", operator="==", value="Dancing")["machine"]
        for _ in range(3)
    ]
    assert names == ["Guest 0", "Guest 1", "Guest 2"]


def test_the_log_of_an_agent_shows_its_changes_of_state(hall: Any) -> None:
    crowd = party()
    page = hall(crowd)
    crowd["hunger"][:] = 0.0
    page.ask("agent", index=4)
    page.ask("select", machine="Guest 4")
    step(page, 8)
    page.ask("send", machine="Guest 4", event="MUSIC")
    log: list[dict[str, Any]] = []
    while len(log) < 5:
        page.frame()
        log = [e for frame in page.frames for e in frame["log"] if e["machine"] == "Guest 4"]
    assert [(entry["kind"], entry["state"]) for entry in log] == [
        ("enter", "Dancing"),
        ("leave", "Dancing"),
        ("enter", "Eating"),
        ("leave", "Eating"),
        ("enter", "Dancing"),
    ]


def test_an_agent_keeps_its_number_when_others_are_removed_and_leaves_when_it_is(hall: Any) -> None:
    crowd = party()
    page = hall(crowd)
    page.ask("agent", index=8)
    page.ask("select", machine="Guest 8")
    crowd["meals"][8] = 5
    crowd.remove([0, 1, 2])
    page.ask("step")
    shown = detail(page, "Guest 8", lambda each: ["meals", "0"] not in each["context"])
    assert ["meals", "5"] in shown["context"]
    crowd.remove([5])
    page.ask("step")
    found = first_frame(page, lambda frame: "Guest 8" in frame["left"])
    assert found["selected"] == "Guest"


@pytest.mark.slow
def test_a_moment_of_the_past_shows_the_census_of_then(hall: Any) -> None:
    crowd = party()
    page = hall(crowd)
    crowd["hunger"][:] = 0.0
    step(page, 5)
    crowd.start("Home")
    step(page, 40)
    moment = page.ask("moment", machine="Guest", time=0.05)["moment"]
    assert moment["detail"]["census"]["counts"] == {"Dancing": 10, "Eating": 0, "Home": 0}
    assert moment["can_go_on"] is False
    now = page.ask("moment", machine="Guest", time=99.0)["moment"]
    assert now["detail"]["census"]["counts"] == {"Dancing": 0, "Eating": 0, "Home": 10}


REFUSED = [
    ({"do": "agent", "index": 10}, "There is no agent 10: they go from 0 to 9."),
    ({"do": "agent", "index": -1}, "There is no agent -1: they go from 0 to 9."),
    ({"do": "agent", "index": True}, "'agent': 'index' must be an integer, got True."),
    (
        {"do": "find_agent", "field": "hungr", "operator": "<", "value": 1},
        (
            "The agents have no field 'hungr'. Choose one of: hunger, is_vip, meals, state, "
            "time_in_state."
        ),
    ),
    (
        {"do": "find_agent", "field": "hunger", "operator": "in", "value": 1},
        "A comparison must be '<', '<=', '>=', '>', '==' or '!=', got 'in'.",
    ),
    (
        {"do": "find_agent", "field": "hunger", "operator": "<", "value": "__import__('os')"},
        "'hunger' must be compared with a number, got \"__import__('os')\".",
    ),
    (
        {"do": "find_agent", "field": "hunger", "operator": "<", "value": [1]},
        "'hunger' must be compared with a number, got [1].",
    ),
    (
        {"do": "find_agent", "field": "is_vip", "operator": "<", "value": 1},
        "'is_vip' is true or false: write is_vip == true, or != true.",
    ),
    (
        {"do": "find_agent", "field": "state", "operator": "==", "value": ["Eating"]},
        "There is no state ['Eating']. Choose one of: Dancing, Eating, Home.",
    ),
    (
        {"do": "find_agent", "field": "hunger", "operator": ">", "value": 10**30},
        f"'hunger' must be compared with a number, got {10**30}.",
    ),
    (
        {"do": "find_agent", "field": "hunger", "operator": ">", "value": 1000},
        "There is no agent with hunger > 1000.",
    ),
    (
        {"do": "let_go", "machine": "Guest"},
        "'Guest' is not (or no longer) an agent that was singled out.",
    ),
    (
        {"do": "send", "machine": "Guest", "event": "MUSIK"},
        (
            "Crowd of 'Guest': no state knows 'MUSIK'. Known events: 'HUNGRY', 'MUSIC', 'LIGHTS'. "
            "Check the spelling."
        ),
    ),
    (
        {"do": "send", "machine": "Guest", "event": "MUSIC", "data": 1},
        "The events of a crowd carry no data. Leave the field empty.",
    ),
    ({"do": "force", "machine": "Guest", "state": "Bed"}, "'Guest' has no state 'Bed'."),
]


@pytest.mark.parametrize(("message", "error"), REFUSED, ids=lambda each: str(each)[:60])
def test_what_a_crowd_cannot_do_is_refused_with_the_reason(
    hall: Any, message: dict[str, Any], error: str
) -> None:
    page = hall(party())
    assert page.ask(**message)["error"] == error


def test_an_endless_wait_for_a_change_is_refused(hall: Any) -> None:
    page = hall(party())
    of_any = [page.ask("run_to_change"), page.ask("set_breakpoint", kind="error")]
    assert [answer["error"].partition(",")[0] for answer in of_any] == 2 * [
        "The agents of a crowd run in compiled code"
    ]


def test_an_empty_crowd_says_so(hall: Any) -> None:
    page = hall(party(0))
    assert page.hello["title"] == "Guest, 0 agents"
    assert page.ask("agent", index=0)["error"] == "There is no agent 0: the crowd is empty."
    assert hall(party(1)).hello["title"] == "Guest, 1 agent"


def test_the_states_of_a_crowd_differ_in_colour(hall: Any) -> None:
    assert hall(party()).ask("colours")["colours"] == {"Dancing": 0, "Eating": 1, "Home": 2}


@pytest.mark.parametrize(
    "message",
    [
        {"do": "break", "machine": "Guest", "kind": "state", "name": "Eating", "on": True},
        {"do": "suspend", "machine": "Guest", "on": True},
        {"do": "enable", "machine": "Guest", "state": "Eating", "place": "0", "on": False},
    ],
)
def test_requests_about_a_machine_say_that_an_agent_has_none(
    hall: Any, message: dict[str, Any]
) -> None:
    error = hall(party()).ask(**message)["error"]
    assert error.startswith("'Guest' runs in a crowd, in compiled code")


def test_a_read_only_page_may_single_out_but_not_send(hall: Any) -> None:
    page = hall(party(), read_only=True)
    assert page.ask("agent", index=1)["machine"] == "Guest 1"
    assert "read-only" in page.ask("send", machine="Guest", event="MUSIC")["error"]


@pytest.mark.slow
def test_at_most_fifty_agents_are_singled_out(hall: Any) -> None:
    page = hall(party(60))
    for index in range(50):
        page.ask("agent", index=index)
    refusal = page.ask("agent", index=50)["error"]
    assert refusal == "50 agents are singled out already. Let go of one first."
    page.ask("let_go", machine="Guest 0")
    assert page.ask("agent", index=50)["machine"] == "Guest 50"


def test_an_error_of_an_agent_is_in_the_log_and_is_raised_to_the_program(hall: Any) -> None:
    def trip(guest: Guest, _hall: Hall) -> None:
        guest.hunger = 1.0 / guest.meals

    machine = CrowdFsm("Guest", Guest, Hall)
    machine.add_state("Walking").add_action(CrowdAction(on_update=trip))
    crowd = Crowd(machine, 3, start="Walking", engine="python")
    crowd["meals"][:] = 1
    page = hall(crowd)
    crowd["meals"][1] = 0
    raised: list[str] = []

    def update() -> None:
        try:
            crowd.update(DT)
        except ZeroDivisionError as error:
            raised.append(str(error))

    page.update = update
    page.ask("step")
    frame = first_frame(page, lambda each: any(e["kind"] == "error" for e in each["log"]))
    [text] = [entry["text"] for entry in frame["log"] if entry["kind"] == "error"]
    assert raised == ["division by zero"]
    assert text.startswith(
        "ZeroDivisionError: division by zero\nCrowd of 'Guest', agent 1, state 'Walking'"
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"record": True}, "record cannot be given with a crowd"),
        ({"watch": ["hunger"]}, "watch cannot be given with a crowd"),
        ({"stop_on_error": True}, "stop_on_error cannot be given with a crowd"),
    ],
)
def test_inspect_refuses_what_is_for_machines_only(options: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        inspect(party(), announce=None, **options)


def test_a_crowd_is_inspected_once_and_free_again_afterwards() -> None:
    crowd = party()
    with inspect(crowd, announce=None):
        with pytest.raises(ValueError, match="already inspected"):
            inspect(crowd, announce=None)
        crowd.update(DT)
    with inspect(crowd, announce=None):
        crowd.update(DT)
    assert crowd.time == 2 * DT
