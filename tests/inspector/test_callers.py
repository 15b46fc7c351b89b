"""Who has sent an event, or started or stopped a machine, and from which line: in the log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import Broadcast, DelegateAction, Regions, RunFsm, SendEvent, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.inspector.live.requests.page_request import PageRequest
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.entries import event_entry
from fsmkit.introspection.definition_sites import noting_places

FILE = Path(__file__)
LINES = FILE.read_text(encoding="utf-8").splitlines()


def at(mark: str, function: str = "") -> str:
    """Return the text of the line that ends with this comment."""
    [line] = [n for n, text in enumerate(LINES, start=1) if text.endswith(f"# {mark}")]
    return f"{FILE.name}:{line} {function}".strip()


class Game:
    """Machines, inspected without a server."""

    def __init__(self, *machines: Fsm[Any], record: bool = False, **options: Any) -> None:
        self.machines = machines[0] if len(machines) == 1 else FsmGroup(machines)
        self.session = Session(
            self.machines,
            rate=60.0,
            record=record,
            while_held=None,
            signal=None,
            code=Code(**options),
        )

    def update(self, dt: float = 0.5) -> None:
        self.machines.update(dt)

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer to a page's request."""
        answers: list[dict[str, Any]] = []
        self.session.ask(PageRequest(do, arguments, answers.append))
        self.update(0.0)
        return answers[0]

    def entries(self, name: str) -> list[dict[str, Any]]:
        return list(self.session.subscribers.watched(name).log.since(0))

    def journal(self, name: str) -> list[str]:
        return [told(entry) for entry in self.entries(name)]


def told(entry: dict[str, Any]) -> str:
    """Return an entry as one line: what, who, how, where."""
    what = entry.get("event") if entry["kind"] == "event" else f"{entry['kind']} {entry['state']}"
    parts = [what, entry.get("outcome"), entry.get("call"), "global" * entry.get("global", False)]
    who = [entry.get("how"), entry.get("sender"), entry.get("place", {}).get("text")]
    return " | ".join(filter(None, (" ".join(filter(None, parts)), *who)))


@pytest.fixture
def game() -> Iterator[Any]:
    games: list[Game] = []

    def begin(*machines: Fsm[Any], **options: Any) -> Game:
        games.append(Game(*machines, **options))
        return games[-1]

    yield begin
    for each in games:
        each.session.close()


def lamp(name: str = "Lamp") -> Fsm[None]:
    fsm: Fsm[None] = Fsm(name)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_action(TimedWait(1000.0))
    on.add_action(TimedWait(1000.0))
    off.add_transition("ON", on)
    on.add_transition("OFF", off)
    return fsm


class Bullet:
    def __init__(self, target: Fsm[Any]) -> None:
        self.target = target

    def hit(self) -> None:
        self.target.send_event("ON")  # method


class Scout(FsmAction[Any]):
    """Sends events in a function of its own."""

    def __init__(self, *targets: Fsm[Any]) -> None:
        self.targets = targets

    def on_update(self) -> None:
        self.shout()

    def shout(self) -> None:
        for target in self.targets:
            target.send_event("ON")  # scout


def test_external_calls_name_the_line_and_the_function(game: Any) -> None:
    fsm = lamp()
    played = game(fsm)
    name = "test_external_calls_name_the_line_and_the_function()"
    fsm.start()  # start
    press = lambda: fsm.send_event("ON")  # lambda  # noqa: E731
    press()
    fsm.send_event("OFF")  # function
    Bullet(fsm).hit()
    fsm.send_event("ONN")  # unhandled
    fsm.start("Off")  # again
    fsm.stop()  # stop
    assert played.journal("Lamp") == [
        f"enter Off start() | {at('start', name)}",
        f"ON changed | {at('lambda  # noqa: E731', f'lambda in {name}')}",
        "leave Off",
        "enter On",
        f"OFF changed | {at('function', name)}",
        "leave On",
        "enter Off",
        f"ON changed | {at('method', 'Bullet.hit()')}",
        "leave Off",
        "enter On",
        f"ONN unhandled | {at('unhandled', name)}",
        "leave On",
        f"enter Off start() | {at('again', name)}",
        f"leave Off stop() | {at('stop', name)}",
    ]


