"""Recordings on the page: a run that is over, played back, and two runs compared."""
