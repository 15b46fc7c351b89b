"""Actor: an action that notes its callbacks, and ends in them as it was told."""

from typing import Any

from fsmkit import FsmAction


class Actor(FsmAction):
    """Notes its callbacks, and does what it was told: "finish", "fail", an error, a function."""

    def __init__(self, name: str, journal: list[str], **does: Any) -> None:
        self.name = name
        self.journal = journal
        self.does = does

    def _note(self, callback: str) -> None:
        self.journal.append(f"{callback} {self.name}")
        does = self.does.get(callback)
        if does == "finish":
            self.finish()
        elif does == "fail":
            self.fail(f"no {self.name}")
        elif does is not None:
            does(self)

    def on_enter(self) -> None:
        self._note("enter")

    def on_update(self) -> None:
        self._note("update")

    def on_exit(self) -> None:
        self._note("exit")

    def on_suspend(self) -> None:
        self._note("suspend")

    def on_resume(self) -> None:
        self._note("resume")

    def on_event(self, event: str, data: object) -> bool:
        if event not in ("HEY", "FAIL"):
            return False
        if event == "FAIL":
            self.fail("told")
        self.journal.append(f"{self.name} hears {event}")
        return True
