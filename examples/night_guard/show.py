"""The show around the game: a title, one night after another, and how each has ended."""

from __future__ import annotations

from attrs import define, field
from chronicle import Chronicle
from difficulty import NORMAL, Difficulty
from events import ENTER, F2, OVER, STEER
from game import Game
from inspection import Inspection, inspection_machine
from museums import PALACE, Museum

from actions import DelegateAction, SendEventWhen, Sequence, SetValue, TimedWait, Tween
from fsmkit import FINISHED, Fsm, FsmGroup, FsmState

TITLE = ("NIGHT GUARD", [
    "Take the three jewels, and get out through the gate.",
    "Running is loud, but not on carpets. Torches see far, but not through doors.",
    "Press an arrow key",
])  # fmt: skip
ENDINGS = {
    "Escaped": ("GOOD NIGHT", ["You are out, with all three jewels.", "Enter: once more"]),
    "Caught": ("CAUGHT", ["The night ends at the police station.", "Enter: once more"]),
}


@define(eq=False)
class Show:
    inspection: Inspection = field(factory=lambda: Inspection(FsmGroup()))
    museum: Museum = PALACE
    difficulty: Difficulty = NORMAL
    game: Game = field(init=False)
    chronicle: Chronicle = field(init=False)
    veil: float = field(default=1.0, init=False)
    """The share of the title card that has come up, from 0 to 1."""
    shows_states: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.begin()

    @property
    def card(self) -> tuple[str, list[str]]:
        """The title to be shown now, and the lines below it."""
        state = self.game.night.current_state
        return ENDINGS.get(state.name, TITLE) if state is not None else TITLE

    def begin(self) -> None:
        """Begin a new night, with new machines in the place of the old ones."""
        machines = self.inspection.machines
        for machine in machines:
            machines.remove(machine)
        self.game = Game(self.museum, self.difficulty, machines)
        self.chronicle = Chronicle(self.game)
        self.game.start()


def build(show: Show | None = None) -> FsmGroup:
    """Return the machines of the show; one of them updates those of the game."""
    show = show or Show()
    machines = stage_machine(show), labels_machine(show), inspection_machine(show.inspection)
    return FsmGroup(machines)


def stage_machine(show: Show) -> Fsm[Show]:
    fsm = Fsm("Stage", context=show, on_unhandled="ignore")
    title, play = fsm.add_state("Title"), fsm.add_state("Play")
    ending, ended = fsm.add_state("Ending"), fsm.add_state("Ended")

    play.add_action(DelegateAction(begin_again_if_over, go_on))
    play.add_action(Tween(show, "veil", None, 0.0, duration=0.6))
    play.add_action(SendEventWhen(is_over, OVER))
    ending.add_action(Sequence(TimedWait(1.0), Tween(show, "veil", None, 1.0, duration=0.8)))

    title.add_transition(STEER, play)
    title.add_transition(ENTER, play)
    play.add_transition(OVER, ending)
    ending.add_transition(FINISHED, ended)
    ended.add_transition(ENTER, play)
    return fsm


def labels_machine(show: Show) -> Fsm[Show]:
    fsm = Fsm("Labels", context=show, on_unhandled="ignore")
    hidden, shown = fsm.add_state("Hidden"), fsm.add_state("Shown")
    shown.add_action(SetValue(show, "shows_states", True, restore_on_exit=True))
    hidden.add_transition(F2, shown)
    shown.add_transition(F2, hidden)
    return fsm


def begin_again_if_over(state: FsmState[Show]) -> None:
    if is_over(state):
        state.context.begin()


def go_on(state: FsmState[Show]) -> None:
    state.context.game.update(state.delta_time)


def is_over(state: FsmState[Show]) -> bool:
    return state.context.game.is_over
