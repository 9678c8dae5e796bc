"""Import formats: one module each, a common record in between, and one table of them (``formats``).

It runs as a process of its own, started by memtrigctl: what parses files that anybody may have written holds no handle
of the store, and the daemon reads no path that anybody names.
"""