def test_a_call_at_module_level_has_no_function(game: Any, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text("fsm.start()\n[fsm.send_event(e) for e in ['ON']]\n", encoding="utf-8")
    fsm = lamp()
    played = game(fsm)
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), {"fsm": fsm})
    assert played.journal("Lamp") == [
        "enter Off start() | script.py:1",
        "ON changed | script.py:2",
        "leave Off",
        "enter On",
    ]
    assert [entry["place"]["path"] for entry in played.entries("Lamp") if "place" in entry] == [
        f"{file}:1",
        f"{file}:2",
    ]


def test_an_action_of_the_same_machine_is_named_with_its_line(game: Any) -> None:
    fsm: Fsm[None] = Fsm("Door")
    names = ("Shut", "Ajar", "Open", "Wide")
    shut, ajar, opened, wide = (fsm.add_state(name) for name in names)
    shut.add_action(SendEvent("PUSHED"))
    ajar.add_action(Scout(fsm))
    opened.add_action(
        DelegateAction(on_enter=lambda state: state.fsm.send_event("BLOWN"))  # given
    )
    shut.add_transition("PUSHED", ajar)
    ajar.add_transition("ON", opened)
    opened.add_transition("BLOWN", wide)
    wide.add_transition(FINISHED, shut)
    with noting_places() as places:
        wide.add_action(TimedWait(0.25))  # added
    played = game(fsm, places=places)
    fsm.start("Ajar")  # ajar
    played.update()
    function = "test_an_action_of_the_same_machine_is_named_with_its_line()"
    given = f"lambda in {function}"
    assert played.journal("Door") == [
        f"enter Ajar start() | {at('ajar', function)}",
        f"ON changed | Ajar.actions[0] (Scout) | {at('scout', 'Scout.shout()')}",
        "leave Ajar",
        "enter Open",
        f"BLOWN changed | Open.actions[0] (DelegateAction) | {at('given', given)}",
        "leave Open",
        "enter Wide",
    ]
    played.update()
    assert played.journal("Door")[7:] == [
        f"FINISHED changed | Wide.actions[0] (TimedWait) | {at('added')}",
        "leave Wide",
        "enter Shut",
        f"PUSHED changed | Shut.actions[0] (SendEvent) | {of_class('send_event.py', 'SendEvent')}",
        "leave Shut",
        "enter Ajar",
    ]


def of_class(file: str, name: str) -> str:
    """Return the text of the line of a class of ours, or that of its decorator."""
    lines = (FILE.parents[2] / "actions" / file).read_text(encoding="utf-8").splitlines()
    line = next(
        n + (not before.startswith("@"))
        for n, (before, text) in enumerate(pairwise(lines), start=1)
        if text.startswith(f"class {name}(")
    )
    return f"{file}:{line}"


def test_an_action_of_another_machine_is_named_with_that_machine(game: Any) -> None:
    fsm, wolf = lamp(), Fsm[None]("Wolf")
    hunt = wolf.add_state("Hunt")
    hunt.add_action(Scout(fsm))
    hunt.add_action(SendEvent("OFF", to=fsm))
    fsm.start()
    played = game(fsm, wolf)
    wolf.start()
    played.update()
    send_event = of_class("send_event.py", "SendEvent")
    assert played.journal("Lamp")[1:] == [
        f"OFF unhandled | Wolf: Hunt.actions[1] (SendEvent) | {send_event}",
        f"ON changed | Wolf: Hunt.actions[0] (Scout) | {at('scout', 'Scout.shout()')}",
        "leave Off",
        "enter On",
    ]


def nest(inner: Fsm[Any]) -> Fsm[None]:
    outer: Fsm[None] = Fsm("Outer")
    outer.add_state("Fight").add_action(Regions(RunFsm(inner)))
    return outer


