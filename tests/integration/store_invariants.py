"""What must be true of a store after every transaction, whatever was done to it and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.store_reading import fetch

if TYPE_CHECKING:
    from verifier.store.pool import Pool

BREACHES = {
    "two versions of a source are current": """
        SELECT source_id FROM document_version WHERE state = 'current'
         GROUP BY source_id HAVING count(*) > 1""",
    "current chunks are not those of the current version": """
        SELECT source_id, version_id, ordinal
          FROM ((SELECT v.source_id, v.version_id, c.ordinal, c.input_hash, s.permission, s.authority,
                        v.review_until
                   FROM document_version v
                        JOIN chunk c USING (tenant_id, version_id)
                        JOIN source s USING (tenant_id, source_id)
                  WHERE v.state = 'current')
                EXCEPT ALL
                (SELECT source_id, version_id, ordinal, input_hash, permission, authority, review_until
                   FROM current_chunk)) AS missing
         UNION ALL
        SELECT n.source_id, n.version_id, n.ordinal
          FROM current_chunk n
               JOIN document_version v USING (tenant_id, version_id)
         WHERE v.state <> 'current'""",
    "open periods of a source overlap": """
        SELECT p.source_id, p.publication_id
          FROM publication p
               JOIN publication o
                 ON o.source_id = p.source_id AND o.publication_id > p.publication_id
                AND o.basis_to IS NULL
         WHERE p.basis_to IS NULL
           AND tstzrange(p.valid_from, p.valid_to) && tstzrange(o.valid_from, o.valid_to)""",
    "periods known at one basis overlap": """
        SELECT p.source_id, p.publication_id
          FROM publication p
               JOIN publication o
                 ON o.source_id = p.source_id AND o.publication_id > p.publication_id
         WHERE int8range(p.basis_from, p.basis_to) && int8range(o.basis_from, o.basis_to)
           AND tstzrange(p.valid_from, p.valid_to) && tstzrange(o.valid_from, o.valid_to)""",
    "bases are not dense, or not counted once each": """
        SELECT b.basis
          FROM (SELECT basis, row_number() OVER (ORDER BY basis) AS place FROM basis_change) AS b
         WHERE b.basis <> b.place
         UNION ALL
        SELECT t.basis FROM tenant t
         WHERE t.basis <> (SELECT count(*) FROM basis_change)""",
    "another version is current than the one that holds": """
        SELECT s.key
          FROM source s
         WHERE (s.next_validity IS NULL OR s.next_validity > clock_timestamp())
           AND (SELECT v.version_id FROM document_version v
                 WHERE v.source_id = s.source_id AND v.state = 'current')
               IS DISTINCT FROM
               (SELECT min(p.version_id) FROM publication p
                 WHERE p.source_id = s.source_id AND p.basis_to IS NULL
                   AND p.valid_from <= clock_timestamp()
                   AND (p.valid_to IS NULL OR p.valid_to > clock_timestamp()))""",
    "the next change of a source is not known": """
        SELECT s.key
          FROM source s
               JOIN publication p USING (tenant_id, source_id)
         WHERE p.basis_to IS NULL AND p.valid_from > clock_timestamp()
           AND (s.next_validity IS NULL OR s.next_validity > p.valid_from)
         UNION ALL
        SELECT t.tenant_id
          FROM tenant t
         WHERE t.next_validity IS DISTINCT FROM (SELECT min(s.next_validity) FROM source s)""",
    "a vector that is in use is not live": """
        SELECT n.source_id, n.ordinal
          FROM current_chunk n
               LEFT JOIN embedding_1 e ON e.input_hash = n.input_hash
         WHERE e.live IS NOT TRUE""",
}


async def find_breaches(pool: Pool) -> list[str]:
    """What is not as it must be, with the rows that show it."""
    found = []
    for breach, statement in BREACHES.items():
        rows = await fetch(pool, statement)
        found += [f"{breach}: {[tuple(row) for row in rows[:5]]}"] if rows else []
    return found
