"""Kivy: its clock updates the machine, and touches are its events.

    python examples/anywhere_else/with_kivy.py

A box that slides to the right and back whenever it is touched.
"""

from __future__ import annotations

from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.uix.button import Button
from kivy.uix.widget import Widget

from actions import Tween
from actions.easing import ease_out_cubic
from fsmkit import Fsm


def build(box: Any) -> Fsm[Any]:
    fsm = Fsm("Box", context=box)
    left, right = fsm.add_state("Left"), fsm.add_state("Right")
    left.add_action(
        Tween(box, "pos", None, (0, 0), duration=0.5, easing=ease_out_cubic)
    )
    right.add_action(
        Tween(box, "pos", None, (300, 0), duration=0.5, easing=ease_out_cubic)
    )
    left.add_transition("TOUCH", right)
    right.add_transition("TOUCH", left)
    return fsm


class Sliding(App):  # type: ignore[misc]  # Kivy is not typed
    def build(self) -> Widget:
        page, box = Widget(), Button(text="Touch me", size=(150, 100))
        page.add_widget(box)
        machine = build(box)
        machine.start()
        box.bind(on_press=lambda _: machine.offer_event("TOUCH"))
        Clock.schedule_interval(
            machine.update, 0
        )  # in every frame, with its seconds
        return page


if __name__ == "__main__":
    Sliding().run()
