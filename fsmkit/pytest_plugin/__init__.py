"""A plugin for pytest: which transitions the tests take, golden recordings, and a fixture.

pytest finds it by itself. By default it does nothing:

| option | what it does |
| --- | --- |
| `--fsm-cover` | shows which states and transitions of which machines the tests took |
| `--fsm-cover-of TEXT` | only of machines with this text in their name or their place |
| `--fsm-cover-html FILE` | also writes a page with a picture of each machine |
| `--fsm-cover-fail-under PERCENT` | fails if the tests took fewer of the transitions |
| `--fsm-update` | rewrites the recordings that `fsmkit.testing.assert_replays` compares with |

The fixture `recorder` is for journals: `recorder(fsm)` is a `fsmkit.testing.Recorder`.
"""
