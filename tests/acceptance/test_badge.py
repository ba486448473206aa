"""The badge in a real browser: what it says of a report, to all who read it, and under attack."""

from __future__ import annotations

import json
import os
import shutil
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from tests.integration.conftest import run
from tests.unit.verify.shop import SHOP, THROW, call
from verifier.core.policy import Mode, Policy
from verifier.core.report_json import report_to_json
from verifier.core.turns import RetrievedChunk, Turn
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
SHOTS = os.environ.get("PAGE_SHOTS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " base-uri 'none'"
)
SCRIPT = files("verifier.interfaces.web").joinpath("static", "grounding-badge.js")
HOSTILE = (
    "<img src=x onerror=\"document.title='struck'\"><script>document.title='struck'</script>",
    "</script><script>document.title='struck'</script>",
    "javascript:document.title='struck'",
    "\u202egnp.exe \u2066 \x00 \ufffd e\u0301\u0327\u0301 " + "w" * 3_000,
)
ANSWER = (
    "The Wool throw costs $49.90 and is soft. The Wool throw costs $59.90. It weighs 3 kg. "
    "The throw is washed at 30 °C [care]. It may be ironed. The owner is Lena."
)


class Site:
    """Pages and files by their path, behind a strict policy."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, str, bytes]] = {
            "/badge.js": (200, "text/javascript", SCRIPT.read_bytes()),
            "/icon": (200, "text/plain", b""),
        }
        self.url = ""

    def page(self, body: str, *, lang: str = "en", direction: str = "ltr") -> str:
        """Return the address of a page with the badge's script."""
        path = f"/page{len(self.files)}"
        html = (
            f'<!doctype html><html lang="{lang}" dir="{direction}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width"><title>Chat</title>'
            '<link rel="icon" href="/icon">'
            '<script src="/badge.js"></script></head><body><main><h1>Answer</h1>'
            f"{body}</main></body></html>"
        )
        self.files[path] = (200, "text/html; charset=utf-8", html.encode("utf-8", "replace"))
        return self.url + path

    def with_report(self, report: object, attributes: str = "") -> str:
        """Return the address of a page whose badge holds a report."""
        told = json.dumps(report).replace("<", "\\u003c")
        return self.page(
            f'<grounding-badge {attributes}><script type="application/json">{told}</script></grounding-badge>'
        )


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    found = Site()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, media_type, content = found.files.get(self.path, (404, "text/plain", b""))
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Security-Policy", POLICY)
            if status == 302:
                self.send_header("Location", content.decode())
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield opened
        opened.close()


@contextmanager
def visit(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """Yield a page; nothing may be thrown, refused by the policy or told by the console."""
    options = {"viewport": {"width": 760, "height": 720}, **options}
    context = browser.new_context(**options)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.goto(url)
    try:
        yield page
        assert page.title() == "Chat"
        assert not [one for one in faults if "404" not in one], faults
    finally:
        context.close()


def shoot(page: Page, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"badge-{name}.png"))


