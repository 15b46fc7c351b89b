"""Random crowds with all of the language, and what they are compared with."""
