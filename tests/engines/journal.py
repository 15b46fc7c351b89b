"""A machine that writes down the events it is offered, for the tests of engines."""

from typing import Any

from fsmkit import Fsm, FsmAction


class Journal(FsmAction):
    """Writes down the events, with their data, and the length of every update."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []
        self.steps: list[float] = []
        self.has_left = False

    def on_event(self, event: str, data: object) -> bool:
        self.events.append((event, data))
        return True

    def on_update(self) -> None:
        self.steps.append(self.delta_time)

    def on_exit(self) -> None:
        self.has_left = True

    def read(self) -> list[tuple[str, Any]]:
        """Return the events since the last reading."""
        events, self.events = self.events, []
        return events


def listener(name: str = "Listener", context: Any = None) -> tuple[Fsm[Any], Journal]:
    """Return a machine that runs, and its journal."""
    fsm = Fsm(name, context=context)
    journal = fsm.add_state("Listening").add_action(Journal())
    fsm.start()
    return fsm, journal
