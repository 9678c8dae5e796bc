"""``python -m memtrigd.embedder``: the process of the model, which the daemon starts, and what memtrigctl starts."""

import sys

from memtrigd.embedder.serving import serve

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", directory]:
            serve(directory)
