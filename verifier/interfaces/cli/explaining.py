"""Report files of `verifier explain`: reading one, and the catalog that it was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.interfaces.cli.turns import read_text_file

if TYPE_CHECKING:
    from verifier.core.catalog import Catalog
    from verifier.core.report_file import WrittenReport
    from verifier.interfaces.cli.invocation import Invocation
    from verifier.verify.explaining import ClaimExplanation


def explain_from_file(
    invocation: Invocation, name: str, claim: str, *, turn: str | None
) -> ClaimExplanation:
    """Return the explanation of a claim. Raises InputError that names the file."""
    from verifier.core.report_file import read_report
    from verifier.verify.explaining import explain_claim

    text = read_text_file(name)
    try:
        report = read_report(text, wanted=turn)
        return explain_claim(report, claim, catalog=_catalog_of(invocation, report))
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None


def _catalog_of(invocation: Invocation, report: WrittenReport) -> Catalog:
    """Return the catalog of the settings where the report was made with one, else an empty one."""
    from verifier.core.catalog import Catalog, parse_catalog

    if report.catalog_hash is None:
        return Catalog()
    return parse_catalog(invocation.load_settings().catalog)
