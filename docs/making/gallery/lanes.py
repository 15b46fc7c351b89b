"""Lanes: when states and actions are entered, finished and exited, and what is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen
from making.gallery.paper import MARGIN, WIDTH, Sheet, dot, line, text, width_of
from making.gallery.run import Input, Run, Sent, Span

from fsmkit import Fsm, FsmAction
from fsmkit.svg.axis import ticks
from fsmkit.svg.theme import PALETTE, Theme

BAND: Final = 16.0
LANE: Final = 17.0
ROW: Final = 13.0
AXIS: Final = 18.0
SIGNS: Final = {"unhandled": "?", "refused": "/", "ignored": "=", "consumed": "~"}
"""As in a timeline."""


@frozen
class Lanes:
    """The lanes of a run."""

    run: Run
    names: Mapping[FsmAction[Any], str]
    hidden: tuple[str, ...]
    """Events that are not shown, with the sign of their outcome."""
    only: type | None
    """The class of the actions that are shown."""
    left: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        wide = [width_of(self._name(of)) + self._indent(of) for of in self._lanes()]
        wide += [width_of(machine.name) for machine in self._machines()]
        object.__setattr__(self, "left", min(128.0, MARGIN + max(wide) + 6.0))

    @property
    def fsm(self) -> Fsm[Any]:
        return self.run.fsm

    @property
    def alt(self) -> str:
        parts = [self._told(self._name(of)) for of in self._lanes()]
        parts += [
            f"{sent.event} at {_s(sent.time)} {TOLD[sent.outcome]}" for sent in self._events()
        ]
        return "; ".join(parts)

    def drawn(self, theme: Theme) -> str:
        """Return the picture as SVG."""
        machines, lanes = self._machines(), self._lanes()
        rows = self._rows()
        bottom = 8.0 + BAND * len(machines) + 3.0 + LANE * len(lanes) + 2.0
        height = bottom + ROW * len(rows) + AXIS + 2.0
        parts = [*self._grid(height - AXIS)]
        y = 8.0
        for machine in machines:
            parts += self._band(machine, y)
            y += BAND
        below = y
        y += 3.0
        for of in lanes:
            parts += self._lane(of, y)
            y += LANE
        for number, row in enumerate(rows):
            for sent, x, where in row:
                parts += self._event(sent, x, where, below, bottom + ROW * (number + 1) - 3.0)
        return Sheet(theme, self.alt, height).picture(parts)

    def _x(self, time: float) -> float:
        return self.left + (WIDTH - MARGIN - self.left) * time / self.run.seconds

    def _grid(self, bottom: float) -> Iterator[str]:
        for time, name in ticks(0.0, self.run.seconds, 5):
            if time <= self.run.seconds + 1e-9:
                x = self._x(time)
                where = "m" if x < WIDTH - 2 * MARGIN else "e"
                yield line([(x, 6.0), (x, bottom)], "g thin")
                x = x if where == "m" else WIDTH - MARGIN + 4
                yield text((x, bottom + 13.0), name, f"t {where}")

    def _machines(self) -> list[Fsm[Any]]:
        return list(dict.fromkeys(visit.of.fsm for visit in self.run.visits))

    def _lanes(self) -> list[FsmAction[Any]]:
        return list(self._named().values())

    def _named(self) -> dict[str, FsmAction[Any]]:
        """The name of each lane, and the first action in it; those of the same name share one."""
        firsts: dict[str, FsmAction[Any]] = {}
        actions = list(dict.fromkeys(span.of for span in self.run.spans))
        for action in sorted(actions, key=self._place):
            if self.only is None or isinstance(action, self.only):
                firsts.setdefault(self._name(action), action)
        return firsts

    def _family(self, action: FsmAction[Any]) -> list[FsmAction[Any]]:
        """The action and those it is a child of, the outermost first."""
        parent = self.run.parents.get(action)
        return [*(self._family(parent) if parent else ()), action]

    def _place(self, action: FsmAction[Any]) -> list[int]:
        """Where it stands among the actions of the machine: below its parent."""
        entered = list(dict.fromkeys(span.of for span in self.run.spans))
        return [min(self._steps(entered, each)) for each in self._family(action)]

    def _steps(self, entered: list[FsmAction[Any]], action: FsmAction[Any]) -> list[int]:
        """When it and all that it runs were entered."""
        return [n for n, other in enumerate(entered) if action in self._family(other)]

    def _indent(self, action: FsmAction[Any]) -> float:
        return 9.0 * (len(self._family(action)) - 1)

    def _name(self, of: Any) -> str:
        return self.names.get(of) or type(of).__name__

    def _band(self, machine: Fsm[Any], y: float) -> Iterator[str]:
        """The states of a machine, each in its colour."""
        names = [state.name for state in machine.states.values()]
        yield text((MARGIN, y + 11.5), machine.name, "t")
        for visit in self.run.visits:
            if visit.of.fsm is not machine:
                continue
            start, end = self._x(visit.start), self._x(_end(visit, self.run))
            if end - start < 0.5:
                continue
            fill = f"p{names.index(visit.of.name) % len(PALETTE)}"
            yield (
                f'<rect class="{fill}" x="{start:.1f}" y="{y:.1f}" '
                f'width="{end - start:.1f}" height="14"/>'
            )
            if width_of(visit.of.name) < end - start - 2:
                yield text(((start + end) / 2, y + 11.0), visit.of.name, "state")

    def _lane(self, of: Any, y: float) -> Iterator[str]:
        """An action: a bar until it has finished, then a line until it is exited."""
        yield text((MARGIN + self._indent(of), y + 11.5), self._name(of))
        middle = y + 7.5
        spans = [span for span in self.run.spans if self._name(span.of) == self._name(of)]
        for span in spans:
            start, end = self._x(span.start), self._x(_end(span, self.run))
            finish = self._x(span.finish) if span.finish is not None else end
            yield line([(start, middle), (end, middle)], "a thin")
            yield (
                f'<rect class="fa" x="{start:.1f}" y="{middle - 4:.1f}" '
                f'width="{max(finish - start, 1.5):.1f}" height="8" rx="1"/>'
            )
        for span in spans:
            if span.finish is not None:
                yield dot((self._x(span.finish), middle), "a ring", 3.5)

    def _events(self) -> list[Sent]:
        """What is shown: each event once at a time."""
        shown = {
            (round(sent.time, 6), sent.event, sent.outcome): sent
            for sent in self.run.sent
            if _label(sent) not in self.hidden
        }
        # An event that is taken is reported after those that it leads to.
        return sorted(shown.values(), key=lambda sent: (sent.time, sent.outcome != "consumed"))

    def _rows(self) -> list[list[tuple[Sent, float, str]]]:
        """The events in rows, so that their names do not overlap."""
        rows: list[list[tuple[Sent, float, str]]] = []
        ends: list[float] = []
        for sent in self._events():
            x, wide = self._x(sent.time), width_of(_label(sent)) + 6.0
            where, start = "", x
            if x + wide > WIDTH - 4:
                where, start = "e", x - wide
            number = next((n for n, end in enumerate(ends) if end <= start), len(ends))
            if number == len(ends):
                rows.append([])
                ends.append(0.0)
            rows[number].append((sent, x, where))
            ends[number] = start + wide + 3.0
        return rows

    def _event(self, sent: Sent, x: float, where: str, top: float, y: float) -> Iterator[str]:
        yield line([(x, top), (x, y)], "b thin")
        away = -3.0 if where else 3.0
        look = "w" if sent.outcome == "unhandled" else ""
        yield text((x + away, y), _label(sent), f"{look} {where}".strip())

    def _told(self, name: str) -> str:
        """What is in a lane, in words: of many, the first, and how many there are."""
        span, *others = [span for span in self.run.spans if self._name(span.of) == name]
        again = f", {len(others) + 1} times in all" if others else ""
        if span.finish is None:
            return f"{name} from {_s(span.start)} to {_s(_end(span, self.run))}, unfinished{again}"
        return f"{name} from {_s(span.start)}, finished at {_s(span.finish)}{again}"


TOLD: Final = {
    "changed": "changes the state",
    "consumed": "is taken",
    "unhandled": "is unhandled",
    "refused": "is refused",
    "ignored": "is ignored",
}


def lanes(
    fsm: Fsm[Any],
    seconds: float,
    *,
    at: Mapping[float, Input] | None = None,
    names: Mapping[FsmAction[Any], str] | None = None,
    hidden: tuple[str, ...] = (),
    only: type | None = None,
    others: Sequence[Fsm[Any]] = (),
    work: Mapping[float, BaseException | None] | None = None,
) -> Lanes:
    """Run a machine and draw its lanes; of `others`, which run beside it, the states."""
    run = Run(fsm, seconds, at or {}, others, work or {})
    for other in others:
        other.observe(run)
    return Lanes(run.through(), names or {}, hidden, only)


def _label(sent: Sent) -> str:
    return SIGNS.get(sent.outcome, "") + sent.event


def _end(span: Span, run: Run) -> float:
    return run.seconds if span.end is None else span.end


def _s(time: float) -> str:
    return f"{round(time, 2):g} s"
