"""The proof of the levels on the user's own store: the daemon's own code, in memory, on two copies of it."""
