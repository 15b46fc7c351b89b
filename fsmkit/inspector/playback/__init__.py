"""Recordings on the page: a finished run played back, and two runs compared."""
