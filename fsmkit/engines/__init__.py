"""Adapters to game engines and a physics engine, each imported only when used.

A module or folder per engine; `held` is for all of them, and `parts` is what they share.
"""
