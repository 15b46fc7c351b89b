"""What the actions of the library share."""
