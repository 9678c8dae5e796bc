"""MCP on the sockets of agents: JSON lines in place of frames, the same gate and the same handlers behind them."""
