"""Running the loops: the agents' columns, compiled and interpreted."""