def test_an_event_that_an_outer_machine_passes_on_keeps_its_sender(game: Any) -> None:
    inner = lamp("Inner")
    outer = nest(inner)
    outer.start()
    played = game(outer)
    function = "test_an_event_that_an_outer_machine_passes_on_keeps_its_sender()"
    outer.send_event("ON")  # handed
    outer.post_event("OFF")  # posted on
    played.update()
    assert [line for line in played.journal("Outer") if "|" in line] == [
        f"ON changed | {at('handed', function)}",
        f"ON consumed | {at('handed', function)}",
        f"OFF changed | posted | {at('posted on', function)}",
        f"OFF consumed | posted | {at('posted on', function)}",
    ]


def test_a_nested_machine_is_started_by_its_action_and_sends_outward(game: Any) -> None:
    inner, outer = lamp("Inner"), Fsm[None]("Outer")
    inner.states["On"].add_transition("DONE", inner.add_state("End", final=True))
    fight, rest = outer.add_state("Fight"), outer.add_state("Rest")
    fight.add_action(RunFsm(inner, {"End": "WON"}))
    fight.add_transition("WON", rest)
    played = game(outer)
    outer.start()
    inner.start("On")
    inner.send_event("DONE")  # done
    run_fsm = of_class("run_fsm.py", "RunFsm")
    told_by = [line for line in played.journal("Outer") if "RunFsm" in line]
    assert told_by == [
        f"enter Off start() | Outer: Fight.actions[0] (RunFsm) | {run_fsm}",
        f"WON changed | Fight.actions[0] (RunFsm) | {run_fsm}",
        f"leave End stop() | Outer: Fight.actions[0] (RunFsm) | {run_fsm}",
    ]


@pytest.mark.parametrize("record", [False, True])
def test_posted_and_delayed_events_name_who_has_posted_them(game: Any, record: bool) -> None:
    fsm = lamp()
    fsm.start()
    played = game(fsm, record=record)
    function = "test_posted_and_delayed_events_name_who_has_posted_them()"

    def post() -> None:
        fsm.post_event("ON")  # thread

    thread = Thread(target=post)
    thread.start()
    thread.join()
    fsm.post_event("ONN", 7)  # posted
    fsm.send_event_after(0.75, "OFF", keep=True)  # delayed
    fsm.send_event_after(0.5, "OFF", keep=True).cancel()
    played.update()
    played.update()
    assert played.journal("Lamp")[1:] == [
        f"ON changed | posted | {at('thread', f'{function}.post()')}".replace(f"{function}.", ""),
        "leave Off",
        "enter On",
        f"ONN unhandled | posted | {at('posted', function)}",
        f"OFF changed | after 0.75 s | {at('delayed', function)}",
        "leave On",
        "enter Off",
    ]


def test_a_queued_event_names_its_sender_twice(game: Any) -> None:
    fsm = lamp()
    fsm.states["Off"].add_action(DelegateAction(on_exit=lambda: fsm.post_event("OFF")))  # left

    def twice() -> None:
        fsm.send_event("ON")  # first
        fsm.send_event("OFF")  # second

    fsm.states["Off"].add_action(DelegateAction(on_update=twice))
    fsm.start()
    played = game(fsm)
    played.update()
    function = "test_a_queued_event_names_its_sender_twice()"
    sender = "Off.actions[2] (DelegateAction)"
    assert played.journal("Lamp")[1:] == [
        f"ON changed | {sender} | {at('first', 'twice()')}",
        f"OFF queued | {sender} | {at('second', 'twice()')}",
        "leave Off",
        "enter On",
        f"OFF changed | {sender} | {at('second', 'twice()')}",
        "leave On",
        "enter Off",
    ]
    played.update(0.0)
    posted = f"posted | Off.actions[1] (DelegateAction) | {at('left', f'lambda in {function}')}"
    assert played.journal("Lamp")[8] == f"OFF unhandled | {posted}"


def test_what_a_page_asks_for_comes_from_the_page(game: Any) -> None:
    fsm = lamp()
    fsm.start()
    played = game(fsm)
    played.ask("send", machine="Lamp", event="ON")
    played.ask("send", machine="Lamp", event="FINISHD")
    played.ask("force", machine="Lamp", state="Off")
    assert played.journal("Lamp")[1:] == [
        "ON changed | the page",
        "leave Off",
        "enter On",
        "leave On",
        "enter Off start() | the page",
    ]


