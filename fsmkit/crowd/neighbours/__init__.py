"""Neighbours: quantities of the agents nearby, written into fields before each step."""
