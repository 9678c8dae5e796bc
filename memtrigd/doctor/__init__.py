"""The doctor: whether anything is wrong with the daemon, its files and what it does by itself, and what to do then."""
