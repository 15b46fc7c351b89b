"""Textual: a widget's timer updates the machine, and keys are its events.

    python examples/anywhere_else/with_textual.py

A turnstile in the terminal: C puts a coin in, P pushes.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import Label

from actions import SetValue, TimedWait
from fsmkit import FINISHED, Fsm

FRAME = 1 / 30


class Turnstile(App[None]):
    """Shows what the machine writes into `words`."""

    EVENTS: ClassVar = {"c": "COIN", "p": "PUSH"}

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self.machine = build(self)

    def compose(self) -> ComposeResult:
        yield Label(id="words")

    def on_mount(self) -> None:
        self.machine.start()
        self.set_interval(FRAME, self.tick)

    def on_key(self, event: object) -> None:
        self.machine.offer_event(
            self.EVENTS.get(getattr(event, "key", ""), "OTHER")
        )

    def on_unmount(self) -> None:
        self.machine.stop()

    def tick(self) -> None:
        self.machine.update(FRAME)
        self.query_one("#words", Label).update(self.words)


def build(app: Turnstile) -> Fsm[Turnstile]:
    fsm = Fsm("Turnstile", context=app)
    locked, unlocked = fsm.add_state("Locked"), fsm.add_state("Unlocked")
    locked.add_action(SetValue(app, "words", "Locked. C: a coin"))
    unlocked.add_action(
        SetValue(app, "words", "Go through within three seconds. P: push")
    )
    unlocked.add_action(TimedWait(3.0))
    locked.add_transition("COIN", unlocked)
    unlocked.add_transition("PUSH", locked)
    unlocked.add_transition(FINISHED, locked)
    return fsm


if __name__ == "__main__":
    Turnstile().run()
