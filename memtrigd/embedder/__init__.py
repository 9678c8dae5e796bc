"""The model that tells what a text means, in a process of its own. It knows no level, no session and no store."""
