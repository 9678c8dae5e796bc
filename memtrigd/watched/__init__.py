"""Folders that are a source: what the user keeps in files by hand is imported, one way, for as long as they want it."""
