"""Words are found in the language of their source, and ranked by BM25 instead of by how often they stand."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0008_words.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
