"""Answers on release dates, given over a year in which the tables change, and audits after each month.

What was true when is told by the file of changes alone (`Line.value_at`), and held against what rechecks
name. The file tells product and field, not which of a product's lines changed: a change goes on with the
oldest line that stands at its old value.
"""

from __future__ import annotations

import asyncio
import bisect
import csv
import json
import random
from collections import defaultdict, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from verifier.core.rechecks import Standing
from verifier.core.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import asyncpg

    from verifier.service import Verifier

FIELDS: Final = ("latest", "latestReleaseDate", "eol", "eoas", "releaseDate")
_DATED: Final = FIELDS[1:]
_MARGIN: Final = timedelta(minutes=2)
_AT_ONCE: Final = 8
_CHANGING: Final = timedelta(days=1)

TABLES: Final = (
    "CREATE SCHEMA releases",
    *(
        f"""CREATE TABLE releases.{name.lower()} (
                line text NOT NULL, value {"date" if name in _DATED else "text"},
                valid_from timestamptz, valid_to timestamptz);
            CREATE INDEX ON releases.{name.lower()} (line)"""
        for name in FIELDS
    ),
    "GRANT USAGE ON SCHEMA releases TO verifier_app, verifier_reader",
    "GRANT SELECT ON ALL TABLES IN SCHEMA releases TO verifier_app, verifier_reader",
)
_WRITE: Final = """
    WITH ended AS (UPDATE releases.{0} SET valid_to = $3 WHERE line = $1 AND valid_to IS NULL)
    INSERT INTO releases.{0} VALUES ($1, $2, $3, NULL)
"""
_LABELS: Final = {
    "latest": "latest version",
    "latestReleaseDate": "latest release",
    "eol": "end of life",
    "eoas": "end of active support",
    "releaseDate": "release",
}
CATALOG: Final[dict[str, Any]] = {
    name.lower(): {
        "table": f"releases.{name.lower()}",
        "key": {"column": "line", "type": "text", "pattern": f"{name}/[A-Za-z0-9._+-]+/[0-9]+"},
        "applies": {"valid_from": "valid_from", "valid_to": "valid_to"},
        "attributes": {
            "value": {
                "kind": "date" if name in _DATED else "text",
                "labels": [_LABELS[name]],
            }
        },
    }
    for name in FIELDS
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A line of a product's field read `old` until `at`, and reads `new` since."""

    at: datetime
    line: str
    field: str
    old: str
    new: str


@dataclass(slots=True, kw_only=True)
class Line:
    """One value over time: `values[0]` holds before `moments[0]`, each other one from its moment on."""

    name: str
    field: str
    values: list[str]
    moments: list[datetime] = field(default_factory=list)

    def value_at(self, moment: datetime) -> str:
        """Return what the file says held at the moment."""
        return self.values[bisect.bisect_right(self.moments, moment)]

    def is_settled(self, moment: datetime) -> bool:
        """Return whether nothing changes within two minutes of the moment."""
        return all(abs(moment - one) > _MARGIN for one in self.moments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer that was true at `at`, and the report that says so."""

    number: int
    at: datetime
    line: Line
    value: str

    @property
    def text(self) -> str:
        """The words of the answer; every third is a card."""
        if self.number % 3 == 0:
            record = json.dumps({"id": self.line.name, "value": self.value})
            return f"```{self.line.field.lower()}\n{record}\n```"
        return f"The {_LABELS[self.line.field]} of {self.line.name} is {self.value}."


@dataclass(slots=True, kw_only=True)
class MonthAudit:
    """What the audit at the end of a month named, beside what the file says."""

    month: datetime
    answers: int
    verified: int
    named: int
    right: int
    missed: int
    seconds: float


@dataclass(slots=True, kw_only=True)
class ReleaseAudit:
    """The whole year. `unproved` answers were true by the file and not verified when they were given."""

    answers: int = 0
    unproved: list[str] = field(default_factory=list)
    months: list[MonthAudit] = field(default_factory=list)
    fell: int = 0
    held_on_their_day: int = 0

    @property
    def is_right(self) -> bool:
        """Whether every answer was proved, every audit exact, and each that fell still right on its day."""
        exact = all(one.missed == 0 and one.right == one.named for one in self.months)
        return exact and not self.unproved and self.fell == self.held_on_their_day


def read_changes(path: Path) -> tuple[list[Change], dict[str, Line]]:
    """Return the changes in the order of their moments, and the lines that they are changes of."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(datetime.fromisoformat(row["changed_at"]), row) for row in csv.DictReader(file)]
    rows.sort(key=lambda one: one[0])
    changes: list[Change] = []
    lines: dict[str, Line] = {}
    standing: defaultdict[tuple[str, str, str], deque[Line]] = defaultdict(deque)
    numbers: defaultdict[tuple[str, str], int] = defaultdict(int)
    for at, row in rows:
        product, name = row["product"], row["field"]
        waiting = standing[product, name, row["old"]]
        if waiting and waiting[0].moments[-1] < at:
            line = waiting.popleft()
        else:
            numbers[product, name] += 1
            line = Line(
                name=f"{name}/{product}/{numbers[product, name]}", field=name, values=[row["old"]]
            )
            lines[line.name] = line
        line.moments.append(at)
        line.values.append(row["new"])
        standing[product, name, row["new"]].append(line)
        changes.append(Change(at=at, line=line.name, field=name, old=row["old"], new=row["new"]))
    return changes, lines


def choose_answers(
    lines: dict[str, Line], count: int, *, begin: datetime, end: datetime, seed: int
) -> list[Answer]:
    """Return answers at random moments on random lines, each true then, in the order of their moments."""
    rolling = random.Random(seed)  # noqa: S311 -- a sample, no secret
    names, chosen = sorted(lines), list[Answer]()
    span_s = int((end - begin).total_seconds())
    while len(chosen) < count:
        line = lines[rolling.choice(names)]
        at = begin + timedelta(seconds=rolling.randrange(span_s))
        value = line.value_at(at)
        if line.is_settled(at) and is_stated(line.field, value):
            chosen.append(Answer(number=len(chosen), at=at, line=line, value=value))
    return sorted(chosen, key=lambda one: one.at)


def is_stated(name: str, value: str) -> bool:
    """Return whether a value is one that an answer can state: no date is announced by true or false."""
    if name not in _DATED:
        return bool(value.strip())
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def read_cell(name: str, value: str) -> object:
    """Return a value as its column holds it: a date, null where none is announced, or a text."""
    if name not in _DATED:
        return value
    return datetime.fromisoformat(value).date() if is_stated(name, value) else None


class ReleaseTables:
    """The canonical tables while the year goes on. Not frozen: it knows which changes are to come."""

    def __init__(self, connection: asyncpg.Connection, changes: Sequence[Change]) -> None:
        self._connection = connection
        self._waiting = deque(changes)

    async def begin(self, lines: Iterable[Line]) -> None:
        """Make the tables, with the value of every line before its first change."""
        for statement in TABLES:
            await self._connection.execute(statement)
        first: defaultdict[str, list[tuple[str, object, None, None]]] = defaultdict(list)
        for line in lines:
            value = read_cell(line.field, line.values[0])
            first[line.field].append((line.name, value, None, None))
        for name, rows in first.items():
            await self._connection.copy_records_to_table(
                name.lower(), schema_name="releases", records=rows
            )

    async def go_on(self, moment: datetime) -> None:
        """Write every change up to the moment at once: the old row ends, a new one begins."""
        due: defaultdict[str, list[Change]] = defaultdict(list)
        while self._waiting and self._waiting[0].at <= moment:
            due[self._waiting[0].field].append(self._waiting.popleft())
        async with self._connection.transaction():
            for name, changes in due.items():
                rows = [(one.line, read_cell(name, one.new), one.at) for one in changes]
                await self._connection.executemany(_WRITE.format(name.lower()), rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many answers, over which months of 2025, from which seed."""

    answers: int
    months: int
    seed: int

    @property
    def ends(self) -> list[datetime]:
        """The ends of the months."""
        return [
            datetime(2025 + month // 12, month % 12 + 1, 1, tzinfo=UTC)
            for month in range(1, self.months + 1)
        ]


async def replay_year(
    verifier: Verifier,
    connection: asyncpg.Connection,
    path: Path,
    plan: Plan,
    *,
    tell: Callable[[str], None],
) -> ReleaseAudit:
    """Let the year pass: changes and answers in the order of their moments, an audit after each month."""
    changes, lines = read_changes(path)
    begin, began = datetime(2025, 1, 1, tzinfo=UTC), datetime.now(UTC) - timedelta(minutes=1)
    lines = {name: one for name, one in lines.items() if one.moments[0] < plan.ends[-1]}
    answers = choose_answers(lines, plan.answers, begin=begin, end=plan.ends[-1], seed=plan.seed)
    tables = ReleaseTables(connection, [one for one in changes if one.line in lines])
    await tables.begin(lines.values())
    told, logged, waiting = ReleaseAudit(), dict[str, Answer](), deque(answers)
    for end in plan.ends:
        while waiting and waiting[0].at < end:
            answer = waiting.popleft()
            await tables.go_on(answer.at)
            turn = Turn(turn_id=f"answer-{answer.number}", now=answer.at)
            report = await verifier.verify(answer.text, turn)
            told.answers += 1
            if [one.verdict.code for one in report.judged] != ["verified"]:
                told.unproved.append(f"{answer.text}: {[one.verdict for one in report.judged]}")
            logged[report.report_id] = answer
        await tables.go_on(end)
        told.months.append(await _audit(verifier, logged, since=began, moment=end))
        tell(describe_month(told.months[-1]))
    await _look_back(verifier, logged, told, moment=plan.ends[-1])
    return told


async def _audit(
    verifier: Verifier, logged: dict[str, Answer], *, since: datetime, moment: datetime
) -> MonthAudit:
    """Return what a recheck of all answers names at the end of a month, beside what the file says."""
    begun = datetime.now(UTC)
    run = await verifier.answers.recheck_all(since=since, as_of=moment)
    named = {one.report_id for one in run.rechecks}
    false = {key for key, one in logged.items() if one.line.value_at(moment) != one.value}
    return MonthAudit(
        month=moment - _CHANGING,
        answers=run.reports,
        verified=run.verified,
        named=len(named),
        right=len(named & false),
        missed=len(false - named),
        seconds=(datetime.now(UTC) - begun).total_seconds(),
    )


async def _look_back(
    verifier: Verifier, logged: dict[str, Answer], told: ReleaseAudit, *, moment: datetime
) -> None:
    """Verify each answer that is false at the end again as of its own day, a few at once."""
    fallen = [
        (report_id, answer.at)
        for report_id, answer in logged.items()
        if answer.line.value_at(moment) != answer.value
    ]
    told.fell = len(fallen)
    for start in range(0, len(fallen), _AT_ONCE):
        some = fallen[start : start + _AT_ONCE]
        found = await asyncio.gather(
            *(verifier.answers.recheck(report_id, as_of=at) for report_id, at in some)
        )
        told.held_on_their_day += sum(one.standing is Standing.HOLDS for one in found)


def describe_month(audit: MonthAudit) -> str:
    """Return what an audit came to, in one line."""
    precision = audit.right / audit.named if audit.named else 1.0
    false = audit.right + audit.missed
    recall = audit.right / false if false else 1.0
    return (
        f"{audit.month:%Y-%m}: {audit.answers:5} answers, {audit.verified:5} verified again in"
        f" {audit.seconds:5.1f} s, {audit.named:4} named, {false:4} false by the file:"
        f" precision {precision:.3f}, recall {recall:.3f}"
    )
