"""Metadata beside current chunks and the tenant of vectors, which nothing reads, go."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0017_lean_tables.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
