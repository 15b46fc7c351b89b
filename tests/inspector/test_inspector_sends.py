"""Which machine sends which event to which, as the page gets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actions import DelegateAction, RunFsm
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.inspector.live.mailbox import PageMailbox, SendNews
from fsmkit.inspector.live.requests.page_request import PageRequest
from fsmkit.inspector.live.senders import FEW, MOST_SENDS
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.reading.machine_log import Ring

DT = 1 / 4
HERE = Path(__file__).name


class Bark(FsmAction[Any]):
    """Sends an event to others once, when it is updated."""

    def __init__(self, *others: Fsm[Any], event: str = "BARK") -> None:
        self.others = others
        self.event = event

    def on_update(self) -> None:
        for other in self.others:
            other.send_event(self.event)
        self.finish()


def dog(name: str, *actions: FsmAction[Any]) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm(name)
    calm, alert = fsm.add_state("Calm"), fsm.add_state("Alert")
    for action in actions:
        calm.add_action(action)
    calm.add_transition("BARK", alert)
    calm.add_transition("BITE", alert, when=lambda _: False)
    alert.add_transition("HUSH", calm)
    fsm.start()
    return fsm


class Game:
    """A group, inspected without a server, and a page that shows senders and receivers."""

    def __init__(self, *machines: Fsm[Any], follows: bool = True) -> None:
        self.group = FsmGroup(machines)
        self.session = Session(self.group, rate=60.0, record=False, while_held=None)
        self.page = PageMailbox(lambda: None)
        self.session.join(self.page)
        if follows:
            self.follow()

    def follow(self, on: bool = True) -> None:
        self.session.ask(PageRequest("follow_sends", {"on": on, "page": self.page}))
        self.group.update(0.0)

    def take(self) -> list[dict[str, Any]]:
        self.session.subscribers.hurry()
        self.group.update(0.0)
        message = self.page.take() or {}
        return message.get("sends", {}).get("entries", [])

    def journal(self) -> list[str]:
        return [told(entry) for entry in self.take()]


def told(entry: dict[str, Any]) -> str:
    """Return an entry as one line."""
    sender = entry.get("by", "outside")
    place = entry.get("place", {}).get("text", "").split(" ")[-1]
    how = [entry.get("how"), "handed on" * entry.get("handed", False), place]
    line = f"{sender} -> {entry['machine']}: {entry['event']}, {entry['outcome']}"
    return " | ".join(filter(None, (line, *how)))


@pytest.fixture
def game() -> Iterator[Callable[..., Game]]:
    games: list[Game] = []

    def begin(*machines: Fsm[Any], **options: Any) -> Game:
        games.append(Game(*machines, **options))
        return games[-1]

    yield begin
    for each in games:
        each.session.close()


def test_each_event_has_its_sender_receiver_and_outcome(game: Any) -> None:
    rex, fido, idle = dog("Rex"), dog("Fido"), dog("Idle")
    barker = dog("Barker", Bark(rex, fido), Bark(rex))
    played = game(barker, rex, fido, idle)
    played.group.update(DT)
    rex.send_event("WHISTLE")
    fido.send_event("HUSH")
    idle.send_event("BITE")
    name = "test_each_event_has_its_sender_receiver_and_outcome()"
    assert played.journal() == [
        "Barker -> Rex: BARK, changed | Bark.on_update()",
        "Barker -> Fido: BARK, changed | Bark.on_update()",
        "Barker -> Rex: BARK, unhandled | Bark.on_update()",
        f"outside -> Rex: WHISTLE, unhandled | {name}",
        f"outside -> Fido: HUSH, changed | {name}",
        f"outside -> Idle: BITE, refused | {name}",
    ]


def test_an_effect_is_a_sender_too(game: Any) -> None:
    rex = dog("Rex")
    barker = dog("Barker")
    barker.states["Alert"].add_transition("GROWL", "Calm", do=lambda _: rex.send_event("BARK"))
    barker.start("Alert")
    played = game(barker, rex)
    barker.send_event("GROWL")
    [entry, other] = sorted(played.take(), key=lambda each: each["machine"])
    assert (entry["machine"], entry.get("by")) == ("Barker", None)
    assert (other["machine"], other["by"]) == ("Rex", "Barker")
    assert other["sender"] == "Barker: the effect of a transition"


def test_what_a_machine_sends_to_itself_is_left_out(game: Any) -> None:
    fsm = dog("Rex", DelegateAction(on_update=lambda state: state.fsm.send_event("BARK")))
    played = game(fsm, dog("Fido"))
    played.group.update(DT)
    assert (fsm.current_state is fsm.states["Alert"], played.journal()) == (True, [])


def test_a_delayed_event_of_its_own_is_left_out_and_one_of_before_has_no_sender(game: Any) -> None:
    rex, fido = dog("Rex"), dog("Fido")
    rex.states["Alert"].add_action(
        DelegateAction(lambda state: (state.fsm.send_event_after(DT, "HUSH"), None)[1])
    )
    selected = dog("Selected")
    played = game(selected, rex, fido, follows=False)
    fido.send_event_after(2 * DT, "BARK")
    played.follow()
    rex.start("Alert")
    played.group.update(DT)
    assert (rex.current_state is rex.states["Calm"], played.journal()) == (True, [])
    played.group.update(DT)
    assert played.journal() == ["outside -> Fido: BARK, changed"]
    fido.send_event_after(DT, "HUSH")
    played.group.update(DT)
    name = "test_a_delayed_event_of_its_own_is_left_out_and_one_of_before_has_no_sender()"
    assert played.journal() == [f"outside -> Fido: HUSH, changed | after 0.25 s | {name}"]
    played.follow(on=False)


def test_a_queued_event_has_the_sender_that_queued_it(game: Any) -> None:
    rex, barker = dog("Rex"), dog("Barker")
    rex.states["Alert"].add_action(
        DelegateAction(on_enter=lambda _: (barker.send_event("BARK"), None)[1])
    )
    barker.states["Calm"].add_action(Bark(rex))
    barker.start("Calm")
    played = game(barker, rex)
    played.group.update(DT)  # Barker is busy while Rex answers
    journal = played.journal()
    assert [line.split(" | ")[0] for line in journal] == [
        "Barker -> Rex: BARK, changed",
        "Rex -> Barker: BARK, changed",
    ]


def test_nested_machines_are_shown_by_name_and_what_is_passed_on_is_marked(game: Any) -> None:
    inner, rex = dog("Inner"), dog("Rex")
    house: Fsm[Any] = Fsm("House", on_unhandled="ignore")
    house.add_state("Open").add_action(RunFsm(inner))
    house.start()
    barker = dog("Barker", Bark(house), Bark(inner, event="HUSH"))
    played = game(barker, house, rex)
    played.group.update(DT)
    entries = played.take()
    assert [(each["to"], told(each)) for each in entries] == [
        ("House", "Barker -> House/Inner: BARK, changed | handed on | Bark.on_update()"),
        ("House", "Barker -> House: BARK, consumed | Bark.on_update()"),
        ("House", "Barker -> House/Inner: HUSH, changed | Bark.on_update()"),
    ]


def test_a_large_group_is_noted_only_while_a_page_shows_it(game: Any) -> None:
    dogs = [dog(f"Dog {number}") for number in range(FEW + 1)]
    played = game(*dogs, follows=False)
    dogs[0].send_event("BARK")
    played.follow()
    assert played.journal() == []
    dogs[1].send_event("BARK")
    assert len(played.journal()) == 1
    played.follow(on=False)
    dogs[2].send_event("BARK")
    played.follow()
    assert [each["machine"] for each in played.take()] == ["Dog 1"]
    played.session.leave(played.page)
    dogs[3].send_event("BARK")
    assert len(played.session.journal.names) == FEW + 1


def test_a_page_that_is_opened_later_gets_what_was_noted_before(game: Any) -> None:
    rex = dog("Rex")
    played = game(rex, dog("Fido"), follows=False)
    rex.send_event("BARK")
    assert played.take() == []
    played.follow()
    assert [each["event"] for each in played.take()] == ["BARK"]
    assert played.take() == []


@pytest.mark.slow
def test_no_more_is_kept_than_the_latest_ones(game: Any) -> None:
    rex = dog("Rex")
    played = game(rex, dog("Fido"))
    for _ in range(MOST_SENDS + 5):
        rex.send_event("WHISTLE")
    entries = played.take()
    assert (len(entries), entries[0]["seq"]) == (MOST_SENDS, 5)


def test_of_what_waits_for_a_slow_page_the_oldest_are_dropped() -> None:
    ring: Ring[dict[str, Any]] = Ring(10)
    news = SendNews()
    news.want(True)
    for seq in range(8):
        ring.add({"seq": seq})
        news.collect(ring, 5)
    taken = news.take()
    assert taken is not None
    assert [entry["seq"] for entry in taken["entries"]] == [3, 4, 5, 6, 7]
    assert (taken["reset"], news.take()) == (True, None)


class Asked(Fsm[Any]):
    """Counts how often its phase is read."""

    __slots__ = ("asked",)

    @property
    def phase(self) -> str | None:
        self.asked += 1
        return super().phase


def test_an_event_costs_as_much_after_many_as_at_first(game: Any) -> None:
    lamp = Asked("Lamp")
    lamp.asked = 0
    off, on = lamp.add_state("Off"), lamp.add_state("On")
    off.add_transition("HIT", on)
    on.add_transition("HIT", off)
    lamp.start()
    game(lamp)
    counts: list[int] = []
    for _ in range(100):
        lamp.asked = 0
        lamp.send_event("HIT")
        counts.append(lamp.asked)
    assert len(set(counts[2:])) == 1
