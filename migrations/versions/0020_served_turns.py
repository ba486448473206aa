"""A turn lasts longer than a request, and several server processes append to it."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0020_served_turns.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
