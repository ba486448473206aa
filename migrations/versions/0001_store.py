"""The versioned store, its row-level security and grants."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.get_context().opts["run_script"]("0001_store.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
