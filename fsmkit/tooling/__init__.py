"""What the tools share: names for nested machines, intercepted calls, files written whole."""
