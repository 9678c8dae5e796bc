"""The command ``memtrigd``: arguments → configuration → daemon. It runs in the foreground."""

import argparse
import os
import sys
from functools import partial

from memtrig import homes

import memtrigd
from memtrigd import config, daemon, logs
from memtrigd.domain.errors import Refusal


def main() -> None:
    """Run the daemon until SIGTERM or SIGINT. Exit codes: 0 stopped, 1 can't start, 70 the disk failed."""
    parser = argparse.ArgumentParser(
        prog="memtrigd", description="The memory of every AI agent on this machine, in one daemon."
    )
    parser.add_argument(
        "--home", metavar="DIR", help="put config, state and run under DIR (default: MEMTRIG_HOME, else XDG)"
    )
    parser.add_argument("--version", action="version", version=f"memtrigd {memtrigd.__version__}")
    arguments = parser.parse_args()
    logs.configure(sys.stderr)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start threads of its own that nobody needs
    try:
        home = homes.find(arguments.home)
        sys.exit(daemon.run(home, config.load(home), os.environ, ready=partial(print, flush=True)))
    except Refusal as refusal:
        sys.exit(f"memtrigd: {refusal.message}\n{refusal.hint}".rstrip())
    except (config.BadConfig, OSError) as error:
        sys.exit(f"memtrigd: {error}")


if __name__ == "__main__":
    main()