def test_a_broadcast_names_the_line_that_calls_it_or_the_action(game: Any) -> None:
    fsm, other = lamp(), lamp("Other")
    group = FsmGroup([fsm, other])
    other.states["Off"].add_action(DelegateAction(on_update=lambda: None))
    sender: Fsm[None] = Fsm("Sender")
    sender.add_state("Call").add_action(Broadcast(group, "OFF"))
    fsm.start()
    other.start()
    played = game(fsm, other, sender)
    group.broadcast("ON")  # broadcast
    sender.start()
    function = "test_a_broadcast_names_the_line_that_calls_it_or_the_action()"
    line = of_class("broadcast.py", "Broadcast")
    assert [told for told in played.journal("Lamp") if "|" in told] == [
        f"ON changed | {at('broadcast', function)}",
        f"OFF changed | Sender: Call.actions[0] (Broadcast) | {line}",
    ]


def test_a_global_transition_and_its_functions_have_lines(game: Any) -> None:
    fsm = lamp()
    fsm.context = None

    def is_weak() -> bool:  # weak
        return True

    def drop() -> None:  # drop
        pass

    with noting_places() as places:
        fsm.add_global_transition("HIT", fsm.add_state("Dead"), when=is_weak, do=drop)  # way
    played = game(fsm, places=places)
    fsm.start()
    fsm.send_event("HIT")  # hit
    [entry] = [each for each in played.entries("Lamp") if each["kind"] == "event"]
    keys = ("global", "guard", "effect")
    name = "test_a_global_transition_and_its_functions_have_lines"
    assert [entry[key] for key in keys] == [True, "is_weak", "drop"]
    assert [(line["what"], line["text"]) for line in entry["lines"]] == [
        ("added", at("way")),
        ("guard", at("weak")),
        ("effect", at("drop")),
    ]
    detail = played.session.subscribers.watched("Lamp").detail()
    assert detail["edge"] == "Lamp__--Lamp__Dead"
    assert detail["origin"]["place"]["text"] == at("hit", f"{name}()")


def test_an_entry_names_the_transition_that_was_taken_among_those_of_its_event(game: Any) -> None:
    fsm = Fsm("Lamp")
    off, on, dim = map(fsm.add_state, ("Off", "On", "Dim"))
    off.add_transition("ON", dim, when=lambda: False)
    off.add_transition("ON", on)
    group = fsm.add_group("Lit", on, dim)
    group.add_transition("OFF", off, when=lambda: False)
    group.add_transition("OFF", off)
    fsm.add_global_transition("DIM", dim)
    played = game(fsm)
    fsm.start()
    for event in ("ON", "OFF", "DIM"):
        fsm.send_event(event)
    keys = ("event", "ranks", "group", "global")
    entries = [each for each in played.entries("Lamp") if each["kind"] == "event"]
    assert [tuple(entry.get(key) for key in keys) for entry in entries] == [
        ("ON", [1], None, None),
        ("OFF", [0, 1], "Lit", None),  # they differ in their guards alone
        ("DIM", None, None, True),
    ]


def test_the_guards_that_have_refused_are_named_with_their_lines(game: Any) -> None:
    fsm = lamp()
    fsm.states["Off"].add_transition("HIT", fsm.states["On"], when=lambda: False)  # refuses
    played = game(fsm)
    fsm.start()
    fsm.send_event("HIT")
    entry = played.entries("Lamp")[-1]
    assert (entry["outcome"], entry["why"]) == ("refused", "Refused by False.")
    assert [(line["what"], line["text"]) for line in entry["lines"]] == [("False", at("refuses"))]


