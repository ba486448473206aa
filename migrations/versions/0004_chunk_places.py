"""Pages were kept of chunks from the first; now their rows in tables are."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0004_chunk_places.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
