"""Searches of a tenth of a store missed one in twenty of the nearest; now the index is asked again."""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0018_search_reach.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
