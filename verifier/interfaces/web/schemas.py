"""What requests may hold: field by field, bounded, and nothing beside it."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    WithJsonSchema,
    model_validator,
)

from verifier.core.conflicts import ConflictState
from verifier.core.search_options import MOST_HITS, MOST_NEIGHBOURS, MOST_RERANKED, SearchMode
from verifier.core.turn_file import read_moment
from verifier.core.verdicts import Disposition, VerdictCode
from verifier.errors import InputError
from verifier.interfaces.web.json_bodies import to_plain
from verifier.reviews import REVIEW_CODES

MOST_SOURCES: Final = 1_000
MOST_CASES: Final = 200
MOST_LISTED: Final = 1_000
LARGEST_ID: Final = 2**62
LARGEST_SEQ: Final = 2**31 - 1


def _moment(value: object) -> object:
    if isinstance(value, datetime):
        return value
    try:
        return read_moment(value if isinstance(value, str) else "", "the moment")
    except InputError as problem:
        raise ValueError(str(problem)) from None


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
EVERY: Final = "all"
Every = Literal["all"]
ReviewCode = Annotated[
    VerdictCode,
    WithJsonSchema({"type": "string", "enum": [code.value for code in REVIEW_CODES]}),
]
Whole = Annotated[int, Strict()]
Seq = Annotated[Whole, Field(ge=1, le=LARGEST_SEQ)]
Flag = Annotated[bool, Strict()]
Number = Annotated[float, Strict()]
SourceName = Annotated[
    str, Strict(), Field(min_length=1, max_length=2_000, description="Key of the source.")
]
Name = Annotated[str, Strict(), Field(min_length=1, max_length=200)]
Reason = Annotated[str, Strict(), Field(min_length=1, max_length=5_000)]
Words = Annotated[str, Strict(), Field(max_length=10_000)]
TurnId = Annotated[str, Strict(), Field(min_length=1, max_length=64)]
By = Annotated[
    Name | None,
    Field(description="Who does it; the key's name, unless the key may act for principals."),
]
Expected = Annotated[
    Whole | None,
    Field(
        ge=0, le=LARGEST_SEQ, description="Only where this version is current; 0: where none is."
    ),
]


class Body(BaseModel):
    """A JSON body. Its numbers become int and float, but for fields that `exact` names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    exact: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _read_numbers(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {
            name: member if name in cls.exact else to_plain(member)
            for name, member in value.items()
        }


class SearchBody(Body):
    """A search; what is left out is as `verifier search` has it."""

    exact = frozenset({"filters"})

    query: Annotated[str, Strict(), Field(min_length=1, max_length=10_000)]
    k: Annotated[Whole, Field(ge=1, le=MOST_HITS)] = 5
    filters: Annotated[
        dict[str, Any] | list[Any] | None,
        Field(description='On metadata: {"pages": {">=": 10}, "lang": ["de", "fr"]}.'),
    ] = None
    sources: Annotated[list[SourceName] | None, Field(max_length=MOST_SOURCES)] = None
    as_of: Moment | None = None
    basis: Annotated[Whole | None, Field(ge=0, le=LARGEST_ID)] = None
    known_at: Moment | None = None
    mode: SearchMode = SearchMode.VECTOR
    min_similarity: Annotated[Number | None, Field(ge=-1, le=1)] = None
    per_source: Annotated[Whole | None, Field(ge=1, le=MOST_HITS)] = None
    neighbours: Annotated[Whole, Field(ge=0, le=MOST_NEIGHBOURS)] = 0
    rerank: Annotated[Whole | None, Field(ge=1, le=MOST_RERANKED)] = None
    explain: Flag = False
    turn_id: Annotated[
        TurnId | None, Field(description="The turn kept here that is given the hits.")
    ] = None


class EvaluationBody(Body):
    """Labelled answers, as `verifier eval` takes them, and an earlier run to compare with."""

    exact = frozenset({"cases", "against"})

    cases: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_CASES)]
    against: Annotated[
        dict[str, Any] | None, Field(description="An earlier answer's `evaluation`.")
    ] = None


class RecheckBody(Body):
    """The moment that rows and versions are held to; now if none is told."""

    as_of: Moment | None = None


class RechecksBody(Body):
    """Which answers are verified again: one condition at least."""

    since: Moment | None = None
    source: SourceName | None = None
    entity: Annotated[Words | None, Field(description="TABLE:KEY, such as shop.product:17")] = None
    as_of: Moment | None = None


class Parameters(BaseModel):
    """The parameters of a query, and nothing beside them."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AuditParameters(Parameters):
    """Which answers an audit looks at, and how much it lists."""

    since: Moment | None = None
    source: SourceName | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100
    answers: Annotated[int, Field(ge=0, le=MOST_LISTED)] = 20


class StaleParameters(AuditParameters):
    """As of an audit, with the moment that reviews are held to."""

    now: Moment | None = None


class DriftParameters(Parameters):
    """Which canonical table is read, and how much is listed of it."""

    table: Annotated[str | None, Field(max_length=200)] = None
    since: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100
    answers: Annotated[int, Field(ge=0, le=MOST_LISTED)] = 20


class ConflictAuditParameters(Parameters):
    """Which conflicts are counted, and of which answers."""

    state: Annotated[list[ConflictState] | None, Field(max_length=10)] = None
    since: Moment | None = None
    source: SourceName | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100


class ReportParameters(Parameters):
    """Which logged reports are listed, the newest first."""

    since: Moment | None = None
    until: Moment | None = None
    outcome: Disposition | None = None
    beyond: Annotated[
        str | None, Field(max_length=200, description="Id of the last one of the list before.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100
