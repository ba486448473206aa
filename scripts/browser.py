"""A browser for the tests of the web page: the one of this machine, else one that is installed once."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from bootstrap import run_with_heartbeat, say

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS: Final = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
_APT: Final = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q")
_FIND_OWN: Final = (
    "from playwright.sync_api import sync_playwright as s\n"
    "import pathlib, sys\n"
    "with s() as p: sys.exit(not pathlib.Path(p.chromium.executable_path).exists())"
)


def prepare_browser(python: Path) -> None:
    """Make sure that the tests find a browser: on the path, Playwright's own, or one that is installed now.

    As root Debian's is installed, which brings the libraries that it needs; else Playwright's.
    """
    found = next((name for name in PROGRAMS if shutil.which(name)), None)
    if found is not None:
        say(f"the tests of pages use {found}")
    elif subprocess.run([str(python), "-c", _FIND_OWN], check=False).returncode == 0:
        say("the tests of pages use Playwright's own browser")
    elif os.geteuid() == 0 and shutil.which("apt-get"):
        run_with_heartbeat("reading Debian's package lists", [*_APT, "update"])
        install = (*_APT, "-y", "install", "--no-install-recommends", "chromium")
        run_with_heartbeat("installing chromium", install)
    else:
        run_with_heartbeat(
            "installing Playwright's chromium",
            [str(python), "-m", "playwright", "install", "chromium"],
        )
