"""Asking: what an event would do now, asked of those who would get it, in order."""
