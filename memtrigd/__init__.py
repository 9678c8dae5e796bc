"""memtrigd: one daemon that keeps the long-term memory of every AI agent on a person's machine."""

__version__ = "0.1.0"
