"""The show around the game: a title, one night after another, and how each has ended."""

from __future__ import annotations

from collections.abc import Mapping

import events
from attrs import define, field
from cards import ENDINGS, PAUSED, TITLE, Card
from chronicle import Chronicle
from difficulty import DIFFICULTIES, NORMAL, Difficulty
from game import Game
from hints import Hint, hint_machine
from inspection import Inspection, inspection_machine
from museums import MUSEUMS, PALACE, Museum
from soundtrack import Speaker, add_sounds, add_voices

from actions import (
    Broadcast,
    DelegateAction,
    Play,
    RunFsm,
    SendEventWhen,
    Sequence,
    SetValue,
    TimedWait,
    Tween,
)
from fsmkit import BACK, FINISHED, Fsm, FsmGroup, FsmState


@define(eq=False)
class Show:
    inspection: Inspection = field(factory=lambda: Inspection(FsmGroup()))
    museum: Museum = PALACE
    difficulty: Difficulty = NORMAL
    speaker: Speaker = field(factory=Speaker)
    hint: Hint = field(factory=Hint)
    game: Game = field(init=False)
    chronicle: Chronicle = field(init=False)
    _voices: list[Play] = field(factory=list, init=False)
    card: Card = field(default=TITLE, init=False)
    veil: float = field(default=1.0, init=False)
    """The share of the card that has come up, from 0 to 1."""
    shows_states: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin a new night, with new machines in the place of the old ones."""
        machines = self.inspection.machines
        for machine in machines:
            machine.stop()
            machines.remove(machine)
        self.game = Game(self.museum, self.difficulty, machines)
        self.chronicle = Chronicle(self.game)
        self.game.start()
        add_sounds(self.game, self.speaker.sounds)
        self._voices = add_voices(self.game.guards, self.speaker.sounds)

    def reload_guards(self) -> str:
        """See `Game.reload_guards`; their voices are not its business."""
        for voice in self._voices:
            voice.state.remove_action(voice)
        news = self.game.reload_guards()
        self._voices = add_voices(self.game.guards, self.speaker.sounds)
        return news


def build(show: Show | None = None) -> FsmGroup:
    """Return the machines of the show; one of them updates those of the game."""
    show = show or Show()
    hints = FsmGroup()
    machines = FsmGroup()
    for machine in (
        stage_machine(show),
        switch_machine("States", show, "shows_states", events.F3),
        switch_machine("Mute", show.speaker, "is_muted", events.MUTE),
        renewal_machine(show, hints),
        inspection_machine(show.inspection, hints),
        hints.add(hint_machine(show.hint)),
    ):
        machines.add(machine)
    return machines


def stage_machine(show: Show) -> Fsm[Show]:
    fsm = Fsm("Stage", context=show, on_unhandled="ignore")
    title, play = fsm.add_state("Title"), fsm.add_state("Play")
    paused = fsm.add_state("Paused")
    ending, ended = fsm.add_state("Ending"), fsm.add_state("Ended")
    closed = fsm.add_state("Closed", final=True)

    title.add_action(SetValue(show, "card", TITLE))
    title.add_action(choice(show, "museum", MUSEUMS, events.LEFT, events.RIGHT))
    title.add_action(choice(show, "difficulty", DIFFICULTIES, events.UP, events.DOWN))
    title.add_action(DelegateAction(begin, begin_if_chosen_again))
    title.add_action(Tween(show, "veil", None, 1.0, duration=0.4))
    play.add_action(DelegateAction(begin_again_if_over, go_on))
    play.add_action(Tween(show, "veil", None, 0.0, duration=0.6))
    play.add_action(SendEventWhen(is_over, events.OVER))
    paused.add_action(SetValue(show, "card", PAUSED, restore_on_exit=True))
    paused.add_action(SetValue(show, "veil", 1.0, restore_on_exit=True))
    paused.add_action(SetValue(show.speaker, "is_halted", True, restore_on_exit=True))
    ending.add_action(SetValue(show, "card", lambda: ENDINGS[show.game.night.path[0]]))
    come_up = Tween(show, "veil", None, 1.0, duration=0.8)
    ending.add_action(Sequence(TimedWait(1.0), DelegateAction(stop_siren), come_up))

    title.add_transition(events.ENTER, play)
    title.add_transition(events.LEAVE, closed)
    play.add_transition(events.OVER, ending)
    ending.add_transition(FINISHED, ended)
    ended.add_transition(events.ENTER, play)
    play.add_transition(events.PAUSE, paused, suspend=True)
    play.add_transition(events.AWAY, paused, when=is_not_inspected, suspend=True)
    for event in (events.PAUSE, events.ENTER):
        paused.add_transition(event, BACK)
    for state in (play, paused, ending, ended):
        state.add_transition(events.LEAVE, title)
    return fsm


def choice(show: Show, what: str, options: Mapping[str, object], back: str, forth: str) -> RunFsm:
    """Return what runs a choice: a ring of states, one for each option."""
    fsm = Fsm(what.capitalize(), context=show, on_unhandled="ignore")
    states = [fsm.add_state(name) for name in options]
    for state, option in zip(states, options.values(), strict=True):
        state.add_action(SetValue(show, what, option))
        state.add_action(Play(show.speaker.sounds.click))
    for state, following in zip(states, [*states[1:], states[0]], strict=True):
        state.add_transition(forth, following)
        following.add_transition(back, state)
    return RunFsm(fsm, start=lambda: getattr(show, what).name, resume=True)


def switch_machine(name: str, owner: object, attribute: str, key: str) -> Fsm[object]:
    """Return a machine that has `attribute` be True from one press of a key to the next."""
    fsm = Fsm(name, context=owner, on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    on.add_action(SetValue(owner, attribute, True, restore_on_exit=True))
    off.add_transition(key, on)
    on.add_transition(key, off)
    return fsm


def renewal_machine(show: Show, hints: FsmGroup) -> Fsm[Show]:
    fsm = Fsm("Renewal", context=show, on_unhandled="ignore")
    ready, renewing = fsm.add_state("Ready"), fsm.add_state("Renewing")
    renewing.add_action(Broadcast(hints, events.TELL, show.reload_guards))
    ready.add_transition(events.F5, renewing)
    renewing.add_transition(FINISHED, ready)
    return fsm


def begin(state: FsmState[Show]) -> None:
    state.context.begin()


def begin_if_chosen_again(state: FsmState[Show]) -> None:
    show = state.context
    if (show.museum, show.difficulty) != (show.game.museum, show.game.difficulty):
        show.begin()


def begin_again_if_over(state: FsmState[Show]) -> None:
    if is_over(state):
        state.context.begin()


def is_not_inspected(state: FsmState[Show]) -> bool:
    """Return True unless the player may be looking at the inspector."""
    return state.context.inspection.page is None


def stop_siren(state: FsmState[Show]) -> None:
    for machine in state.context.game.machines:
        if machine.name == "Siren":
            machine.stop()


def go_on(state: FsmState[Show]) -> None:
    state.context.game.update(state.delta_time)


def is_over(state: FsmState[Show]) -> bool:
    return state.context.game.is_over
