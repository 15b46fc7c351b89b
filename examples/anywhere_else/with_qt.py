"""Qt: a QTimer updates the machine, and signals are its events.

    python examples/anywhere_else/with_qt.py

A button that asks before it deletes. With PyQt6 it is the same but for the imports.
"""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QApplication, QPushButton

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm, FsmState

FRAME = 16
"""Milliseconds."""


class DeleteButton(QPushButton):
    """A push button with a machine of its own, which its timer updates."""

    def __init__(self) -> None:
        super().__init__()
        self.machine = build(self)
        self.machine.start()
        self.clicked.connect(lambda: self.machine.offer_event("CLICK"))
        self.clock = QElapsedTimer()
        self.clock.start()
        timer = QTimer(self)
        timer.timeout.connect(
            lambda: self.machine.update(self.clock.restart() / 1000)
        )
        timer.start(FRAME)


def build(button: DeleteButton) -> Fsm[DeleteButton]:
    fsm = Fsm("Delete", context=button)
    ready, asking, done = (
        fsm.add_state(name) for name in ("Ready", "Asking", "Done")
    )
    for state, words in (
        (ready, "Delete"),
        (asking, "Really?"),
        (done, "Deleted"),
    ):
        state.add_action(show(words))
    asking.add_action(TimedWait(2.0))
    done.add_action(TimedWait(1.0))
    ready.add_transition("CLICK", asking)
    asking.add_transition("CLICK", done)
    asking.add_transition(FINISHED, ready)
    done.add_transition(FINISHED, ready)
    return fsm


def show(words: str) -> DelegateAction[DeleteButton]:
    def set_text(state: FsmState[DeleteButton]) -> None:
        state.context.setText(words)

    return DelegateAction(set_text)


if __name__ == "__main__":
    app = QApplication([])
    window = DeleteButton()
    window.show()
    app.exec()
