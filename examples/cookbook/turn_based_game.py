"""Take turns in a game.

The game of Nim: each player takes one to three matches, and whoever takes the last one wins.
Whose turn it is, is the state, so a move out of turn is nothing that anybody has to check. A move
is an event with data. Its transitions have [guards](../concepts/guards.md) for what is allowed
and for who has won, and an effect that makes the move.

The computer sends the same event as the player, after a second of thought, so both live under the
same rules. A move against the rules is refused: `send_event` answers `False`, and it is still the
same player's turn.
"""

from actions import SendEvent
from fsmkit import Fsm, FsmState

Table = dict[str, int]


def is_allowed(state: FsmState[Table], taken: int) -> bool:
    return 1 <= taken <= min(3, state.context["matches"])


def takes_last(state: FsmState[Table], taken: int) -> bool:
    return taken == state.context["matches"] <= 3


def take(state: FsmState[Table], taken: int) -> None:
    state.context["matches"] -= taken


def build() -> Fsm[Table]:
    table = {"matches": 10}
    fsm = Fsm("Nim", context=table)
    you, computer = map(fsm.add_state, ("You", "Computer"))
    for player, other in ((you, computer), (computer, you)):
        won = fsm.add_state(f"{player.name} won", final=True)
        player.add_transition("TAKE", won, when=takes_last, do=take)
        player.add_transition("TAKE", other, when=is_allowed, do=take)
    move = SendEvent("TAKE", lambda: table["matches"] % 4 or 1, delay=1.0)
    computer.add_action(move)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for taken in (3, 4, 1):
        allowed = "" if fsm.send_event("TAKE", taken) else "  not allowed"
        print(f"You take {taken}: {fsm.context['matches']} left{allowed}")
        fsm.update(1.0)
        print(f"    {fsm.path[0]}: {fsm.context['matches']} left")
