"""Pictures and tables of how many agents are in which state."""
