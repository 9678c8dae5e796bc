"""A long run of mixed clients on one daemon, sampled every second, with a verdict: ``make soak``."""
