"""Writer: writes a function of agents at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .agents import EVENTS, Mode


class Writer:
    """Writes a function at random; its expressions have the kinds that they should have."""

    def __init__(self, rng: Random, states: int, helpers: Sequence[str], *, light: bool) -> None:
        self.rng = rng
        self.states = states
        self.helpers = helpers
        self.light = light
        """True for hardly anything that a sweep cannot do."""
        self.lines: list[str] = []
        self.known: dict[str, list[str]] = {"f": [], "i": [], "b": []}
        """The local variables, by kind."""
        self.turns: list[str] = []
        """The variables of the loops."""
        self.own = False
        self.may: set[str] = set()
        """What else may be written: "draw", "write", "spawn", "send"."""
        self.turns_left = 12

    # Expressions

    def f(self, depth: int = 2) -> str:
        """Write a fraction."""
        own = ["own.step", "own.sum"] if self.own else []
        plain = ["a.x", "a.y", "a.left", "w.level", "w.time", "w.dt", "a.time_in_state", "0.25",
                 "1.5", "-3.0", *self.known["f"] * 2, *own]  # fmt: skip
        if depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(plain)
        a, b, i, c = self.f(depth - 1), self.f(depth - 1), self.i(depth - 1), self.c(depth - 1)
        light = [
            f"({a} + {b})", f"({a} - {i})", f"({a} * 0.5)", f"-{a}", f"abs({a})", f"min({a}, {b})",
            f"max({a}, {b})", f"({a} if {c} else {b})", f"{i} / 4", f"float({i})",
            f"math.sqrt(abs({a}))", f"math.copysign({a}, {b})", f"1.0 / ({a} - {b})",
            f"SPEEDS[{self.rng.randrange(3)}]",
        ]  # fmt: skip
        heavy = [
            f"w.row[{i} % 3]", f"w.row[{i} & 3]", f"SPEEDS[{i} % 3]", f"({a} % 7.0)",
            f"({a} // 0.75)", f"math.sin({a})", f"{a} / {i}",
        ]  # fmt: skip
        return self.rng.choice(light if self.light and self.rng.random() < 0.9 else light + heavy)

    def i(self, depth: int = 2) -> str:
        """Write a whole number."""
        plain = ["a.n", "a.m", "a.mode", "a.births", "a.i", "a.id", "w.k", "0", "1", "3",
                 "Mode.HIGH", *self.known["i"] * 2, *self.turns * 2,
                 *(["own.calls"] * self.own)]  # fmt: skip
        if depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(plain)
        a, b, f, c = self.i(depth - 1), self.i(depth - 1), self.f(depth - 1), self.c(depth - 1)
        light = [
            f"({a} + {b})", f"({a} - {b})", f"(({a} & 1023) * 3)", f"({a} & {b})", f"({a} ^ 5)",
            f"({a} if {c} else {b})", f"min({a}, {b})", f"abs({a})", f"int({c})",
        ]  # fmt: skip
        heavy = [
            f"({a} % 5)", f"({a} // 3)", f"({a} % {b})", f"w.grid[{a} % 2, {b} % 3]",
            f"w.grid[{a} & 1, {b} & 3]", f"CELLS[{a} % 2][{b} % 3]", f"int({f} % 50.0)",
            f"math.floor({f} * 0.25)", f"round(min(max({f}, -9.0), 9.0))", f"(len(SPEEDS) + {a})",
        ]  # fmt: skip
        return self.rng.choice(light if self.light and self.rng.random() < 0.9 else light + heavy)

    def c(self, depth: int = 2) -> str:
        """Write a condition."""
        plain = ["a.b", "w.on", *self.known["b"]]
        if depth == 0 or self.rng.random() < 0.15:
            return self.rng.choice(plain)
        f, g, i, j = self.f(depth - 1), self.f(depth - 1), self.i(depth - 1), self.i(depth - 1)
        a, b = self.c(depth - 1), self.c(depth - 1)
        light = [
            f"({f} < {g})", f"({f} >= {g})", f"({i} == {j})", f"({i} & 3 != 1)", f"(not {a})",
            f"({a} and {b})", f"({a} or {b})", f"({i} in (0, 2, 5))", f"({i} not in ({j}, 3))",
            f"(a.mode == Mode.{self.rng.choice(list(Mode)).name})", f"math.isfinite({f})",
            f"({i} <= {j} < 7)", f"({f} in SPEEDS)", "(a.n > 2)",
        ]  # fmt: skip
        heavy = [f"w.mask[{i} & 3]", f"w.mask[{i} % 4]", f"w.mask[{i}]"]
        return self.rng.choice(light if self.light and self.rng.random() < 0.9 else light + heavy)

    def drawn(self) -> str:
        """Write what draws a random number."""
        return self.rng.choice([
            "random(a)", f"uniform(a, -1.0, {self.f(0)})", f"normal(a, {self.f(0)}, 0.5)",
            f"exponential(a, {self.f(0)})", "random(a) * random(a)",
        ])  # fmt: skip

    def called(self) -> str:
        """Write a call of a function."""
        return f"{self.rng.choice(self.helpers)}(a, w, {self.f(1)}, {self.i(1)})"

    # Statements

    def block(self, depth: int, indent: str, most: int = 3) -> None:
        """Write a block; variables of its own are unknown after it."""
        known = {kind: list(names) for kind, names in self.known.items()}
        for _ in range(self.rng.randint(1, most)):
            if not self.statement(depth, indent):
                break
        self.known = known

    def statement(self, depth: int, indent: str) -> bool:
        """Write a statement; return False if what follows would not be executed."""
        kinds = ["local", "local"]
        if "write" in self.may:
            kinds += ["field"] * 4
        if "draw" in self.may and not (self.light and self.rng.random() < 0.7):
            kinds += ["draw"]
            kinds += ["call"] * bool(self.helpers)
        if "spawn" in self.may and depth < 3 and self.rng.random() < 0.4:
            kinds += ["spawn"]
        if depth:
            kinds += ["if", "if", "match"]
            kinds += ["for"] * (self.turns_left > 4)
        if self.turns and indent != "    ":
            kinds += ["stop"]
        if "send" in self.may and depth < 3:
            kinds += ["send"]
        kind = self.rng.choice(kinds)
        getattr(self, f"_{kind}")(depth, indent)
        return kind not in ("stop", "send")

    def add(self, indent: str, text: str) -> None:
        self.lines.append(indent + text)

    def _local(self, _depth: int, indent: str) -> None:
        kind, name = self.rng.choice([("f", "p"), ("f", "q"), ("i", "k"), ("b", "is_t")])
        value = {"f": self.f, "i": self.i, "b": self.c}[kind]()
        self.add(indent, f"{name} = {value if kind != 'f' else f'float({value})'}")
        if name not in self.known[kind]:
            self.known[kind].append(name)

    def _draw(self, _depth: int, indent: str) -> None:
        self.add(indent, f"p = {self.drawn()}")
        if "p" not in self.known["f"]:
            self.known["f"].append("p")

    def _call(self, _depth: int, indent: str) -> None:
        if "write" in self.may and self.rng.random() < 0.5:
            self.add(indent, f"a.y = {self.called()} * 0.5")
        else:
            self.add(indent, f"q = {self.called()}")
            if "q" not in self.known["f"]:
                self.known["f"].append("q")

    def _field(self, _depth: int, indent: str) -> None:
        own = [f"own.sum += {self.f(1)}", "own.calls += 1"] if self.own else []
        self.add(indent, self.rng.choice([
            f"a.x = {self.f(3)}", f"a.y += {self.f()}", f"a.left = a.x * 0.5 + {self.f()}",
            f"a.n = ({self.i()}) & 1023", f"a.m = (a.m * 7 + {self.i(1)}) & 4095",
            f"a.b = {self.c()}", f"a.mode = {self.i(1)} & 7", "a.i += 1", "a.b = not a.b",
            "a.x, a.y = a.y, a.x", f"a.births = {self.i()} & 255", *own,
        ]))  # fmt: skip

    def _if(self, depth: int, indent: str) -> None:
        self.add(indent, f"if {self.c()}:")
        self.block(depth - 1, indent + "    ")
        if self.rng.random() < 0.3:
            self.add(indent, f"elif {self.c(1)}:")
            self.block(depth - 1, indent + "    ")
        if self.rng.random() < 0.4:
            self.add(indent, "else:")
            self.block(depth - 1, indent + "    ")

    def _for(self, depth: int, indent: str) -> None:
        name = f"t{depth}"
        values = self.rng.choice(["range(3)", "(0, 2, 1)", "Mode", "CELLS[1]", "range(2, 0, -1)"])
        self.add(indent, f"for {name} in {values}:")
        before, self.turns_left = self.turns_left, self.turns_left // 3
        self.turns.append(name)
        self.block(depth - 1, indent + "    ", 2)
        self.turns.pop()
        self.turns_left = before // 3
        if self.rng.random() < 0.2:
            self.add(indent, "else:")
            self.block(depth - 1, indent + "    ")

    def _match(self, depth: int, indent: str) -> None:
        self.add(indent, f"match {self.i(1)}:")
        for _ in range(self.rng.randint(1, 3)):
            pattern = self.rng.choice(["0", "1 | 2", "3", "-1", "Mode.HIGH", "Mode.LOW | 7"])
            guard = self.rng.choice(["", "", f" if {self.c(1)}"])
            self.add(indent, f"    case {pattern}{guard}:")
            self.block(depth - 1, indent + "        ")
        if self.rng.random() < 0.5:
            self.add(indent, "    case _:")
            self.block(depth - 1, indent + "        ")

    def _spawn(self, _depth: int, indent: str) -> None:
        start = self.rng.choice(["", *(f'start="S{n}"' for n in range(self.states))])
        fields = self.rng.sample([
            f"x={self.f(1)}", f"n={self.i(1)} & 63", f"b={self.c(1)}", "mode=Mode.HIGH",
            f"births={self.i(0)}", "left=a.left / 2", "i=a.i + 1",
        ], self.rng.randint(0, 3))  # fmt: skip
        if self.rng.random() < 0.8:
            self.add(indent, f"if a.i < 3 and {self.c(1)}:")
            indent += "    "
        self.add(indent, f"spawn({', '.join(['a', *filter(None, [start]), *fields])})")

    def _stop(self, _depth: int, indent: str) -> None:
        self.add(indent, self.rng.choice(["break", "continue"]))

    def _send(self, _depth: int, indent: str) -> None:
        self.add(indent, f"return {self.rng.choice([*map(repr, EVENTS), 'None'])}")
