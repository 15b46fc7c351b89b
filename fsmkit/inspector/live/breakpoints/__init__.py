"""Everything that stops the machines: breakpoints, log points, the next change."""
