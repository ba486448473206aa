"""Examples at the end of each command's help: whole lines, to be copied."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "demo": ("verifier demo", "verifier demo --html report.html"),
        "init": ("verifier init", "verifier init --force settings/verifier.toml"),
        "db upgrade": ("verifier db upgrade --dsn postgresql://localhost/grounding",),
        "db status": ("verifier db status --json",),
        "db sweep": ("verifier db sweep --yes",),
        "ingest": (
            "verifier ingest handbook/ --review-until 2030-01-31T00:00Z",
            "verifier ingest contracts/ --jobs 4",
            "verifier ingest fees.csv --key-column id",
            "verifier ingest returns.md --valid-from 2030-01-01T00:00Z --verified-by anna --expect-version 3",
            "verifier ingest returns.md --authority 10 --metadata 'region=\"EU\"' --metadata year=2030",
            'verifier ingest --rows "SELECT * FROM shop.fee ORDER BY id" --key fees',
            "verifier ingest --fetch https://example.org/terms",
        ),
        "import": (
            "verifier import langchain --database chat --collection handbook",
            "verifier import langchain --table handbook --source-column path",
            "verifier import llamaindex --table data_handbook --model ./models/e5-small",
        ),
        "approve": ("verifier approve returns.md --by anna",),
        "sources": ("verifier sources --stale", "verifier sources --permission pending"),
        "versions": (
            "verifier versions returns.md",
            "verifier versions returns.md --changes",
            "verifier versions returns.md --text 2",
        ),
        "deny": ('verifier deny returns.md --by anna --reason "not ours"',),
        "withdraw": ('verifier withdraw returns.md --by anna --reason "wrong price"',),
        "restore": ("verifier restore returns.md --by anna",),
        "revert": ("verifier revert returns.md 3 --by anna",),
        "reviewed": ("verifier reviewed returns.md --by anna --until 2030-01-31T00:00Z",),
        "validity": ("verifier validity returns.md 3 --from 2030-01-01T00:00Z --by anna",),
        "authority": ("verifier authority returns.md 10 --by anna",),
        "diff": (
            "verifier diff returns.md",
            "verifier diff returns.md first current",
        ),
        "erase": (
            'verifier erase staff.md --by anna --reason "request of 3 May"',
            'verifier erase staff.md --version 2 --by anna --reason "a private address" --yes',
        ),
        "mcp": (
            "verifier mcp",
            "verifier mcp --tenant acme --config /etc/verifier.toml",
            "verifier mcp --http --host 0.0.0.0 --port 8351",
        ),
        "serve": (
            "verifier serve",
            "verifier serve --host 0.0.0.0 --port 8080",
            "verifier serve --no-model --json",
        ),
        "openapi": ("verifier openapi > openapi.json",),
        "search": (
            'verifier search "how long may I return goods"',
            'verifier search "fees" -k 20 --filter "pages>=10" --filter lang=de',
            'verifier search "refund window" --as-of 2025-06-30 --neighbours 1 --explain',
            'verifier search "SKU-123 return shipping" --mode hybrid',
            'verifier search "may I return opened software" --mode hybrid --rerank 50',
        ),
        "catalog inspect": ("verifier catalog inspect --schema shop",),
        "catalog check": ("verifier catalog check",),
        "catalog explain": ("verifier catalog explain ORD-1042 --principal c-1001",),
        "verify": (
            "verifier verify turns.jsonl",
            'verifier verify turn.json --answer "It costs $49.90."',
            "verifier verify turns.jsonl --json > reports.jsonl",
        ),
        "check": (
            "verifier check claims.csv --documents handbook/",
            "verifier check answers.jsonl --html page.html --chart queues.png",
        ),
        "explain": (
            "verifier verify turns.jsonl --json > reports.jsonl",
            "verifier explain reports.jsonl c2 --turn t1",
        ),
        "eval": (
            "verifier eval labelled.jsonl --out run.json --html run.html",
            "verifier eval labelled.jsonl --against run.json --strict",
            "verifier eval new.json --against old.json",
        ),
        "prompts": ("verifier prompts", "verifier prompts --level strict_extractive --json"),
        "recheck": (
            "verifier recheck 3fa9c2d17b04",
            "verifier recheck --since 2030-01-01",
            "verifier recheck --source handbook/returns.md",
            "verifier recheck --entity shop.product:17 --as-of 2030-01-31 --json",
        ),
        "answers list": (
            "verifier answers list --since 2030-01-01 --outcome rejected",
            "verifier answers list -n 20 --json",
        ),
        "answers show": ("verifier answers show 3f2a9c --json",),
        "answers sweep": (
            "verifier answers sweep --yes",
            "verifier answers sweep --days 90 --yes",
        ),
        "audit stale": (
            "verifier audit stale",
            "verifier audit stale --now 2030-01-31 --exit-zero",
        ),
        "audit superseded": (
            "verifier audit superseded --since 2030-01-01",
            "verifier audit superseded --source handbook/returns.md --answers 1000 --json",
        ),
        "audit drift": (
            "verifier audit drift",
            "verifier audit drift --table shop.product --since 2030-01-01 --json",
        ),
        "audit unapproved": ("verifier audit unapproved", "verifier audit unapproved -n 10 --json"),
        "audit orphans": ("verifier audit orphans",),
        "audit conflicts": (
            "verifier audit conflicts",
            "verifier audit conflicts --state resolved",
        ),
        "audit report": (
            "verifier audit report --html audits.html",
            "verifier audit report --html audits.html --since 2030-01-01 --exit-zero",
        ),
        "audit impact": (
            "verifier audit impact handbook/returns.md",
            "verifier audit impact handbook/returns.md --version 2",
        ),
        "spaces list": ("verifier spaces list", "verifier spaces"),
        "spaces build": (
            "verifier spaces build --model models/bge-small-en",
            "verifier spaces build --model BAAI/bge-small-en-v1.5 --current-only",
        ),
        "spaces switch": ("verifier spaces switch 2",),
        "spaces drop": ("verifier spaces drop 1 --yes",),
        "reviews list": (
            "verifier reviews",
            "verifier reviews list --source terms --order oldest -n 20",
            "verifier reviews list --disputed --json",
        ),
        "reviews show": ("verifier reviews show 7",),
        "reviews decide": (
            'verifier reviews decide 7 supported --by anna --reason "the second sentence says so"',
        ),
        "reviews assign": (
            "verifier reviews assign 7 --to ben --by anna",
            "verifier reviews assign 7 --to cyd --instead-of ben --by anna",
        ),
        "reviews reopen": ('verifier reviews reopen 7 --by ben --reason "the terms changed"',),
        "reviews agreement": ("verifier reviews agreement",),
        "reviews refresh": ("verifier reviews refresh",),
        "conflicts list": (
            "verifier conflicts list",
            "verifier conflicts list --source returns.md --all",
        ),
        "conflicts find": ("verifier conflicts find", "verifier conflicts find --json"),
        "conflicts declare": (
            "verifier conflicts declare returns.md terms.md --by anna"
            ' --subject "opened goods" --attribute "return window" --value "30 days" --other-value "60 days"',
            "verifier conflicts declare fees.md@3#0 --row default/shop.fee/7/amount --by anna"
            ' --subject "express fee" --attribute amount --value "EUR 9" --other-value "EUR 12"'
            ' --words "Express costs EUR 9."',
        ),
        "conflicts assign": (
            "verifier conflicts assign 3 --to ben --by anna",
            "verifier conflicts assign 3 --to cyd --instead-of ben --by anna",
        ),
        "conflicts resolve": (
            'verifier conflicts resolve 3 --by ben --reason "terms.md was last year\'s, withdrawn"',
        ),
        "keys add": (
            "verifier keys add shop-agent --scope search --scope verify --expires-in 90d",
            "verifier keys add shop-backend --scope verify --may-supply-calls --may-act-for-principals",
            "verifier keys add anna --scope admin --tenant acme",
        ),
        "keys list": ("verifier keys list", "verifier keys list --tenant acme --json"),
        "keys revoke": ("verifier keys revoke shop-agent", "verifier keys revoke shop-agent --yes"),
        "doctor": ("verifier doctor", "verifier doctor --fix"),
    }
)


def write_examples(command: str) -> str:
    """Return the examples of a command as the end of its help, each on a line of its own."""
    lines = _EXAMPLES[command]
    name = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join(("\b", name, *(f"  {line}" for line in lines)))  # \b: lines are kept
