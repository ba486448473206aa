"""What the tools of the MCP server take: text, citations and ids, each bounded, and nothing else."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_TEXT = 20_000
MOST_HITS = 20

SourceKey = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
ChunkId = Annotated[str, StringConstraints(min_length=1, max_length=2_100)]
TurnId = Annotated[
    str | None,
    Field(
        max_length=64,
        description="The turn that the application began, if it told you one. Leave it out otherwise.",
    ),
]


class Arguments(BaseModel):
    """Arguments of a tool; a name that is not declared is refused, and no value is taken for another."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SearchArguments(Arguments):
    """What is sought."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=2_000, description="What to look for, in plain words."),
    ]
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="How many passages at most.")] = 5
    mode: Annotated[
        Literal["vector", "words", "hybrid"],
        Field(
            description="By meaning (vector), by words (best for codes, names and rare terms), or both."
        ),
    ] = "vector"
    sources: Annotated[
        list[SourceKey] | None,
        Field(max_length=20, description="Keys of sources; only these are searched."),
    ] = None
    turn_id: TurnId = None


class VerifyArguments(Arguments):
    """The draft under test."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_TEXT,
            description="Your draft, as the user would read it, with its citations in it.",
        ),
    ]
    citations: Annotated[
        list[ChunkId] | None,
        Field(
            max_length=50,
            description=(
                "Chunk ids (source@version#chunk, as semantic_search gives them) that the text cites, either"
                " by the id in brackets or by number: [1] is the first of this list."
            ),
        ),
    ] = None
    turn_id: TurnId = None


class VersionArguments(Arguments):
    """Which text to read, and which part of it."""

    source: Annotated[
        SourceKey, Field(description="Key of the source: what stands before @ in a chunk id.")
    ]
    seq: Annotated[
        int | None,
        Field(
            ge=1, le=2**31 - 1, description="Number of the version; the current one if not given."
        ),
    ] = None
    start: Annotated[
        int, Field(ge=0, le=2**31 - 1, description="First character to read, from 0.")
    ] = 0
    length: Annotated[
        int, Field(ge=1, le=MOST_TEXT, description="How many characters to read at most.")
    ] = 8_000


class AuditArguments(Arguments):
    """Which audit, and of what."""

    kind: Annotated[
        Literal["stale", "superseded", "unapproved", "orphans", "conflicts"],
        Field(
            description=(
                "stale: past their review. superseded: cited words that changed since. unapproved: now"
                " pending, denied or withdrawn. orphans: erased or gone. conflicts: sources that disagree."
            )
        ),
    ]
    source: Annotated[SourceKey | None, Field(description="Of this source only.")] = None
    limit: Annotated[
        int, Field(ge=1, le=20, description="How many entries are listed; all are counted.")
    ] = 10
