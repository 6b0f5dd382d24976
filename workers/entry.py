"""The `remit` command as it is started: whoever interrupts it sees one line, also while it is still being loaded."""

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command and end with its exit code."""
    try:
        from workers.command import run  # noqa: PLC0415  # takes a second or more, and may be interrupted

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("remit: interrupted\n")
        code = _INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
