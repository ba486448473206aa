"""A space is built beside the one that answers, switched to, and dropped; its index comes last."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0007_space_building.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
