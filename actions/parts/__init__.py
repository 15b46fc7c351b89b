"""The parts that the actions of the library share: base classes, parameters and validators."""
