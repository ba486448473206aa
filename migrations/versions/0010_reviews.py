"""Reviews know every report that asks them, what they rest on, and their rounds of decisions."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0010_reviews.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
