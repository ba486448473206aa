"""The command `verifier`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from verifier.interfaces.cli.streams import repair_streams

    repair_streams()
    try:
        from verifier.interfaces.cli.app import run
        from verifier.interfaces.collector import spare_collector

        spare_collector()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command was still being loaded
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
