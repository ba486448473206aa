"""Every verb answers over HTTP what `verifier … --json` prints for the same request.

What only reads is asked twice of one tenant. What changes something is done step by step to two tenants, to
one by the command and to the other over HTTP, and both must come to the same. Turns that the server keeps
have no command: they are held against what the verbs of Python give.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.serving import EVERY_RIGHT, RETURNS, Server, add_key, serve, shop
from tests.integration.conftest import run
from verifier import open_verifier
from verifier.core.turn_fields import FieldReader
from verifier.core.turn_file import read_call, read_turn
from verifier.interfaces.cli.app import run as run_command
from verifier.interfaces.web.app import create_app
from verifier.interfaces.web.results import RESULTS
from verifier.interfaces.wire import to_wire
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import httpx

    from verifier.embedded import EmbeddedPostgres

SOURCE = "handbook/returns.md"
OTHER = "handbook/faq.md"
NEWER = RETURNS.replace("30 days", "14 days")
FAQ = "# Questions\n\nGoods may be returned within 60 days of delivery.\n"
CASE = {
    "id": "case-1",
    "answer": "Goods may be returned within 30 days [returns].",
    "documents": {"returns": "Goods may be returned within 30 days."},
    "labels": [
        {"reviewer": "anna", "label": "supported", "labelled_at": "2020-01-01T00:00:00+00:00"}
    ],
}
KEPT = {"question": "What does the lamp cost?", "locale": "en-US", "context": {"channel": "web"}}
CALL = {
    "tool": "get_product",
    "arguments": {"sku": "L-7"},
    "result": {"sku": "L-7", "price_usd": 49.9},
}
PRICED = "L-7 costs $49.90."
OF_THE_RUN = frozenset(
    {
        *("created_at", "now", "run_at", "moment", "milliseconds", "report_id", "at", "day"),
        *("permission_at", "last_verified_at", "supersedes", "decided_at", "key_hash", "digest"),
    }
)
"""Fields that tell when and under which id something was done."""
TODAY = tuple((datetime.now(UTC) + timedelta(days=days)).date().isoformat() for days in (0, 1, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """The command and a client of the server, of one tenant each."""

    words: Callable[..., Any]
    client: httpx.Client
    found: list[str] = field(default_factory=list)
    """Where the two differed until now."""

    def same(self, told: Any, answered: Any) -> None:
        """Compare what the command told with what the server answered."""
        asked = f"{str(told)[:60]}…: "
        self.found.extend(asked + one for one in differences(strip(told), strip(answered)))

    def get(self, path: str, **params: Any) -> Any:
        return self._read(self.client.get(path, params=params or None))

    def post(self, path: str, body: object) -> Any:
        return self._read(self.client.post(path, json=body))

    @staticmethod
    def _read(response: httpx.Response) -> Any:
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture(scope="module")
def server(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Server]:
    with shop(embedded, migrated_template) as command, serve(command) as running:
        yield running


def of_tenants(
    server: Server, capsys: pytest.CaptureFixture[str], words_tenant: str, http_tenant: str
) -> Iterator[Both]:
    secret = add_key(server.command, "operator", "admin", rights=EVERY_RIGHT, tenant=http_tenant)
    config = str(server.command.folder / "verifier.toml")
    common = ("--json", "--tenant", words_tenant, "--config", config, *server.command.options)

    def words(*arguments: str) -> Any:
        capsys.readouterr()
        code = run_command([*arguments, *common])
        told = capsys.readouterr()
        assert code in {0, 1}, told.err
        return json.loads(told.out)

    with server.client(secret) as client:
        yield Both(words=words, client=client)


@pytest.fixture
def one(server: Server, capsys: pytest.CaptureFixture[str]) -> Iterator[Both]:
    yield from of_tenants(server, capsys, "one", "one")


@pytest.fixture
def two(server: Server, capsys: pytest.CaptureFixture[str]) -> Iterator[Both]:
    yield from of_tenants(server, capsys, "left", "right")


@pytest.fixture
def kept(server: Server, capsys: pytest.CaptureFixture[str]) -> Iterator[Both]:
    yield from of_tenants(server, capsys, "kept", "kept")


def differences(told: Any, answered: Any, place: str = "") -> Iterator[str]:
    """Yield where two values differ, and how."""
    if isinstance(told, dict) and isinstance(answered, dict):
        for name in sorted(set(told) | set(answered)):
            yield from differences(
                told.get(name, "nothing"), answered.get(name, "nothing"), f"{place}.{name}"
            )
    elif isinstance(told, list) and isinstance(answered, list) and len(told) == len(answered):
        for at, (one, other) in enumerate(zip(told, answered, strict=True)):
            yield from differences(one, other, f"{place}[{at}]")
    elif told != answered:
        yield f"{place}: {told} by the command, {answered} over HTTP"


def strip(value: Any) -> Any:
    """Return a value without what differs from run to run: moments, and numbers that the database gives."""
    if isinstance(value, dict):
        return {
            name: "…"
            if name in OF_THE_RUN or (name.endswith("_id") and isinstance(member, int))
            else strip(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [strip(member) for member in value]
    if isinstance(value, str) and value.startswith((*TODAY, "turn_")):
        return "…"
    return "right" if value == "left" else value


def test_what_reads(one: Both, server: Server) -> None:
    folder = server.command.folder
    for text in (RETURNS, NEWER):
        one.post("/v1/sources/text", {"source": SOURCE, "text": text})
    one.post("/v1/sources/text", {"source": OTHER, "text": FAQ})
    turn = {
        "id": "t1",
        "answer": f"Goods may be returned within 30 days of delivery [{SOURCE}@1#0].",
        "retrieved": [f"{SOURCE}@1#0"],
        "tenant": "one",
    }
    for name, content in (("turn.json", turn), ("cases.jsonl", CASE)):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    until = {"source": SOURCE, "until": "2020-01-01T00:00:00+00:00"}
    one.post("/v1/sources/reviewed", until)

    asked: list[tuple[tuple[str, ...], str, dict[str, Any] | None]] = [
        (("sources",), "/v1/sources", None),
        (("sources", "--permission", "approved"), "/v1/sources?permission=approved", None),
        (("sources", "--stale"), "/v1/sources?stale=true", None),
        (("versions", SOURCE), f"/v1/versions?source={SOURCE}", None),
        (("versions", SOURCE, "--changes"), f"/v1/versions/changes?source={SOURCE}", None),
        (("versions", SOURCE, "--text", "1"), f"/v1/versions/text?source={SOURCE}&version=1", None),
        (("diff", SOURCE), f"/v1/versions/diff?source={SOURCE}", None),
        (
            ("diff", SOURCE, "first", "2"),
            f"/v1/versions/diff?source={SOURCE}&old=first&new=2",
            None,
        ),
        (("search", "return period", "-k", "2"), "/v1/search", {"query": "return period", "k": 2}),
        (
            ("search", "return", "--mode", "words", "--source", OTHER, "--neighbours", "1"),
            "/v1/search",
            {"query": "return", "mode": "words", "sources": [OTHER], "neighbours": 1},
        ),
        (("verify", str(folder / "turn.json")), "/v1/verify", turn),
        (
            ("verify", str(folder / "turn.json"), "--policy", "annotate", "--strict"),
            "/v1/verify",
            turn | {"policy": "annotate", "hold": ["rejected", "review", "unchecked"]},
        ),
        (("eval", str(folder / "cases.jsonl")), "/v1/evaluate", {"cases": [CASE]}),
        (("audit", "stale"), "/v1/audits/stale", None),
        (("audit", "superseded"), "/v1/audits/superseded", None),
        (("audit", "unapproved"), "/v1/audits/unapproved", None),
        (("audit", "orphans", "--limit", "5"), "/v1/audits/orphans?limit=5", None),
        (("audit", "drift"), "/v1/audits/drift", None),
        (("audit", "drift", "--table", "product"), "/v1/audits/drift?table=product", None),
        (("audit", "conflicts"), "/v1/audits/conflicts", None),
        (("audit", "impact", SOURCE), f"/v1/audits/impact?source={SOURCE}", None),
        (("conflicts", "list", "--all"), "/v1/conflicts?state=all", None),
        (("reviews", "list"), "/v1/reviews", None),
        (
            ("reviews", "list", "--all", "--order", "oldest"),
            "/v1/reviews?state=all&order=oldest",
            None,
        ),
        (("reviews", "agreement"), "/v1/reviews/agreement", None),
        (("answers", "list"), "/v1/reports", None),
        (("answers", "list", "--outcome", "review"), "/v1/reports?outcome=review", None),
    ]
    for words, path, body in asked:
        answered = one.get(path) if body is None else one.post(path, body)
        one.same(one.words(*words), answered)

    entry = one.get("/v1/reviews")["entries"][0]["review_id"]
    one.same(one.words("reviews", "show", str(entry)), one.get(f"/v1/reviews/{entry}"))
    report = one.get("/v1/reports")["reports"][0]["report_id"]
    assert one.words("answers", "show", report) == one.get(f"/v1/reports/{report}")
    one.same(one.words("recheck", report), one.post(f"/v1/reports/{report}/recheck", {}))
    one.same(one.words("recheck", "--source", SOURCE), one.post("/v1/rechecks", {"source": SOURCE}))
    assert "\n".join(one.found) == ""


def test_what_changes(two: Both, server: Server) -> None:
    path = server.command.folder / "faq.md"
    path.write_text(FAQ, encoding="utf-8")
    by = ("--by", "operator")
    why = ("--reason", "as agreed")
    told = {"source": SOURCE, "reason": "as agreed"}
    for number, text in enumerate((RETURNS, NEWER), 1):
        (server.command.folder / "text.md").write_text(text, encoding="utf-8")
        name = str(server.command.folder / "text.md")
        two.same(
            two.words("ingest", name, "--key", SOURCE, *by, "--metadata", 'lang="en"'),
            two.post(
                "/v1/sources/text",
                {"source": SOURCE, "text": text, "title": "Returns", "metadata": {"lang": "en"}},
            ),
        )
        two.same(two.words("versions", SOURCE), two.get("/v1/versions", source=SOURCE))
        assert len(two.get("/v1/versions", source=SOURCE)) == number
    uploaded = two.client.post("/v1/sources/file", files={"file": ("faq.md", FAQ.encode())})
    two.same(two.words("ingest", str(path), *by), uploaded.json())

    moment = "2020-01-31T00:00:00+00:00"
    dated = ("--from", "2020-01-01T00:00:00+00:00")
    steps: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
        (("deny", SOURCE, *by, *why), "deny", told),
        (("approve", SOURCE, *by), "approve", {"source": SOURCE}),
        (("authority", SOURCE, "7", *by, *why), "authority", told | {"authority": 7}),
        (("revert", SOURCE, "1", *by, *why), "revert", told | {"version": 1}),
        (("withdraw", SOURCE, *by, *why, "--yes"), "withdraw", told),
        (("restore", SOURCE, *by, *why), "restore", told),
        (
            ("validity", SOURCE, "3", *dated, *by, *why),
            "validity",
            told | {"version": 3, "valid_from": dated[1]},
        ),
        (
            ("reviewed", SOURCE, *by, "--until", moment),
            "reviewed",
            {"source": SOURCE, "until": moment},
        ),
    ]
    for words, verb, body in steps:
        two.same(two.words(*words), two.post(f"/v1/sources/{verb}", body))
    disputed = {
        "place": SOURCE,
        "other": "faq.md",
        "subject": "returns",
        "attribute": "period",
        "value": "30 days",
        "other_value": "60 days",
    }
    options = [f"--{name.replace('_', '-')}={disputed[name]}" for name in list(disputed)[2:]]
    left = two.words("conflicts", "declare", SOURCE, "faq.md", *options, *by)
    right = two.post("/v1/conflicts", disputed)
    two.same(left, right)
    ids = str(left["conflict_id"]), right["conflict_id"]
    place = f"/v1/conflicts/{ids[1]}"
    two.same(
        two.words("conflicts", "assign", ids[0], "--to", "anna", *by),
        two.post(f"{place}/assign", {"to": "anna"}),
    )
    two.same(
        two.words("conflicts", "resolve", ids[0], *by, *why),
        two.post(f"{place}/resolve", {"reason": "as agreed"}),
    )
    two.same(two.words("conflicts", "find"), two.post("/v1/conflicts/find", {}))
    decide_both(two, server)
    order = ("erase", "faq.md", *by, *why, "--yes")
    plan = two.post("/v1/sources/erase/plan", {"source": "faq.md"})
    assert plan["seqs"] == [1]
    body = {"source": "faq.md", "reason": "as agreed", "confirmed": True}
    two.same(two.words(*order), two.post("/v1/sources/erase", body))
    two.same(
        two.words("versions", SOURCE, "--changes"),
        two.get("/v1/versions/changes", source=SOURCE),
    )
    assert "\n".join(two.found) == ""


def decide_both(two: Both, server: Server) -> None:
    """Ask for a review on both sides, decide it, and open it again."""
    turn = {
        "answer": f"Goods may be returned within 30 days of delivery [{SOURCE}@3#0].",
        "retrieved": [f"{SOURCE}@3#0"],
    }
    path = server.command.folder / "turn.json"
    path.write_text(json.dumps(turn | {"tenant": "left"}), encoding="utf-8")
    two.same(two.words("verify", str(path)), two.post("/v1/verify", turn))
    left, right = two.words("reviews", "list"), two.get("/v1/reviews")
    two.same(left, right)
    number, other = str(left["entries"][0]["review_id"]), right["entries"][0]["review_id"]
    decision = {"decision": "supported", "reason": "as agreed"}
    by_whom = ("--by", "operator", "--reason", "as agreed")
    two.same(
        two.words("reviews", "assign", number, "--to", "anna", *by_whom[:2]),
        two.post(f"/v1/reviews/{other}/assign", {"to": "anna"}),
    )
    two.same(
        two.words("reviews", "decide", number, "supported", *by_whom),
        two.post(f"/v1/reviews/{other}/decide", decision),
    )
    two.same(
        two.words("reviews", "reopen", number, *by_whom),
        two.post(f"/v1/reviews/{other}/reopen", {"reason": "as agreed"}),
    )
    two.same(two.words("reviews", "refresh"), two.post("/v1/reviews/refresh", {}))
    two.same(two.words("reviews", "show", number), two.get(f"/v1/reviews/{other}"))


async def keep_turn(server: Server) -> list[Any]:
    """Return what the verbs of Python give of a turn that is begun, gets a call and is verified in."""
    config = server.command.folder / "verifier.toml"
    chosen = load_settings(config, dsn=server.command.options[1], tenant="kept")
    async with open_verifier(settings=chosen) as verifier:
        turns = verifier.turns
        turn_id = await turns.begin(read_turn(KEPT).turn)
        begun = await turns.describe(turn_id)
        call = read_call(FieldReader(CALL, "the call"))
        call_id = await turns.record(turn_id, call)
        filled = await turns.describe(turn_id)
        report = await verifier.verify(PRICED, await turns.get(turn_id))
    recorded = {"turn_id": turn_id, "call_id": call_id}
    return [to_wire(begun), recorded, to_wire(filled), to_wire(report)]


def test_turns_that_are_kept(kept: Both, server: Server) -> None:
    begun = kept.post("/v1/turns", KEPT)
    place = f"/v1/turns/{begun['turn_id']}"
    recorded = kept.post(f"{place}/calls", CALL)
    filled = kept.get(place)
    report = kept.post("/v1/verify", {"answer": PRICED, "turn_id": begun["turn_id"]})
    assert [one["code"] for one in report["verdicts"]] == ["verified"]
    assert (filled["calls"], recorded["call_id"]) == (1, "call-1")
    told = run(keep_turn(server))
    for left, right in zip(told, (begun, recorded, filled, report), strict=True):
        kept.same(left, right)
    assert "\n".join(kept.found) == ""


def test_every_operation_is_compared() -> None:
    compared = Path(__file__).read_text(encoding="utf-8")
    app = create_app(load_settings(None, data_dir=Path("unused")))
    paths = {path for path, one in app.openapi()["paths"].items() if _is_answered(one)}
    assert len(paths) > 30
    for path in paths - {"/v1/sources/bytes"}:  # as those of a file
        last = [part for part in path.split("/") if not part.startswith("{")][-1]
        assert re.search(rf"[/\"]{last}\b", compared), path


def _is_answered(path: Any) -> bool:
    return any(operation["operationId"] in RESULTS for operation in path.values())
