"""What both ends of the socket must agree on before a message is read. Nothing is imported, so that all can."""

PROTOCOL = 1
"""The version of the protocol."""
MAX_FRAME = 8 << 20
"""Bytes of a frame's body: room for the largest content (1 MiB) several times over, checked before buffering."""
PREFIX = 4
"""Bytes of the big-endian length before each body."""
