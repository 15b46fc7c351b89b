"""Checks of the engine: signatures of functions, misuse of classes, values that cannot be meant."""
