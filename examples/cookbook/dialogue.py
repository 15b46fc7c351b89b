"""Hold a dialogue with choices.

The conversation is a table, and the table becomes a machine: each line is a
state, each answer an event that leads to the next line. Whoever writes the
table can have it drawn by `fsmkit draw` and [checked](../checks.md) for lines
that nobody gets to hear. A misspelt line is an error as soon as the machine is
built.

Not every answer is always there: whoever pays needs a coin, which is a
[guard](../concepts/guards.md). To offer only what may be said, ask `why`,
which tells what an event would do and sends nothing.
"""

from actions import DelegateAction
from fsmkit import Fsm, FsmState
from fsmkit.recording import why

PAY = "Here is a coin."
LINES: dict[str, tuple[str, dict[str, str]]] = {
    "Hello": ("Who goes there?", {"A friend.": "Toll", "Nobody.": "Hello"}),
    "Toll": ("A coin, please.", {PAY: "Pass", "I have none.": "Leave"}),
    "Pass": ("Good night, then.", {}),
    "Leave": ("Then swim.", {}),
}


def has_coin(state: FsmState[dict[str, int]]) -> bool:
    return state.context["coins"] > 0


def say(state: FsmState[dict[str, int]]) -> None:
    print(LINES[state.name][0])


def build() -> Fsm[dict[str, int]]:
    fsm = Fsm("Bridge", context={"coins": 0})
    for name, (_, answers) in LINES.items():
        fsm.add_state(name, final=not answers).add_action(DelegateAction(say))
    for name, (_, answers) in LINES.items():
        for answer, following in answers.items():
            when = has_coin if answer == PAY else None
            fsm.states[name].add_transition(answer, following, when=when)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for answer in ("Nobody.", "A friend.", "I have none."):
        known = fsm.states[fsm.path[0]].transitions
        print(" ", *(a for a in known if why(fsm, a, None).target), ">", answer)
        fsm.send_event(answer)
