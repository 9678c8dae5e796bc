"""Hostile peers against a real daemon, by the thousand and reproducible: ``make fuzz``."""
