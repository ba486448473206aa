"""The web page in a real browser, on a real server with real content: seen, walked by keyboard, attacked."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.acceptance.browsing import (
    open_browser,
    open_page,
    save_shot,
    serve_pages,
    sign_in,
)
from tests.acceptance.page_content import (
    CASES,
    EXAMINER,
    HOSTILE,
    HOSTILE_KEY,
    OTHER_TENANT,
    TERMS,
    put_content,
)
from tests.integration.conftest import drop_database, make_database, run
from verifier.service import Verifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.acceptance.page_content import Content
    from verifier.embedded import EmbeddedPostgres

FILE: Any = {"name": "cases.jsonl", "mimeType": "text/plain", "buffer": CASES.encode()}
WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 320, "height": 640}
"""As wide as a page of 1,280 is at four times its size: it must not scroll sideways."""


@pytest.fixture(scope="module")
def content(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Content]:
    database = make_database(embedded, template=migrated_template)
    yield run(put_content(database))
    drop_database(embedded, database)


@pytest.fixture(scope="module")
def url(content: Content) -> Iterator[str]:
    with serve_pages(content.settings) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


def addresses(content: Content) -> dict[str, str]:
    """Every page that a key of an operator opens, by the name of its picture."""
    hostile, terms = urlencode({"key": HOSTILE_KEY}), urlencode({"key": TERMS})
    return {
        "answers": "/answers",
        "answers-filtered": "/answers?outcome=review&since=2026-01-01",
        "answers-none": "/answers?since=2999-01-01",
        **{f"answer-{name}": f"/answers/{one.report_id}" for name, one in content.reports.items()},
        "reviews": "/reviews",
        **{f"review-{number}": f"/reviews/{number}" for number in content.reviews},
        "sources": "/sources",
        "source": f"/sources/one?{terms}",
        "source-hostile": f"/sources/one?{hostile}",
        "text": f"/sources/text?{terms}&seq=1",
        "text-hostile": f"/sources/text?{hostile}",
        "diff": f"/sources/diff?{terms}",
        "audits": "/audits",
        "evaluation": "/evaluation",
        "keys": "/keys",
        "key-revoke": "/keys/revoke?name=bob",
    }


def find_faults(page: Page) -> list[str]:
    """What axe finds wrong with the page that is open."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def find_widest(page: Page) -> object:
    """The elements that reach beyond the screen, for who has to mend it."""
    return page.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth"
        " && !e.closest('.scroll, .chart')).map(e => e.outerHTML.slice(0, 120)).slice(0, 5)"
    )


def is_scrolled_sideways(page: Page) -> bool:
    answer = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    return bool(answer)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_whole_and_open_to_all(
    content: Content, url: str, browser: Browser, scheme: str
) -> None:
    faults: dict[str, object] = {}
    with open_page(
        browser, url, secret=content.secrets["ann"], color_scheme=scheme, viewport=WIDE
    ) as (page, seen):
        for name, address in addresses(content).items():
            answer = page.goto(address)
            assert answer is not None
            assert answer.status == 200, (name, answer.status)
            save_shot(page, f"{name}-{scheme}")
            if found := find_faults(page):
                faults[name] = found
            assert page.locator("h1").count() == 1, name
            assert "taken" not in page.title().replace("='taken'", ""), name
        run_evaluation(page)
        save_shot(page, f"evaluation-run-{scheme}")
        faults |= {"run": found} if (found := find_faults(page)) else {}
        assert seen.faults == []
    assert faults == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_errors_and_the_sign_in_are_whole_too(
    content: Content, url: str, browser: Browser, scheme: str
) -> None:
    with open_page(browser, url, color_scheme=scheme, viewport=WIDE) as (page, seen):
        page.goto("/answers")
        assert page.url.endswith("/sign-in?next=%2Fanswers")
        save_shot(page, f"sign-in-{scheme}")
        faults = find_faults(page)
        page.get_by_label("API key").fill(f"vk_{'x' * 43}")
        page.keyboard.press("Enter")
        page.get_by_role("alert").wait_for()
        save_shot(page, f"sign-in-refused-{scheme}")
        faults += find_faults(page)
        sign_in(page, content.secrets["bob"])
        for name, address, status in (
            ("missing", f"/answers/{'f' * 64}", 404),
            ("forbidden", "/keys", 403),
            ("wrong", "/answers?outcome=never", 422),
        ):
            answer = page.goto(address)
            assert answer is not None
            assert answer.status == status
            save_shot(page, f"{name}-{scheme}")
            faults += find_faults(page)
        assert faults == []
        assert {one.split(" the server")[0] for one in seen.faults} == {
            "error: Failed to load resource:"  # what a browser says of every such status
        }


