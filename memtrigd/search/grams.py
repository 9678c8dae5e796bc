"""n-grams: the words of scripts that put no space between words."""


def grams(run: str, size: int) -> list[str]:
    """Return every ``size`` characters in a row, in order; none when the run is shorter."""
    return [run[i : i + size] for i in range(len(run) - size + 1)]
