"""`verifier init`."""

from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show


def init(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("verifier.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a settings file that explains every setting. All are commented out."""
    from importlib.resources import files

    from verifier.errors import SettingsError

    template = (
        files("verifier.interfaces.cli").joinpath("settings_template.toml").read_text("utf-8")
    )
    target = path / "verifier.toml" if path.is_dir() else path
    try:
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(template)
    except FileExistsError:
        raise SettingsError(
            f"{target} exists; choose another path, or replace it with --force"
        ) from None
    except OSError as error:
        raise SettingsError(f"{target}: can't be written: {error.strerror}") from None
    show(Invocation.of(context), {"written": target}, lambda: f"wrote {target}")
