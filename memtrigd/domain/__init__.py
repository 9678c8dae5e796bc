"""The rules of memory, pure: no files, clocks, sockets, threads or logs, so that each can be proved by itself."""