def test_pages_fit_narrow_screens_and_large_print(
    content: Content, url: str, browser: Browser
) -> None:
    with open_page(browser, url, secret=content.secrets["ann"], viewport=NARROW) as (page, _):
        for name, address in addresses(content).items():
            page.goto(address)
            save_shot(page, f"{name}-narrow")
            assert not is_scrolled_sideways(page), (name, find_widest(page))


def test_all_evidence_stands_on_paper(content: Content, url: str, browser: Browser) -> None:
    with open_page(browser, url, secret=content.secrets["ann"]) as (page, _):
        page.emulate_media(media="print")
        page.goto(f"/answers/{content.reports['order-of-another-customer'].report_id}")
        bodies = page.locator(".claims .body")
        assert bodies.count() == 3
        assert all((box := one.bounding_box()) and box["height"] > 20 for one in bodies.all())
        assert not page.get_by_role("navigation").is_visible()


def press_to(page: Page, name: str, most: int = 60) -> None:
    """Press Tab till the focus stands on what is called so; it must be seen to stand there."""
    for _ in range(most):
        page.keyboard.press("Tab")
        text = page.evaluate(
            "(e => (e.getAttribute('aria-label') || e.innerText || e.value || e.id).trim())"
            "(document.activeElement)"
        )
        if text.startswith(name):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"Tab never came to {name!r}")


def test_everything_can_be_done_by_keyboard(content: Content, url: str, browser: Browser) -> None:
    with open_page(browser, url, viewport=WIDE) as (page, seen):
        page.goto("/sign-in")
        press_to(page, "secret")
        page.keyboard.type(content.secrets["ann"])
        page.keyboard.press("Enter")
        page.wait_for_url("**/answers")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        report = content.reports["lamp-from-the-table"]
        press_to(page, report.report_id[:12])
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/answers/{report.report_id}")
        press_to(page, "claim 1: verified by database")
        page.keyboard.press("Enter")
        assert page.locator("#c1").is_visible()
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
        assert "sample.product" in page.locator("#c1").inner_text()
        page.keyboard.press("Space")
        assert not page.locator("#c1").is_visible()
        decide_by_keyboard(page, content.reviews[0])
        assert seen.faults == []


def decide_by_keyboard(page: Page, number: int) -> None:
    page.goto("/answers")
    press_to(page, "Reviews")
    page.keyboard.press("Enter")
    page.wait_for_url("**/reviews")
    page.goto(f"/reviews/{number}")
    press_to(page, "supported")
    page.keyboard.press("ArrowDown")
    press_to(page, "reason")
    page.keyboard.type("The handbook is old.")
    press_to(page, "Record the decision")
    page.keyboard.press("Enter")
    page.get_by_role("status").first.wait_for()
    assert "Your decision, unsupported, is recorded." in page.locator("main").inner_text()
    assert "by ann" in page.locator(".decisions").inner_text()


