"""Candidates were counted inside a search alone; now `explain` counts them."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0012_search_candidates.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
