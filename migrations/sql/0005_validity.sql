-- When what is current changes by itself: a version that is stated to hold only later, or no longer then.

-- The earliest moment to come at which another version begins or ceases to hold; null: none is known.
-- Once it is past, what answers now is read from publication, until a writer has made it current.
ALTER TABLE tenant ADD COLUMN next_validity timestamptz;
ALTER TABLE source ADD COLUMN next_validity timestamptz;
CREATE INDEX source_by_next_validity ON source (tenant_id, next_validity) WHERE next_validity IS NOT NULL;

-- Whether somebody stated these moments; else the clock gave the first, and the next version the second.
ALTER TABLE publication
    ADD COLUMN from_stated boolean NOT NULL DEFAULT false,
    ADD COLUMN to_stated boolean NOT NULL DEFAULT false;

UPDATE publication p
   SET from_stated = true
  FROM document_version v
 WHERE v.tenant_id = p.tenant_id
   AND v.version_id = p.version_id
   AND v.valid_from = p.valid_from;

UPDATE publication p
   SET to_stated = true
 WHERE p.basis_to IS NULL
   AND p.valid_to IS NOT NULL
   AND NOT EXISTS (SELECT
                     FROM publication n
                    WHERE n.tenant_id = p.tenant_id
                      AND n.source_id = p.source_id
                      AND n.basis_to IS NULL
                      AND n.valid_from = p.valid_to);

-- Versions answered as soon as they were published, whatever was stated: where another holds, that is due.
WITH standing AS (
       SELECT s.tenant_id, s.source_id,
              (SELECT v.version_id
                 FROM document_version v
                WHERE v.tenant_id = s.tenant_id AND v.source_id = s.source_id
                  AND v.state = 'current') AS answering,
              (SELECT p.version_id
                 FROM publication p
                WHERE p.tenant_id = s.tenant_id AND p.source_id = s.source_id AND p.basis_to IS NULL
                  AND p.valid_from <= now() AND (p.valid_to IS NULL OR p.valid_to > now())
                LIMIT 1) AS holding,
              (SELECT min(bound.moment)
                 FROM publication p
                      CROSS JOIN LATERAL (VALUES (p.valid_from), (p.valid_to)) AS bound (moment)
                WHERE p.tenant_id = s.tenant_id AND p.source_id = s.source_id AND p.basis_to IS NULL
                  AND bound.moment > now()) AS coming
         FROM source s)
UPDATE source s
   SET next_validity = CASE WHEN g.answering IS DISTINCT FROM g.holding THEN now() ELSE g.coming END
  FROM standing g
 WHERE s.tenant_id = g.tenant_id
   AND s.source_id = g.source_id
   AND (g.answering IS DISTINCT FROM g.holding OR g.coming IS NOT NULL);

UPDATE tenant t
   SET next_validity = (SELECT min(s.next_validity) FROM source s WHERE s.tenant_id = t.tenant_id);

ALTER TABLE basis_change DROP CONSTRAINT basis_change_action_check;
ALTER TABLE basis_change
    ADD CONSTRAINT basis_change_action_check CHECK (action IN (
        'publish', 'withdraw', 'restore', 'revert', 'approve', 'deny', 'correct_validity', 'review',
        'set_authority', 'erase')),
    ADD COLUMN reason text;
CREATE INDEX basis_change_by_source ON basis_change (tenant_id, source_id, recorded_at);

GRANT UPDATE (next_validity) ON tenant, source TO verifier_app;