def test_without_script_nothing_is_lost(content: Content, url: str, browser: Browser) -> None:
    with open_page(browser, url, secret=content.secrets["ann"], java_script_enabled=False) as (
        page,
        seen,
    ):
        report = content.reports["lamp-from-the-table"]
        page.goto(f"/answers/{report.report_id}")
        assert page.locator("#c2").is_visible()  # the worst claim is open from the start
        page.get_by_label("claim 1: verified by database").click()
        assert page.locator("#c1").is_visible()
        page.goto(f"/reviews/{content.reviews[-1]}")
        page.get_by_label("unclear").check()
        page.get_by_label("Reason").fill("It can't be told.")
        page.get_by_role("button", name="Record the decision").click()
        assert "Your decision, unclear, is recorded." in page.locator("main").inner_text()
        run_evaluation(page)
        assert "wrongly accepted" in page.locator("main").inner_text()
        page.get_by_role("button", name="Sign out").click()
        assert page.url.endswith("/sign-in")
        assert seen.faults == []


def run_evaluation(page: Page) -> None:
    page.goto("/evaluation")
    page.get_by_label("Labelled cases").set_input_files([FILE])
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("heading", name="Run of cases.jsonl").wait_for()


def test_a_click_on_a_mark_opens_the_evidence_beside_it(
    content: Content, url: str, browser: Browser
) -> None:
    with open_page(browser, url, secret=content.secrets["ann"], viewport=WIDE) as (page, seen):
        page.goto(f"/answers/{content.reports['cancelling-a-room'].report_id}")
        assert not page.locator("#c1").is_visible()
        page.locator("mark").first.click()
        body = page.locator("#c1")
        assert body.is_visible()
        assert "48 hours" in body.locator("mark").first.inner_text()
        assert "room-booking-policy" in body.inner_text()
        answer, beside = page.locator(".answer").bounding_box(), body.bounding_box()
        assert answer is not None
        assert beside is not None
        assert beside["x"] > answer["x"] + answer["width"]
        assert seen.faults == []


def test_what_people_wrote_is_shown_and_never_run(
    content: Content, url: str, browser: Browser
) -> None:
    written = "<script>document.title='taken'</script>"
    with open_page(browser, url, secret=content.secrets["ann"]) as (page, seen):
        for name, address in addresses(content).items():
            page.goto(address)
            assert page.locator("script:not([src])").count() == 0, name
            assert page.locator("main img, main iframe, main [style], [onerror]").count() == 0, name
            assert "\u202e" not in page.content(), name
        for address in ("/answers", "/sources", f"/sources/one?{urlencode({'key': HOSTILE_KEY})}"):
            page.goto(address)
            assert written in page.locator("main").inner_text()
        page.goto(f"/reviews/{content.reviews[0]}")
        page.get_by_label("contradicted").check()
        page.get_by_label("Reason").fill(HOSTILE)
        page.get_by_role("button", name="Record the decision").click()
        assert written in page.locator(".decisions").inner_text()
        assert seen.faults == []


def test_audits_lead_to_the_answers_and_sources_that_they_name(
    content: Content, url: str, browser: Browser
) -> None:
    with open_page(browser, url, secret=content.secrets["bob"]) as (page, seen):
        for link, heading in ((TERMS, "Terms of the shop"), ("", "Answer")):
            page.goto("/audits")
            report = content.reports["cited"].report_id[:12]
            page.get_by_role("link", name=link or report).first.click()
            page.get_by_role("heading", level=1).filter(has_text=heading).wait_for()
        assert seen.faults == []


def test_two_who_decide_at_once_are_both_kept(content: Content, url: str, browser: Browser) -> None:
    number = content.reviews[-1]
    with (
        open_page(browser, url, secret=content.secrets["ann"]) as (ann, _),
        open_page(browser, url, secret=content.secrets["bob"]) as (bob, _),
    ):
        for page, choice in ((ann, "supported"), (bob, "contradicted")):
            page.goto(f"/reviews/{number}")
            page.get_by_label(choice, exact=False).first.check()
            page.get_by_label("Reason").fill(f"I say {choice}.")
        for page in (ann, bob):
            page.get_by_role("button", name="Record the decision").click()
            page.get_by_role("status").first.wait_for()
        told = bob.locator("main").inner_text()
        assert "While you were reading, others decided too: ann (supported)." in told
        assert "The reviewers disagree." in told
        assert "I say supported." in told
        assert "I say contradicted." in told
        ann.reload()
        assert "The reviewers disagree." in ann.locator("main").inner_text()


