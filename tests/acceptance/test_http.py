"""The main job over HTTP, with a real client against a real server, and who may do what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.serving import EVERY_RIGHT, RETURNS, Server, add_key, serve, shop
from tests.integration.conftest import run
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from verifier.embedded import EmbeddedPostgres

CALL = {
    "id": "call-1",
    "tool": "get_product",
    "arguments": {"sku": "LAMP-1"},
    "result": {"sku": "LAMP-1", "name": "Desk lamp", "price_usd": 49.90},
}


@pytest.fixture(scope="module")
def server(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Server]:
    with shop(embedded, migrated_template) as command, serve(command) as running:
        yield running


@pytest.fixture(scope="module")
def operator(server: Server) -> Iterator[httpx.Client]:
    with server.client(add_key(server.command, "operator", rights=EVERY_RIGHT)) as client:
        yield client


def answer(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


def codes(report: dict[str, Any]) -> list[str]:
    return [one["code"] for one in report["verdicts"]]


def test_the_main_job(server: Server, operator: httpx.Client) -> None:
    ingester = add_key(server.command, "crawler", "ingest")
    with server.client(ingester) as crawler:
        body = {"source": "main/returns.md", "text": RETURNS, "metadata": {"lang": "en"}}
        [outcome] = answer(crawler.post("/v1/sources/text", json=body))["outcomes"]
        assert outcome["outcome"] == "pending"
        answer(crawler.post("/v1/sources/approve", json={"source": "main/returns.md"}), 403)

    asked = {"query": "how long may goods be returned", "k": 3, "sources": ["main/returns.md"]}
    assert answer(operator.post("/v1/search", json=asked))["hits"] == []
    [waiting] = answer(operator.get("/v1/sources", params={"permission": "pending"}))
    assert waiting["source"]["key"] == "main/returns.md"
    answer(operator.post("/v1/sources/approve", json={"source": "main/returns.md"}))

    agent = add_key(server.command, "agent", "search", "verify", rights=EVERY_RIGHT)
    with server.client(agent) as client:
        hits = answer(client.post("/v1/search", json=asked))["hits"]
        period = next(hit["chunk_id"] for hit in hits if "30 days" in hit["text"])
        drafts = {
            "The desk lamp costs $49.90.": "verified",
            "The desk lamp costs $48.90.": "price_mismatch",
            "The lamp LAMP-77 costs $10.00.": "not_found",
            f"Goods may be returned within 30 days of delivery [{period}].": "supported",
            f"Goods may be returned within 45 days of delivery [{period}].": "unsupported_quantity",
        }
        for draft, code in drafts.items():
            turn = {
                "answer": draft,
                "calls": [CALL],
                "retrieved": [hit["chunk_id"] for hit in hits],
            }
            report = answer(client.post("/v1/verify", json=turn))
            assert codes(report) == [code], (draft, report["verdicts"])
            assert report["accepted"] == (code in {"verified", "supported"})
        corrected = answer(
            client.post(
                "/v1/verify",
                json={
                    "answer": "The desk lamp costs $48.90.",
                    "calls": [CALL],
                    "policy": "correct",
                },
            )
        )
        assert corrected["release"]["text"] == "The desk lamp costs $49.90."
        refused = answer(client.get("/v1/audits/stale"), 403)
        assert "review" in refused["detail"]

    until = {"source": "main/returns.md", "until": "2020-01-01T00:00:00+00:00"}
    answer(operator.post("/v1/sources/reviewed", json=until))
    stale = answer(operator.get("/v1/audits/stale", params={"source": "main/returns.md"}))
    assert [one["version"]["key"] for one in stale["sources"]] == ["main/returns.md"]
    assert stale["sources"][0]["version"]["answers"] >= 2
    with server.client(agent) as client:
        late = {"answer": f"Goods may be returned within 30 days of delivery [{period}]."}
        report = answer(client.post("/v1/verify", json=late | {"retrieved": [period]}))
        assert codes(report) == ["stale_review"]

    [entry] = answer(operator.get("/v1/reviews", params={"source": "main/returns.md"}))["entries"]
    place = f"/v1/reviews/{entry['review_id']}"
    decision = {"decision": "supported", "reason": "the handbook was read again"}
    decided = answer(operator.post(f"{place}/decide", json=decision))
    assert (decided["decision"], decided["reviewer"]) == ("supported", "operator")
    assert answer(operator.get(place))["decisions"]
    [logged, *_] = answer(operator.get("/v1/reports", params={"limit": 1}))["reports"]
    shown = answer(operator.get(f"/v1/reports/{logged['report_id']}"))
    assert shown["report"]["answer"] == late["answer"]
    again = answer(operator.post(f"/v1/reports/{logged['report_id']}/recheck", json={}))
    assert again["report_id"] == logged["report_id"]


def test_turns_kept_by_the_server(server: Server, operator: httpx.Client) -> None:
    async def begin() -> str:
        async with open_verifier(server.command.options[1]) as verifier:
            turn = verifier.turn(question="What does the desk lamp cost?")
            turn.record("get_product", {"sku": "LAMP-1"}, CALL["result"])
            return await verifier.turns.begin(turn.freeze())

    turn_id = run(begin())
    body = {"query": "lamp", "turn_id": turn_id, "mode": "words"}
    answer(operator.post("/v1/search", json=body))
    told = {"answer": "The desk lamp costs $49.90.", "turn_id": turn_id}
    assert codes(answer(operator.post("/v1/verify", json=told))) == ["verified"]
    beside = answer(operator.post("/v1/verify", json=told | {"calls": [CALL]}), 422)
    assert "turn_id" in beside["detail"]
    for path, sent in (("/v1/verify", told), ("/v1/search", body)):
        answer(operator.post(path, json=sent | {"turn_id": "turn_nobody"}), 404)


@pytest.mark.parametrize(
    ("told", "right"),
    [
        ({"principal": "u1"}, "may_act_for_principals"),
        ({"allowed_sources": ["a"]}, "may_act_for_principals"),
        ({"now": "2020-01-01T00:00:00+00:00"}, "may_act_for_principals"),
        ({"system": "The desk lamp costs $1."}, "may_act_for_principals"),
        ({"context": {"customer": "u2"}}, "may_act_for_principals"),
        ({"origin": "application"}, "may_supply_calls"),
        ({"retrieved": [{"label": "a@1#0", "text": "It costs $1."}]}, "may_supply_calls"),
        ({"documents": {"a@1#0": "It costs $1."}}, "may_supply_calls"),
        ({"documents": {"A＠1 #0 ": "It costs $1."}}, "may_supply_calls"),
        ({"documents": {"x": "."}, "numbering": {"a@1#0": "x"}}, "may_supply_calls"),
        ({"documents": {"0": "."}, "mark_style": "[a@1#N]"}, "may_supply_calls"),
        ({"documents": {"a@1": "."}, "mark_style": "[N#0]"}, "may_supply_calls"),
        ({"tenant": "other"}, "tenant"),
    ],
    ids=lambda told: str(told)[:30],
)
def test_what_a_key_may_not_tell(server: Server, told: dict[str, object], right: str) -> None:
    secret = plain_key(server)
    with server.client(secret) as client:
        refused = client.post("/v1/verify", json={"answer": "It costs $1."} | told)
        assert right in answer(refused, 403)["detail"]
        case = {"id": "c", "answer": "It costs $1.", "labels": [LABEL]} | told
        refused = client.post("/v1/evaluate", json={"cases": [case]})
        assert right in answer(refused, 403)["detail"]


LABEL = {"reviewer": "anna", "label": "supported", "labelled_at": "2020-01-01T00:00:00+00:00"}
_PLAIN: dict[str, str] = {}


def plain_key(server: Server) -> str:
    """Return a key of every scope but admin and without any right."""
    if server.url not in _PLAIN:
        scopes = ("search", "verify", "ingest", "review")
        _PLAIN[server.url] = add_key(server.command, "plain", *scopes)
    return _PLAIN[server.url]


def test_calls_of_a_key_that_may_not_supply_any_prove_nothing(
    server: Server, operator: httpx.Client
) -> None:
    made_up = {
        **CALL,
        "result": {"sku": "TENT-9", "name": "Tent", "price_usd": 5.00},
        "arguments": {},
    }
    turn = {"answer": "The tent TENT-9 costs $5.00.", "calls": [made_up]}
    assert codes(answer(operator.post("/v1/verify", json=turn))) == ["verified"]
    with server.client(plain_key(server)) as client:
        report = answer(client.post("/v1/verify", json=turn))
        assert "verified" not in codes(report)
        assert report["turn"]["origin"] == "caller"
        by_row = {"answer": "The desk lamp costs $49.90.", "calls": [CALL]}
        assert codes(answer(client.post("/v1/verify", json=by_row))) == ["verified"]


def test_texts_of_sources_that_are_not_approved_stay_unread(
    server: Server, operator: httpx.Client
) -> None:
    with server.client(add_key(server.command, "writer", "ingest")) as writer:
        told = {
            "source": "waits.md",
            "text": "The share is sold for $777.00.\n\nThe word is Xylophone.",
        }
        answer(writer.post("/v1/sources/text", json=told))
    given = {"retrieved": ["waits.md@1#0"]}
    with server.client(add_key(server.command, "reader", "search", "verify")) as client:
        turn_id = answer(client.post("/v1/turns", json=given))["turn_id"]
        for asked in (given, {"turn_id": turn_id}):
            for draft, code in (
                ("The share is sold for $778.00 [waits.md@1#0].", ["unapproved_source"]),
                ("The share is sold for $778.00.", ["unverifiable"]),
                ("Hello.", []),
            ):
                report = client.post("/v1/verify", json={"answer": draft, **asked})
                assert codes(answer(report)) == code
                assert "Xylophone" not in report.text
                assert "777" not in report.text
    answer(operator.post("/v1/sources/approve", json={"source": "waits.md"}))
    report = answer(operator.post("/v1/verify", json={"answer": "The word is Xylophone.", **given}))
    assert "Xylophone" in report["turn"]["retrieved"][0]["text"]


def test_scope_by_principal_is_the_keys_to_tell(server: Server, operator: httpx.Client) -> None:
    turn = {"answer": "Order W-2 was delivered.", "principal": "u2"}
    assert codes(answer(operator.post("/v1/verify", json=turn))) == ["verified"]
    assert codes(answer(operator.post("/v1/verify", json=turn | {"principal": "u1"}))) == [
        "not_found"
    ]


@pytest.mark.parametrize("field", ["verified_by", "authority", "allow_erased"])
def test_what_only_an_operator_tells_of_an_ingest(server: Server, field: str) -> None:
    told = {"verified_by": "anna", "authority": 5, "allow_erased": True}[field]
    with server.client(plain_key(server)) as client:
        body = {"source": f"only-{field}", "text": "# T\n\nText.", field: told}
        assert field in answer(client.post("/v1/sources/text", json=body), 403)["detail"]
        listed = answer(client.get("/v1/sources", params={"permission": "pending"}))
        assert f"only-{field}" not in {one["source"]["key"] for one in listed}


def test_somebody_else_is_named_with_the_right_alone(
    server: Server, operator: httpx.Client
) -> None:
    body = {"source": "named.md", "text": "# T\n\nText.", "by": "anna"}
    answer(operator.post("/v1/sources/text", json=body))
    [change, *_] = answer(operator.get("/v1/versions/changes", params={"source": "named.md"}))
    assert change["actor" if "actor" in change else "by"] == "anna"
    with server.client(plain_key(server)) as client:
        refused = answer(client.post("/v1/sources/text", json=body), 403)
        assert "may_act_for_principals" in refused["detail"]


def test_an_expected_version_is_kept_to(operator: httpx.Client) -> None:
    body = {"source": "expected.md", "text": "# T\n\nOne.", "expected_current_version": 0}
    answer(operator.post("/v1/sources/text", json=body))
    late = answer(operator.post("/v1/sources/text", json=body | {"text": "# T\n\nTwo."}), 409)
    assert late["type"].endswith("version-conflict")
    now = answer(operator.get("/v1/versions/text", params={"source": "expected.md"}))
    assert (now["seq"], now["text"]) == (1, body["text"])


def test_files_and_bytes(operator: httpx.Client) -> None:
    table = b"id,name,fee\n1,post,$4.00\n2,courier,$9.00\n"
    uploaded = operator.post(
        "/v1/sources/file",
        files={"file": ("../../etc/fees.csv", table)},
        data={"key_column": "id", "terms": '{"metadata": {"kind": "fees"}}'},
    )
    report = answer(uploaded)
    assert {one["key"].rpartition("#")[0] or one["key"] for one in report["outcomes"]} <= {
        "fees.csv",
        *(one["key"] for one in report["outcomes"]),
    }
    assert all("etc" not in one["key"] for one in report["outcomes"])
    page = b"<html><body><h1>Fees</h1><p>Courier costs $9.00.</p></body></html>"
    answer(
        operator.post(
            "/v1/sources/bytes",
            params={"source": "pages/fees"},
            content=page,
            headers={"Content-Type": "text/html; charset=utf-8"},
        )
    )
    text = answer(operator.get("/v1/versions/text", params={"source": "pages/fees"}))["text"]
    assert "Courier costs $9.00." in text
    assert "<p>" not in text
    unreadable = operator.post(
        "/v1/sources/file", files={"file": ("a.pdf", b"no pdf")}, data={"source": "broken"}
    )
    assert "a.pdf" in answer(unreadable, 422)["detail"] or "broken" in unreadable.json()["detail"]
    nameless = operator.post("/v1/sources/file", files={"file": ("noformat", b"x")})
    assert "format" in answer(nameless, 422)["detail"]


def test_an_erasure_must_be_confirmed(operator: httpx.Client) -> None:
    answer(operator.post("/v1/sources/text", json={"source": "gone.md", "text": "# T\n\nSecret."}))
    order = {"source": "gone.md", "reason": "a request"}
    assert "confirmed" in answer(operator.post("/v1/sources/erase", json=order), 422)["detail"]
    plan = answer(operator.post("/v1/sources/erase/plan", json={"source": "gone.md"}))
    assert plan["seqs"] == [1]
    done = answer(operator.post("/v1/sources/erase", json=order | {"confirmed": True}))
    assert done["proven"]
    answer(operator.get("/v1/versions/text", params={"source": "gone.md", "version": "1"}), 422)


@pytest.mark.parametrize(
    "key",
    [
        *("a/b", "..", "../../etc/passwd", "%2e%2e", "?", "#", "a b", "a&source=b", "a+b", "\\"),
        *("ünï/çødé/日本", "x" * 1_000, "'; DROP TABLE source; --", "<script>alert(1)</script>"),
    ],
    ids=lambda key: key[:20],
)
def test_keys_of_sources_hold_any_character(operator: httpx.Client, key: str) -> None:
    body = {"source": key, "text": f"# T\n\nThe text of {len(key)}."}
    answer(operator.post("/v1/sources/text", json=body))
    found = answer(operator.get("/v1/versions/text", params={"source": key}))
    assert found["key"] == key
    assert {"key": key, "seq": 1} == {name: found[name] for name in ("key", "seq")}
    hits = answer(operator.post("/v1/search", json={"query": "the text", "sources": [key]}))["hits"]
    assert [hit["source"] for hit in hits] == [key]
    answer(operator.post("/v1/sources/deny", json={"source": key}))
    answer(operator.post("/v1/sources/approve", json={"source": key}))


def test_a_stopped_server_ends_what_runs(
    embedded: EmbeddedPostgres, migrated_template: str
) -> None:
    import threading

    with shop(embedded, migrated_template) as command, serve(command) as server:
        secret = add_key(command, "operator", rights=EVERY_RIGHT)
        with server.client(secret) as client:
            ended: list[int] = []
            text = "\n\n".join(f"## Part {at}\n\nPart {at} costs ${at}.00." for at in range(400))
            slow = threading.Thread(
                target=lambda: ended.append(
                    client.post(
                        "/v1/sources/text", json={"source": "long.md", "text": text}
                    ).status_code
                )
            )
            slow.start()
            slow.join(timeout=0.5)
            running = slow.is_alive()
            assert server.end() == 0
            slow.join(timeout=30)
            assert ended == [200]
            assert running
        assert command("versions", "long.md", "--json").values[0][0]["version"]["seq"] == 1
