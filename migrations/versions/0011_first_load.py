"""A first load fills a space before its indexes stand."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0011_first_load.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
