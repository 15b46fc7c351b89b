"""The parts that the actions of the library share: base classes, parameters and validators.

Every action is defined with `@define(eq=False, repr=False, slots=False)`. Without `eq=False`, two
actions with the same parameters would be equal; without `repr=False`, they would lose the `repr` of
`FsmAction`. `slots=False` is for copies: attrs gives a slotted class a `__getstate__` that knows
only its own fields, so a copied or pickled action would lose what `FsmAction` stores. It is written
out each time because type checkers understand `define` itself but no wrapper around it.
"""
