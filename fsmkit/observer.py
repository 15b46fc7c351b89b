"""The seam through which every tool looks into a running machine.

An observer is any object with some of these methods:

| method | when it is called |
| --- | --- |
| `state_entered(fsm, state, event)` | the state has become current; before its first `on_enter` |
| `state_left(fsm, state)` | after the exits |
| `event_sent(fsm, event, data, outcome)` | `outcome` says what became of the event |
| `action_entered(action)` | after `on_enter` |
| `action_finished(action)` | after `finish()` was called for the first time in a visit |
| `action_left(action)` | after `on_exit` |
| `update_begun(fsm, dt)`, `update_ended(fsm)` | around one update |
| `error_raised(fsm, error)` | before it is raised or turned into `ERROR` |

An outcome is `"changed"`, `"queued"`, `"consumed"`, `"ignored"` or `"unhandled"`. A queued event
is announced twice: as queued, and when its turn comes with what then became of it.

Observers watch. One that wants to act posts an event (`fsm.post_event`). What an observer raises
never changes the course of the machine: it is raised once the call from outside has settled.
"""

from fsmkit.core.observers import Observer

__all__ = ["Observer"]