@contextmanager
def signed_in(url: str, secret: str) -> Iterator[httpx.Client]:
    """Yield a client with a session, which follows nothing by itself."""
    headers = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        word = read_word(client.get("/sign-in").text)
        answer = client.post("/sign-in", data={"csrf": word, "secret": secret, "next": ""})
        assert answer.status_code == 303, answer.text
        yield client


def read_word(page: str) -> str:
    return page.partition('name="csrf" value="')[2].partition('"')[0]


def test_a_form_that_was_not_ours_changes_nothing(content: Content, url: str) -> None:
    number = content.reviews[0]
    filled = {"decision": "supported", "reason": "forged", "seen": "0"}
    address = f"/reviews/{number}/decisions"
    with (
        signed_in(url, content.secrets["ann"]) as ann,
        signed_in(url, content.secrets["bob"]) as bob,
    ):
        page = f"/reviews/{number}"
        word, other = read_word(ann.get(page).text), read_word(bob.get(page).text)
        assert word != other
        same, cross = {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "cross-site"}
        for headers, sent in (
            (same, filled),
            (same, {**filled, "csrf": ""}),
            (same, {**filled, "csrf": other}),
            (same, {**filled, "csrf": f"{word}x"}),
            (same, {**filled, "csrf": "\ud800é"}),
            (cross, {**filled, "csrf": word}),
            ({"Sec-Fetch-Site": "same-site"}, {**filled, "csrf": word}),
            ({"Sec-Fetch-Site": "none"}, {**filled, "csrf": word}),
        ):
            body = urlencode(sent, errors="surrogatepass")
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = ann.post(address, content=body, headers={**headers, **form})
            assert answer.status_code == 403, (headers, sent)
            assert answer.headers["content-type"].startswith("text/html")
        del ann.headers["Sec-Fetch-Site"]
        for origin in ("https://evil.example", "null", f"{url}.evil.example", ""):
            answer = ann.post(address, data={**filled, "csrf": word}, headers={"Origin": origin})
            assert answer.status_code == 403, origin
        assert ann.post(address, data={**filled, "csrf": word}).status_code == 403
        assert "forged" not in ann.get(page).text
        ours = {"Origin": url}
        assert ann.post(address, data={**filled, "csrf": word}, headers=ours).status_code == 303
        assert "forged" in ann.get(page).text


def test_signing_in_takes_a_form_of_ours_and_makes_a_new_session(
    content: Content, url: str
) -> None:
    secret = content.secrets["ann"]
    with httpx.Client(base_url=url, headers={"Sec-Fetch-Site": "same-origin"}) as client:
        assert client.post("/sign-in", data={"secret": secret, "csrf": ""}).status_code == 403
        client.cookies.set("verifier-session", "A" * 43)
        word = read_word(client.get("/sign-in").text)
        wrong = client.post("/sign-in", data={"secret": "vk_no", "csrf": word})
        assert wrong.status_code == 401
        assert "vk_no" not in wrong.text
        word = read_word(wrong.text)
        answer = client.post("/sign-in", data={"secret": secret, "csrf": word, "next": "//evil"})
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        (cookie,) = [
            one for one in answer.headers.get_list("set-cookie") if "verifier-session=" in one
        ]
        assert "A" * 43 not in cookie
        for wanted in ("HttpOnly", "SameSite=strict", "Path=/"):
            assert wanted in cookie
        assert "Secure" not in cookie  # plain HTTP on this machine
    host = {"Host": "verifier.example", "Sec-Fetch-Site": "same-origin"}
    answer = httpx.get(f"{url}/sign-in", headers=host)
    if answer.status_code == 200:  # where no host is refused
        assert "Secure" in answer.headers["set-cookie"]
        assert "__Host-" in answer.headers["set-cookie"]


