"""The data that a page shows of a machine: its graph, values, log and past."""
