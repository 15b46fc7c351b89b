"""Shared by the tools: names for nested machines, actions that stand for objects, atomic files."""
