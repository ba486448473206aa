"""A cited sentence as the clauses that are compared, without its citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.cited_statement import tells_anything
from verifier.core.clause_cuts import cut_clauses
from verifier.core.frequencies import add_frequencies
from verifier.core.inline_marks import blank_emphasis
from verifier.core.spoken_leads import blank_spoken_leads
from verifier.core.statements import make_clause
from verifier.core.turn_values import read_quantities
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.claims import Claim
    from verifier.core.statements import Clause
    from verifier.core.turns import Turn
    from verifier.core.values import Value


def read_parts(claim: Claim, stated: str, turn: Turn) -> tuple[Clause, ...]:
    """Return the clauses of what a claim states, its citations and quotation marks left out."""
    stated = blank_spoken_leads(blank_emphasis(stated)).strip()
    text = f"{claim.subject_text} {stated}".strip()
    values = read_quantities(text, turn)
    values = add_frequencies(text, values)
    values = tuple(one for one in values if not _names_a_thing(one.value, claim))
    clauses = tuple(make_clause(text, span, values) for span in cut_clauses(text, values))
    return tuple(filter(tells_anything, clauses)) if len(clauses) > 1 else clauses


def _names_a_thing(value: Value, claim: Claim) -> bool:
    """Return whether an id is that of a catalogued thing, which is no assertion of the statement."""
    asserted = {one.value.text for one in claim.assertions if one.value is not None}
    return value.kind is Kind.IDENTIFIER and value.text not in asserted
