"""Guidance: what agents are told about the use of their memory."""
