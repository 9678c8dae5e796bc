"""Records on their way in, screened and analysed in a process of their own, so that the daemon's own thread is free."""
