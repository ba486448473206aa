"""What is current changes by itself where a version is stated to hold only later, or no longer."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0005_validity.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
