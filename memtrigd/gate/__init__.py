"""Who may: the only place that decides it. Doors, peers, sessions, policy, and the view that a caller gets."""
