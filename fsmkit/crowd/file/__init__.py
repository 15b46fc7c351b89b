"""Crowds as files."""
