"""What only the owner may mend: text-search columns, passages that nothing uses, statistics."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0013_upkeep.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