def test_an_error_names_the_line_that_raised_it(game: Any) -> None:
    fsm = lamp()

    def fail() -> None:
        raise ValueError("no bulb")  # raises

    fsm.states["On"].add_action(DelegateAction(on_enter=fail))
    played = game(fsm)
    fsm.start()
    with pytest.raises(ValueError, match="no bulb"):
        fsm.send_event("ON")
    assert told(played.entries("Lamp")[-1]) == f"error On | {at('raises', 'fail()')}"


def test_what_was_sent_before_the_machine_was_watched_has_no_sender(game: Any) -> None:
    fsm, first = lamp(), lamp("First")
    fsm.start()
    fsm.post_event("ON")
    played = game(first, fsm)
    played.session.subscribers.watched("Lamp")
    played.update()
    assert played.journal("Lamp")[1:] == ["ON changed", "leave Off", "enter On"]


def test_of_a_machine_that_is_not_watched_the_sender_is_known_while_it_sends(game: Any) -> None:
    seen: list[str] = []
    fsm, first = lamp(), lamp("First")
    played = game(first, fsm)

    class Ring:
        def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
            calls = played.session.journal.calls
            caller = calls.sender(fsm, event)
            entry = event_entry(
                fsm, event, data, outcome, why="", caller=caller, code=calls.code, decided=[]
            )
            seen.append(told({"kind": "event", **entry}))

    fsm.observe(Ring())
    fsm.start()
    fsm.send_event("ONN")  # ring
    fsm.post_event("ONNN")
    played.update()
    name = "test_of_a_machine_that_is_not_watched_the_sender_is_known_while_it_sends()"
    assert seen == [f"ONN unhandled | {at('ring', name)}", "ONNN unhandled"]


def test_machines_that_nobody_watches_name_senders_and_lines_of_what_goes_wrong(game: Any) -> None:
    fsm, first = lamp(), lamp("First")

    def fail() -> None:
        raise ValueError("no bulb")  # bulb

    fsm.states["On"].add_action(DelegateAction(on_enter=fail))
    played = game(first, fsm)
    fsm.start()
    for machine in first, fsm:
        machine.send_event("ONN")  # trouble
    with pytest.raises(ValueError, match="no bulb"):
        fsm.send_event("ON")
    name = "test_machines_that_nobody_watches_name_senders_and_lines_of_what_goes_wrong()"
    entries = [entry for entry in played.session.journal.entries if entry.get("kind") != "note"]
    assert [told(entry) for entry in entries] == [
        f"ONN unhandled | {at('trouble', name)}",
        f"ONN unhandled | {at('trouble', name)}",
        f"error On | {at('bulb', 'fail()')}",
    ]


WAYS = ("send", "post", "delay", "by_action", "by_other")


@pytest.mark.slow
@given(st.lists(st.sampled_from(WAYS), max_size=12))
def test_whatever_the_order_each_event_has_the_line_that_sent_it(ways: list[str]) -> None:
    fsm = Fsm[None]("Lamp")
    fsm.add_state("On")
    errands: list[str] = []
    other: Fsm[None] = Fsm("Other")
    for machine, mine in (fsm, "by_action"), (other, "by_other"):
        state = machine.states.get("On") or machine.add_state("On")

        def send(mine: str = mine) -> None:
            while errands and errands[0].startswith(mine):
                fsm.send_event(errands.pop(0))  # errand

        state.add_action(DelegateAction(on_update=send))
        machine.start()
    played = Game(fsm, other)
    for number, way in enumerate(ways):
        if way == "send":
            fsm.send_event(f"send {number}")  # send
        elif way == "post":
            fsm.post_event(f"post {number}")  # post
        elif way == "delay":
            fsm.send_event_after(0.5, f"delay {number}")  # delay
        else:
            errands.append(f"{way} {number}")
            played.update()
    played.update()
    played.session.close()
    lines = {way: at(way).split()[0] for way in ("send", "post", "delay")}
    errand = at("errand").split()[0]
    found = [entry for entry in played.entries("Lamp") if entry["kind"] == "event"]
    assert sorted(entry["event"].split()[0] for entry in found) == sorted(ways)
    assert [entry["place"]["text"].split()[0] for entry in found] == [
        lines.get(entry["event"].split()[0], errand) for entry in found
    ]
