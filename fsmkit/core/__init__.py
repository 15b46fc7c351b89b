"""The engine: machines, states, actions, and the walk that carries them out."""
