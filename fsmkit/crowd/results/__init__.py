"""What is measured of a crowd: measures by name, their values at a moment, and files of them."""
