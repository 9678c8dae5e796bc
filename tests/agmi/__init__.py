"""The public suite of edits at rest (agent-memory-integrity), run on memtrigd."""
