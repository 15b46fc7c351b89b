"""Checks of the engine: arguments, signatures of functions, classes of actions, the call stack."""
