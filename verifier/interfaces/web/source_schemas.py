"""What requests on sources and their versions may hold."""

from typing import Annotated, Any

from pydantic import Field, Strict

from verifier.core.documents import Permission
from verifier.ingest.formats import Format
from verifier.interfaces.web.schemas import (
    Body,
    By,
    Expected,
    Flag,
    Moment,
    Name,
    Parameters,
    Reason,
    Seq,
    SourceName,
    Whole,
    Words,
)

Weight = Annotated[Whole, Field(ge=-32_768, le=32_767)]
_OPERATORS_ONLY = "Needs the scope `admin`."


class IngestBody(Body):
    """The conditions of an ingest."""

    metadata: Annotated[
        dict[str, Any] | None,
        Field(max_length=1_000, description="What filters read, instead of what stands."),
    ] = None
    valid_from: Annotated[Moment | None, Field(description="When the text begins to hold.")] = None
    review_until: Annotated[
        Moment | None, Field(description="Until when it counts as reviewed.")
    ] = None
    verified_by: Annotated[Name | None, Field(description=_OPERATORS_ONLY)] = None
    authority: Annotated[Weight | None, Field(description=_OPERATORS_ONLY)] = None
    expected_current_version: Expected = None
    allow_erased: Annotated[Flag, Field(description=_OPERATORS_ONLY)] = False
    by: By = None


class TextBody(IngestBody):
    """A text, read as Markdown, that becomes a version of the source."""

    source: SourceName
    text: Annotated[str, Strict(), Field(max_length=10_000_000)]
    title: Words | None = None
    url: Words | None = None


class ApprovalBody(Body):
    """The source that may be searched and cited."""

    source: SourceName
    by: By = None


class DenialBody(ApprovalBody):
    """The source that may not be searched and cited."""

    reason: Reason | None = None


class WithdrawalBody(DenialBody):
    """The source of which a version answers no more: the current one if no `version` is told."""

    version: Seq | None = None
    expected_current_version: Expected = None


class RestorationBody(WithdrawalBody):
    """The source of which a withdrawn version answers again: the newest if no `version` is told."""


class ReversionBody(DenialBody):
    """The version whose text becomes the current one, as a new version."""

    version: Seq
    expected_current_version: Expected = None


class ReadingBody(DenialBody):
    """The version that somebody read, and until when that counts; without `until` for ever."""

    until: Moment | None = None
    version: Seq | None = None


class ValidityBody(DenialBody):
    """When a version holds: till the next one begins if no `valid_to` is told."""

    version: Seq
    valid_from: Moment
    valid_to: Moment | None = None


class AuthorityBody(DenialBody):
    """How much a source counts among others; larger is more."""

    authority: Weight


class ErasurePlanBody(Body):
    """What would be erased: one version, or all of the source."""

    source: SourceName
    version: Seq | None = None
    labels: Annotated[Flag, Field(description="Title, URL and metadata too.")] = False


class ErasureBody(ErasurePlanBody):
    """What is erased for good, and why. Nothing is, unless `confirmed` is true."""

    reason: Reason
    confirmed: Flag = False
    by: By = None


class SourcesParameters(Parameters):
    """Which sources are listed."""

    permission: Permission | None = None
    stale: Annotated[bool, Field(description="Only those past their review.")] = False


class SourceParameters(Parameters):
    """The source that is meant. Its key may hold any character, percent-encoded: `a%2Fb%3Fc`."""

    source: SourceName


class TextParameters(SourceParameters):
    """The version whose text is read: its number, `first` or `current`."""

    version: Annotated[str, Field(min_length=1, max_length=20)] = "current"


class DiffParameters(SourceParameters):
    """The versions that are compared, as of a text; without them the current one and the one before."""

    old: Annotated[str | None, Field(min_length=1, max_length=20)] = None
    new: Annotated[str | None, Field(min_length=1, max_length=20)] = None


class ImpactParameters(SourceParameters):
    """The source, and of its versions the one that is meant; all if none is told."""

    version: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None


class BytesParameters(Parameters):
    """What the bytes of the body are, and the conditions of their ingest."""

    source: SourceName
    format: Annotated[
        Format | None, Field(description="Told by the Content-Type if not given.")
    ] = None
    key_column: Annotated[
        str | None, Field(max_length=200, description="Of rows: the column with each one's key.")
    ] = None
    valid_from: Moment | None = None
    review_until: Moment | None = None
    expected_current_version: Annotated[int | None, Field(ge=0, le=2**31 - 1)] = None
