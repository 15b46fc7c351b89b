"""What the tools share: names for nested machines, actions that stand for objects, files written whole."""
