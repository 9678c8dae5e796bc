"""Where memories lie: one SQLite file per level, behind the interface in ``interface``. Nothing above knows SQL."""
