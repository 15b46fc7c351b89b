"""Adapters to game engines, one file each, imported only when used."""