def check_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert not found, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    calls = (
        call("get_product", {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"}),
    )
    chunk = RetrievedChunk(
        label="care", source="handbook/care.md", seq=3, text="The throw is washed at 30 °C."
    )
    turn = Turn(calls=calls, retrieved=(chunk,))
    made = report_to_json(
        run(verify_under(Policy(mode=Mode.ANNOTATE), ANSWER, turn, backing=Backing(catalog=SHOP)))
    )
    by_row = {**made["verdicts"][0], "claim": "c0", "code": "verified", "tier": "database"}
    by_row |= {
        "disposition": "accepted",
        "text": "Order W-1001 has shipped.",
        "detail": "status as in the database",
        "evidence": [
            {
                "locator": {
                    "kind": "row",
                    "database": "store",
                    "table": "shop.orders",
                    "key": "W-1001",
                    "column": "status",
                    "fingerprint": "f",
                },
                "text": "shipped",
                "note": None,
            }
        ],
    }
    verdicts = [by_row, *made["verdicts"]]
    return {**made, "verdicts": verdicts, "claims": len(verdicts)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_says_what_was_found(
    site: Site, browser: Browser, report: dict[str, Any], scheme: str
) -> None:
    with visit(browser, site.with_report(report), color_scheme=scheme) as page:
        button = page.get_by_role("button")
        expect(button).to_have_attribute("aria-expanded", "false")
        told = button.inner_text()
        assert "1 fact verified against the database" in told
        assert "rejected" in told
        shoot(page, f"{scheme}-closed")
        check_accessible(page)
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(page.get_by_role("listitem")).to_have_count(report["claims"])
        expect(page.get_by_text("row W-1001 of shop.orders, status")).to_be_visible()
        explained = any(one["disposition"] in {"review", "unchecked"} for one in report["verdicts"])
        expect(page.get_by_text("Unverified is not wrong")).to_have_count(int(explained))
        shoot(page, f"{scheme}-open")
        check_accessible(page)


def test_its_numbers_are_those_of_the_report(
    site: Site, browser: Browser, report: dict[str, Any]
) -> None:
    def number(*dispositions: str, tier: str | None = None) -> int:
        return sum(
            one["disposition"] in dispositions and tier in {None, one["tier"]}
            for one in report["verdicts"]
        )

    expected = {
        "verified against the database": number("accepted", tier="database"),
        "confirmed by tool results": number("accepted", tier="ledger"),
        "supported by cited documents": number("accepted", tier="document"),
        "rejected": number("rejected"),
        "unverified": number("review", "unchecked"),
    }
    with visit(browser, site.with_report(report)) as page:
        parts = page.locator(".part").all_inner_texts()
    for words, count in expected.items():
        found = [part for part in parts if part.endswith(words)]
        assert len(found) == min(count, 1), (words, parts)
        assert all(part.startswith(f"{count} ") for part in found)


def test_by_keyboard(site: Site, browser: Browser, report: dict[str, Any]) -> None:
    with visit(browser, site.with_report(report)) as page:
        page.keyboard.press("Tab")
        button = page.get_by_role("button")
        expect(button).to_be_focused()
        width = button.evaluate("one => getComputedStyle(one).outlineWidth")
        assert float(width.removesuffix("px")) >= 2
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(button).to_be_focused()
        page.keyboard.press("Escape")
        expect(button).to_have_attribute("aria-expanded", "false")
        expect(button).to_be_focused()


EMPTY = {"schema": "report.v1", "claims": 0, "verdicts": [], "unchecked": [], "release": None}


def test_no_claim_is_nothing_to_check(site: Site, browser: Browser) -> None:
    with visit(browser, site.with_report(EMPTY, "open")) as page:
        expect(page.get_by_role("button")).to_contain_text("Nothing to check in this answer")
        shoot(page, "nothing")
        check_accessible(page)


@pytest.mark.parametrize("text", HOSTILE, ids=["markup", "end of script", "address", "signs"])
def test_texts_are_text(site: Site, browser: Browser, report: dict[str, Any], text: str) -> None:
    verdict = report["verdicts"][0] | {"text": text, "detail": text, "disposition": "rejected"}
    verdict |= {"corrected_value": text, "code": "price_mismatch"}
    verdict["evidence"] = [{"locator": {"kind": "row", "table": text, "key": text, "column": text}}]
    told = report | {"verdicts": [verdict] * 3, "claims": 3}
    with visit(browser, site.with_report(told, "open")) as page:
        expect(page.get_by_role("listitem")).to_have_count(3)
        assert page.locator("grounding-badge img, grounding-badge li script").count() == 0
        scrolled, width = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert scrolled <= width


WRONG: dict[str, object] = {
    "no json": "{",
    "a list": "[]",
    "null": "null",
    "another form": json.dumps(EMPTY | {"schema": "report.v9"}),
    "no verdicts": json.dumps({"schema": "report.v1"}),
    "verdicts left out": json.dumps(EMPTY | {"claims": 2}),
    "no disposition": json.dumps(EMPTY | {"claims": 1, "verdicts": [{"code": "verified"}]}),
    "an unknown one": json.dumps(
        EMPTY | {"claims": 1, "verdicts": [{"code": "x", "disposition": "fine"}]}
    ),
    "null verdict": json.dumps(EMPTY | {"claims": 1, "verdicts": [None]}),
    "a prototype": '{"__proto__": {"schema": "report.v1", "claims": 0}}',
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_report_is_told(site: Site, browser: Browser, case: str) -> None:
    body = (
        f'<grounding-badge><script type="application/json">{WRONG[case]}</script></grounding-badge>'
    )
    with visit(browser, site.page(body)) as page:
        expect(page.get_by_role("status")).to_contain_text("can't be shown")
        check_accessible(page)


def test_from_an_address_of_the_same_origin(
    site: Site, browser: Browser, report: dict[str, Any]
) -> None:
    site.files["/report.json"] = (200, "application/json", json.dumps(report).encode())
    site.files["/moved"] = (302, "text/plain", b"http://localhost:1/report.json")
    with visit(
        browser, site.page('<grounding-badge src="/report.json"></grounding-badge>')
    ) as page:
        expect(page.get_by_role("button")).to_contain_text("verified against the database")
        page.evaluate("document.querySelector('grounding-badge').setAttribute('src', '/nowhere')")
        expect(page.get_by_role("status")).to_contain_text("answered 404")
        for address in ("https://example.org/r.json", "data:application/json,{}", "//example.org/"):
            page.evaluate(
                "src => document.querySelector('grounding-badge').setAttribute('src', src)", address
            )
            expect(page.get_by_role("status")).to_contain_text("another site")
    with browser.new_context().new_page() as page:
        page.goto(site.page('<grounding-badge src="/moved"></grounding-badge>'))
        expect(page.get_by_role("status")).to_contain_text("can't be shown")


def test_by_property_before_and_after(site: Site, browser: Browser, report: dict[str, Any]) -> None:
    with visit(browser, site.page("<p>Hello</p>")) as page:
        page.evaluate(
            """report => {
              const badge = document.createElement('grounding-badge');
              badge.report = report;
              document.querySelector('main').append(badge);
            }""",
            report,
        )
        expect(page.get_by_role("button")).to_contain_text("verified against the database")
        page.evaluate(
            "empty => { document.querySelector('grounding-badge').report = JSON.stringify(empty) }",
            EMPTY,
        )
        expect(page.get_by_role("button")).to_contain_text("Nothing to check")
        page.evaluate("document.querySelector('grounding-badge').report = null")
        expect(page.get_by_role("status")).to_contain_text("No grounding report")


def test_ten_thousand_claims(site: Site, browser: Browser, report: dict[str, Any]) -> None:
    many = report | {"verdicts": [report["verdicts"][-1]] * 10_000, "claims": 10_000}
    with visit(browser, site.with_report(many, "open")) as page:
        expect(page.get_by_role("button").first).to_contain_text("10,000")
        expect(page.get_by_role("listitem")).to_have_count(25)
        page.get_by_role("button", name="Show 25 more").click()
        expect(page.get_by_role("listitem")).to_have_count(50)
        expect(page.get_by_role("listitem").nth(25)).to_be_focused()
        assert page.evaluate("performance.now()") < 20_000


def test_right_to_left_small_and_in_high_contrast(
    site: Site, browser: Browser, report: dict[str, Any]
) -> None:
    verdicts = [
        one | {"text": "השמיכה עולה 49.90 ₪, نعم", "detail": "המחיר כמו במסד הנתונים"}
        for one in report["verdicts"]
    ]
    told = json.dumps(report | {"verdicts": verdicts}).replace("<", "\\u003c")
    body = (
        f'<grounding-badge open><script type="application/json">{told}</script></grounding-badge>'
    )
    url = site.page(body, lang="he", direction="rtl")
    small = {"width": 320, "height": 640}
    for name, options in {
        "rtl": {},
        "contrast": {"forced_colors": "active"},
        "still": {"reduced_motion": "reduce"},
    }.items():
        with visit(browser, url, viewport=small, **options) as page:
            expect(page.get_by_role("listitem").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
            if name == "still":
                seconds = page.locator(".arrow").evaluate(
                    "one => getComputedStyle(one).transitionDuration"
                )
                assert seconds == "0s"
            shoot(page, name)
            check_accessible(page)
