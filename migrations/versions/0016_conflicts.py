"""Conflicts know the words that disagree, who looks at them, and whether they were found."""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0016_conflicts.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
