"""The command line: global options, the commands, and how any ending becomes an exit code."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from typer.main import get_command

from verifier.interfaces.cli import commands
from verifier.interfaces.cli.ending import report_error
from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.failures import BROKEN_PIPE, INTERRUPTED, OK, USAGE

GLOBAL_OPTIONS: Final = {"--json": 0, "--dsn": 1, "--data-dir": 1, "--tenant": 1, "--config": 1}
"""The options that may stand anywhere on the line, with how many values each takes."""

app = typer.Typer(
    name="verifier",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Global options may stand before or after the command.",
)
commands.register(app)


def read_folder(text: str) -> Path:
    """Return the path that `text` names; blank, as an unset variable leaves it, names none."""
    if not text.strip():
        raise typer.BadParameter("a path that is not blank is needed")
    return Path(text)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    dsn: Annotated[
        str | None, typer.Option(help="Postgres URL; without one the embedded server is used.")
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(parser=read_folder, metavar="PATH", help="Folder of the embedded server."),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Whose sources; `default` if not given.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings file; ./verifier.toml if not given.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON value a line, errors too.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Check what an agent wrote against tool results, canonical tables and cited documents."""
    context.obj = Invocation(dsn=dsn, data_dir=data_dir, tenant=tenant, config=config, as_json=json)
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(installed_version("grounding-verifier"))
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(USAGE)


def split_global_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the global options of a command line, wherever they stand, and the rest; `--` ends them."""
    options: list[str] = []
    rest: list[str] = []
    position = 0
    while position < len(arguments):
        if arguments[position] == "--":
            rest.extend(arguments[position:])
            break
        name, joined, _ = arguments[position].partition("=")
        taken = 1 if joined else 1 + GLOBAL_OPTIONS.get(name, 0)
        chosen = options if name in GLOBAL_OPTIONS else rest
        chosen.extend(arguments[position : position + taken])
        position += taken
    return options, rest


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises for what a command did."""
    options, rest = split_global_options(arguments)
    try:
        ended = get_command(app).main(
            [*options, *rest], prog_name="verifier", standalone_mode=False
        )
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        return _leave_pipe()
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        return report_error(error, as_json="--json" in options)
    return ended if isinstance(ended, int) else OK


def _leave_pipe() -> int:
    """Point standard output to nowhere, so that nothing fails when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return BROKEN_PIPE
