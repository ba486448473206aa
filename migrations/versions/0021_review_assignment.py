"""Entries of the review queue are given to a person; what was decided of them stays as it is."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0021_review_assignment.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
