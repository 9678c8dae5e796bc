"""What looking for credentials costs, and that no text of a directory of corpora is taken for one.

``python -m tests.bench.secrets --data DIR`` reads every string of its JSON files; it fails if one would be refused.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtrigd.domain.secrets import find


def strings(value: Any) -> Iterator[str]:
    """Each string in a JSON document."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(each)


def main() -> int:
    """Read, measure, tell."""
    parser = argparse.ArgumentParser(prog="tests.bench.secrets")
    parser.add_argument("--data", type=Path, required=True, help="a directory of JSON files")
    texts = [
        text
        for file in sorted(parser.parse_args().data.glob("*.json"))
        for text in strings(json.loads(file.read_text("utf-8")))
    ]
    begun = time.thread_time()
    refused = [text for text in texts if find(text)]
    each = time.thread_time() - begun
    whole = "\n".join(texts)[: 1 << 20]
    begun = time.thread_time()
    find(whole)
    long = time.thread_time() - begun
    print(f"{len(texts):,} texts: {each / max(1, len(texts)) * 1e6:.1f} µs each")
    print(
        f"one text of {len(whole.encode()) / 1024:,.0f} kB: {long / max(1, len(whole.encode())) * 1024e6:.1f} µs a kB"
    )
    print(f"refused: {len(refused)}")
    return 1 if refused or not texts else 0


if __name__ == "__main__":
    raise SystemExit(main())
