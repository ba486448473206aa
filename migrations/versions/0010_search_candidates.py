"""Candidates were counted inside a search alone; now `explain` counts them."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0010_search_candidates.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
