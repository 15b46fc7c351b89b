"""How the sounds of each engine are played: one file an engine, imported by its adapter."""
