"""What requests on the review queue and on conflicts may hold."""

from typing import Annotated

from pydantic import Field

from verifier.core.conflicts import ConflictState
from verifier.core.reviews import Decision, ReviewOrder, ReviewState
from verifier.interfaces.web.schemas import (
    MOST_LISTED,
    Body,
    By,
    Every,
    Name,
    Parameters,
    Reason,
    ReviewCode,
    SourceName,
    Words,
)


class DecisionBody(Body):
    """A decision on an entry of the review queue."""

    decision: Decision
    reason: Reason
    by: By = None


class ReopeningBody(Body):
    """Why an entry is opened again."""

    reason: Reason
    by: By = None


class DeclaredBody(Body):
    """A place that disagrees with another one, or with the cell of a row."""

    place: SourceName
    other: SourceName | None = None
    row: Annotated[Words | None, Field(description="database/table/key/column")] = None
    subject: Words
    attribute: Words
    value: Words
    other_value: Words
    words: Words | None = None
    other_words: Words | None = None
    by: By = None


class AssignmentBody(Body):
    """Who is to look at a conflict, or an entry of the review queue."""

    to: Name
    instead_of: Name | None = None
    by: By = None


class ResolutionBody(Body):
    """How a conflict was settled."""

    reason: Reason
    by: By = None


class ReviewParameters(Parameters):
    """Which entries of the queue are listed."""

    state: Annotated[
        ReviewState | Every | None,
        Field(description="`all` for every state; open ones if not told."),
    ] = None
    code: ReviewCode | None = None
    source: SourceName | None = None
    reviewer: Name | None = None
    assigned_to: Name | None = None
    disputed: bool = False
    order: ReviewOrder = ReviewOrder.ANSWERS
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50


class ConflictParameters(Parameters):
    """Which conflicts are listed."""

    state: Annotated[
        ConflictState | Every | None,
        Field(description="`all` for every state; open and assigned if not told."),
    ] = None
    source: SourceName | None = None
    assigned_to: Name | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100