def test_a_session_ends_with_the_sign_out_and_with_its_key(content: Content, url: str) -> None:
    async def add_key() -> str:
        verifier = Verifier(content.settings)
        try:
            return (await verifier.keys.add("short-lived", ["review"])).secret
        finally:
            await verifier.close()

    secret = run(add_key())
    with signed_in(url, secret) as first, signed_in(url, secret) as second:
        kept = dict(first.cookies)
        word = read_word(first.get("/answers").text)
        assert first.post("/sign-out", data={"csrf": word}).headers["location"] == "/sign-in"
        for name, value in kept.items():
            first.cookies.set(name, value)
        assert first.get("/answers").status_code == 303
        assert second.get("/answers").status_code == 200
        with signed_in(url, content.secrets["ann"]) as ann:
            page = ann.get("/keys/revoke?name=short-lived")
            sent = {"csrf": read_word(page.text)}
            answer = ann.post("/keys/revoke?name=short-lived", data=sent)
            assert answer.headers["location"] == "/keys?revoked=short-lived"
            assert "The key short-lived is revoked." in ann.get("/keys?revoked=short-lived").text
            assert ann.get("/keys/revoke?name=never").status_code == 404
        assert second.get("/answers").status_code == 303


@pytest.mark.parametrize(
    ("name", "opened", "refused"),
    [
        ("bob", {"/answers", "/reviews", "/sources", "/audits"}, {"/evaluation", "/keys"}),
        (
            "eve",
            set(),
            {"/", "/answers", "/reviews", "/sources", "/audits", "/evaluation", "/keys"},
        ),
    ],
)
def test_pages_open_by_scope(
    content: Content, url: str, name: str, opened: set[str], refused: set[str]
) -> None:
    with signed_in(url, content.secrets[name]) as client:
        for address in sorted(opened):
            answer = client.get(address)
            assert answer.status_code == 200, address
            shown = {one for one in ("/answers", "/keys") if f'href="{one}"' in answer.text}
            assert shown == {"/answers"}
        for address in sorted(refused):
            answer = client.get(address)
            assert answer.status_code == 403, address
            assert answer.headers["content-type"].startswith("text/html")
            assert "scope" in answer.text


def test_what_is_another_tenants_is_as_what_is_not(content: Content, url: str) -> None:
    with signed_in(url, content.secrets["ann"]) as client:
        for theirs, missing in (
            (f"/answers/{content.other_report}", f"/answers/{'0' * 64}"),
            ("/reviews/999999", "/reviews/no"),
            ("/sources/one?key=rivals-own", "/sources/one?key=nobodys"),
        ):
            pages = [client.get(address) for address in (theirs, missing)]
            assert [one.status_code for one in pages] == [404, 404]
            assert pages[0].content == pages[1].content
        shown = client.get(f"/sources/text?{urlencode({'key': TERMS})}").text
        assert "99 days" not in shown
        assert OTHER_TENANT not in shown


@pytest.mark.parametrize(
    "address",
    [
        "/answers/%00",
        "/answers/%ed%a0%80",
        "/answers?since=0000-00-00",
        "/answers?until=9999-12-31",
        "/answers?beyond=%00'--",
        f"/answers?outcome={'x' * 101}",
        "/reviews?limit=0",
        "/reviews?state=%27%20OR%201%3D1",
        f"/reviews/{'9' * 400}",
        "/reviews/-1",
        "/reviews/1?did=supported&seen=" + "9" * 90,
        "/sources/one",
        "/sources/one?key=%00",
        "/sources/text?key=shop-terms&seq=-1",
        "/sources/text?key=shop-terms&seq=first&from=99999999999999999999",
        "/sources/diff?key=shop-terms&old=2&new=99",
        "/sources?after=%00&holding=%25_",
        "/sources?permission=none",
        "/audits?source=nobodys",
        "/audits?since=tomorrow",
        "/keys/revoke?name=%00",
        "/static/..%2fpages.py",
        "/static/%2e%2e%2ftemplates%2fbase.html",
    ],
)
def test_wrong_addresses_are_told_as_pages(content: Content, url: str, address: str) -> None:
    with signed_in(url, content.secrets["ann"]) as client:
        answer = client.get(address)
        assert answer.status_code < 500, answer.text
        assert "Traceback" not in answer.text
        if not address.startswith("/static"):
            assert answer.headers["content-type"].startswith("text/html")
            assert answer.headers["cache-control"] == "no-store"


