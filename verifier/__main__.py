"""The command `verifier`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from verifier.interfaces.cli.streams import repair_streams

    repair_streams()
    from verifier.interfaces.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
