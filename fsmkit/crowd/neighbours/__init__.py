"""Neighbours: what agents know of those near them, written into their fields before each step."""
