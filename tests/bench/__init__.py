"""Benchmarks: ratios against a reference in the same run, for machines are noisy. None of them is a test."""
