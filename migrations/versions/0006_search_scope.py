"""Searches took a filter of equalities on the present; now they take a scope on both time axes."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0006_search_scope.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
