"""What stops the machines: breakpoints of all kinds, log points, the next change."""
