"""Texts are erased with proof: a tombstone of keyed hashes is what stays of them."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.get_context().opts["run_script"]("0009_erasure.sql")


def downgrade() -> None:
    raise RuntimeError("migrations only go forward; restore a backup taken before the upgrade")