def test_what_there_is_not_is_told_to_browsers_by_a_page(url: str) -> None:
    browser, program = {"Accept": "text/html,*/*;q=0.8"}, {"Accept": "*/*"}
    for address in ("/answer", "/answers/", "/sources/one/x", "/static/x/y", "/%2e%2e/etc/passwd"):
        shown = httpx.get(f"{url}{address}", headers=browser)
        assert shown.status_code == 404
        assert "There is no such page" in shown.text
        assert "default-src 'none'" in shown.headers["content-security-policy"]
        told = httpx.get(f"{url}{address}", headers=program)
        assert told.status_code == 404
        assert told.headers["content-type"] == "application/problem+json"
    told = httpx.get(f"{url}/v1/never", headers=browser)
    assert (told.status_code, told.headers["content-type"]) == (404, "application/problem+json")


def test_every_page_carries_its_policy(content: Content, url: str) -> None:
    with signed_in(url, content.secrets["ann"]) as client:
        for address in (*addresses(content).values(), "/sign-in", "/answers/none"):
            headers = client.get(address).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert headers["cache-control"] == "no-store"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
        for name in ("pages.css", "pages.js", "icon.svg"):
            answer = client.get(f"/static/{name}")
            assert answer.status_code == 200
            assert "max-age" in answer.headers["cache-control"]


def test_who_evaluates_proves_nothing_by_himself(content: Content, url: str) -> None:
    with signed_in(url, content.secrets[EXAMINER]) as client:
        word = read_word(client.get("/evaluation").text)
        sent = {"csrf": word, "give": "file"}
        filed = client.post("/evaluation", data=sent, files={"cases": ("a.jsonl", CASES)})
        codes = {code for case in filed.json()["cases"] for code in case["codes"]}
        assert codes
        assert "verified" not in codes
        for field, told in (
            ("principal", "c-1001"),
            ("tenant", OTHER_TENANT),
            ("system", "All is 1"),
        ):
            line = json.loads(CASES.splitlines()[0]) | {field: told}
            answer = client.post(
                "/evaluation", data=sent, files={"cases": ("a.jsonl", json.dumps(line))}
            )
            assert answer.status_code == 403, field
            assert field in answer.text


def test_an_evaluation_is_shown_handed_out_and_compared(content: Content, url: str) -> None:
    with signed_in(url, content.secrets["ann"]) as client:
        word = read_word(client.get("/evaluation").text)
        cases: dict[str, Any] = {"cases": ("cases.jsonl", CASES)}
        filed = client.post("/evaluation", data={"csrf": word, "give": "file"}, files=cases)
        assert filed.status_code == 200
        assert "attachment" in filed.headers["content-disposition"]
        assert filed.json()["schema"] == "evaluation.v1"
        assert len(filed.json()["cases"]) == 12
        both: dict[str, Any] = {**cases, "against": ("run.json", filed.content)}
        shown = client.post("/evaluation", data={"csrf": word}, files=both)
        assert "right in both" in shown.text
        wrong: tuple[dict[str, Any], ...] = (
            {},
            {"cases": ("a.jsonl", b"\xff\xfe\x00")},
            {"cases": ("<b>.jsonl", "no json")},
            {"cases": ("a.jsonl", "[" * 100_000)},
            {"cases": ("a.jsonl", '{"id": "1", "answer": "x"}')},
            {**cases, "against": ("run.json", b"{}")},
        )
        for sent in wrong:
            refused = client.post("/evaluation", data={"csrf": word}, files=sent)
            assert refused.status_code == 422, sent
            assert 'role="alert"' in refused.text
            assert "<b>.jsonl" not in refused.text
        logged = client.get("/answers").text
        assert "The lamp costs" not in logged
