"""Deliberate breakages. Each must turn the tests that guard against it red: a guard that stays green is none."""
