"""A browser on a real server of the pages, and what it must never see: faults of any kind."""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from playwright.sync_api import sync_playwright

from verifier.interfaces.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

    from verifier.settings import Settings

PROGRAMS = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHOTS = os.environ.get("PAGE_SHOTS")
"""Names the folder into which what the browser shows is saved; not set, it is not."""


@contextmanager
def serve_pages(settings: Settings) -> Iterator[str]:
    """Yield the address of a server of the whole application, in a thread of its own."""
    server = uvicorn.Server(
        uvicorn.Config(create_app(settings), host="127.0.0.1", port=0, log_level="warning")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        thread.join(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Yield the browser of this machine: the first on the path, else Playwright's own."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True, kw_only=True)
class Seen:
    """What a browser complained of: errors of scripts and the console, and what the policy refused."""

    faults: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Note every complaint of a page from now on."""
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on(
            "console",
            lambda said: (
                self.faults.append(f"{said.type}: {said.text}")
                if said.type in {"error", "warning"}
                else None
            ),
        )
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))


@contextmanager
def open_page(
    browser: Browser, url: str, *, secret: str | None = None, **terms: Any
) -> Iterator[tuple[Page, Seen]]:
    """Yield a page in a context of its own, signed in with a key where one is given."""
    context: BrowserContext = browser.new_context(base_url=url, **terms)
    context.set_default_timeout(20_000)
    page, seen = context.new_page(), Seen()
    seen.watch(page)
    try:
        if secret is not None:
            sign_in(page, secret)
        yield page, seen
    finally:
        context.close()


def sign_in(page: Page, secret: str) -> None:
    """Sign in by the form, as a person does."""
    page.goto("/sign-in")
    page.get_by_label("API key").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "sign-in" not in address)


def save_shot(page: Page, name: str) -> None:
    """Save the whole page as a picture, where a folder is told."""
    if SHOTS:
        folder = Path(SHOTS)
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(folder / f"{name}.png"), full_page=True)
