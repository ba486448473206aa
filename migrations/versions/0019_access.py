"""A server answers for many tenants: keys are found by their hash, and sessions and retries are kept."""

from __future__ import annotations

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0019_access.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
