"""Answers were only logged from the first; now they are verified again, and leave the log in time."""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0014_rechecks.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
