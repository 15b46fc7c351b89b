"""An agent that mends a machine. It knows nothing but what the tools answer.

It has a rule for what each code of `check` advises, and tries one edit after the other.
"""

import re
from collections.abc import Iterator
from typing import Any

from served import Tools

Finding = dict[str, Any]
Edit = dict[str, Any]

ROUNDS = 8


class ScriptedAgent:
    def __init__(self, tools: Tools, target: str, inputs: list[str]) -> None:
        self.tools = tools
        self.target = target
        self.inputs = inputs
        self.first: list[Finding] = []
        """The findings that it began with."""

    async def mends(self) -> bool:
        """Edit until check finds nothing; return whether that was reached."""
        for number in range(ROUNDS):
            found = await self.tools.answer("check", target=self.target, inputs=self.inputs)
            findings = found["findings"]
            if not number:
                self.first = findings
            if not findings:
                return True
            machines = (await self.tools.answer("read", target=self.target))["machines"]
            if not await self._mends_one(Advice(findings, machines)):
                return False
        return False

    async def _mends_one(self, advice: "Advice") -> bool:
        for edits in advice.edits():
            if await self._does(edits):
                return True
        return False

    async def _does(self, edits: list[Edit]) -> bool:
        for edit in edits:
            failed, part = await self.tools.content(
                "edit", target=self.target, edit=edit, write=True
            )
            if failed or '"proved":true' not in part.text:
                return False
        return True


class Advice:
    """Reads findings: which edits may mend the first of them."""

    def __init__(self, findings: list[Finding], machines: list[dict[str, Any]]) -> None:
        self.findings = findings
        self.finding = findings[0]
        place = self.finding["place"]
        self.state: str = place["state"]
        self.machine = next(each for each in machines if each["machine"] == place["machine"])
        self.home: str = self.machine["states"][0]["state"]

    def edits(self) -> Iterator[list[Edit]]:
        """Yield what can be tried, the best first; several edits belong together."""
        rule = getattr(self, self.finding["code"].replace("-", "_"))
        yield from rule()

    # The rules, by code

    def dead_end_event(self) -> Iterator[list[Edit]]:
        wrong = self._quoted()[0]
        if meant := self._meant():
            yield from self._set(repr(wrong), repr(meant))
            yield [self._remove_action()]
        else:
            yield [self._transition(self.state, wrong, self.home)]

    def guards_nothing(self) -> Iterator[list[Edit]]:
        yield from self._set(repr(self._quoted()[0]), repr(self._meant()))

    def unreachable_state(self) -> Iterator[list[Edit]]:
        (state,) = (each for each in self.machine["states"] if each["state"] == self.state)
        for other in self.findings:
            if other["code"] == "unknown-input" and state["final"]:
                event = re.findall(r"'(.+?)'", other["message"])[0]
                yield [self._transition(None, event, self.state)]
        yield [{"kind": "remove-state", "state": self.state}]

    def unknown_input(self) -> Iterator[list[Edit]]:
        yield [self._transition(None, self._quoted()[0], self.home)]

    def unheard_finish(self) -> Iterator[list[Edit]]:
        for other in self.findings:
            if other["code"] == "never-sent" and other["place"]["state"] == self.state:
                event = re.findall(r"'(.+?)'", other["message"])[0]
                yield [self._parameter("finish_event", repr(event))]
        yield [self._transition(self.state, "FINISHED", self.home)]

    def never_sent(self) -> Iterator[list[Edit]]:
        event = self._quoted()[0]
        if meant := self._meant():
            yield [
                {"kind": "rename-event", "source": self.state, "event": event, "new_event": meant}
            ]
        yield [self._remove_transition(event)]

    def similar_events(self) -> Iterator[list[Edit]]:
        for other in self.findings[1:]:
            if other["code"] == "never-sent":
                yield from Advice([other], [self.machine]).edits()

    def finished_never_fires(self) -> Iterator[list[Edit]]:
        yield [self._remove_transition("FINISHED")]

    def left_at_once(self) -> Iterator[list[Edit]]:
        yield [self._remove_transition(self._quoted()[0])]

    def shadowed_transition(self) -> Iterator[list[Edit]]:
        event, target = self._quoted()[:2]
        for each in self.machine["transitions"]:
            if (each["source"], each["event"], each["target"]) == (self.state, event, target):
                yield [{**self._remove_transition(event), "rank": each["rank"]}]

    def nothing_to_resume(self) -> Iterator[list[Edit]]:
        yield [self._retarget(self._quoted()[0])]

    def error_loop(self) -> Iterator[list[Edit]]:
        yield [self._retarget("ERROR")]

    def trap(self) -> Iterator[list[Edit]]:
        for each in self.machine["transitions"]:
            if each["source"] == self.state:
                yield [self._retarget(each["event"])]

    def never_resumed(self) -> Iterator[list[Edit]]:
        event, there = self._quoted()[:2]
        yield [self._remove_transition(event), self._transition(self.state, event, there)]

    def runs_twice(self) -> Iterator[list[Edit]]:
        yield [self._remove_action()]

    conflicting_actions = runs_twice

    def too_late(self) -> Iterator[list[Edit]]:
        late, *other = re.findall(r"after ([\d.]+) s", self.finding["message"])
        sooner = repr(float((other or [late])[0]) / 2)
        yield from self._set(repr(float(late)), sooner)

    def endless_chain(self) -> Iterator[list[Edit]]:
        event = re.findall(r"by '(.+?)'", self.finding["message"])[0]
        wait = {"duration": "1.0", "finish_event": repr(event)}
        yield [
            {"kind": "remove-action", "state": self.state, "index": 0},
            {"kind": "add-action", "state": self.state, "action": "TimedWait", "parameters": wait},
        ]

    # Parts of the rules

    def _quoted(self) -> list[str]:
        return re.findall(r"'(.+?)'", self.finding["message"])

    def _meant(self) -> str | None:
        found = re.search(r"Did you mean '(.+?)'\?", self.finding["advice"])
        return found[1] if found else None

    def _index(self) -> int:
        return int(re.findall(r"actions\[(\d+)\]", self.finding["place"]["action"])[0])

    def _set(self, old: str, new: str) -> Iterator[list[Edit]]:
        (state,) = (each for each in self.machine["states"] if each["state"] == self.state)
        for action in state["actions"]:
            if action["index"] == str(self._index()):
                for name, value in action["parameters"].items():
                    if value == old:
                        yield [self._parameter(name, new)]

    def _parameter(self, name: str, value: str) -> Edit:
        index = str(self._index())
        return {
            "kind": "set", "state": self.state, "index": index, "parameter": name, "value": value,
        }  # fmt: skip

    def _remove_action(self) -> Edit:
        return {"kind": "remove-action", "state": self.state, "index": self._index()}

    def _remove_transition(self, event: str) -> Edit:
        return {"kind": "remove-transition", "source": self.state, "event": event}

    def _retarget(self, event: str) -> Edit:
        return {"kind": "retarget", "source": self.state, "event": event, "target": self.home}

    def _transition(self, source: str | None, event: str, target: str) -> Edit:
        return {"kind": "add-transition", "source": source, "event": event, "target": target}
