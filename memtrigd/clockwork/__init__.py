"""What happens by itself: jobs that are due by the wall clock, also after days asleep."""
