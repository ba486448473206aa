-- Rechecks of logged answers, reports that are kept without their texts, and reports that leave the log.

ALTER TABLE report ADD COLUMN redacted boolean NOT NULL DEFAULT false;

-- What a report came to when it was verified again. `flips` holds codes, causes and places, never a text, so
-- that nothing erased or redacted lives on in it. `as_of` is the clock that it was held to, null for its own
-- moment; `basis` tells what was known.
CREATE TABLE report_recheck (
    tenant_id text NOT NULL,
    recheck_id bigint GENERATED ALWAYS AS IDENTITY,
    report_id text NOT NULL,
    basis bigint NOT NULL,
    as_of timestamptz,
    standing text NOT NULL
        CHECK (standing IN ('holds', 'wrong', 'doubtful', 'open', 'righted', 'changed')),
    flips jsonb NOT NULL CHECK (jsonb_typeof(flips) = 'array'),
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    verifier_version text NOT NULL,
    catalog_hash text,
    rechecked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, recheck_id),
    FOREIGN KEY (tenant_id, report_id) REFERENCES report ON DELETE CASCADE
);
CREATE INDEX report_recheck_by_report ON report_recheck (tenant_id, report_id, recheck_id);
CREATE INDEX report_recheck_by_time ON report_recheck (tenant_id, rechecked_at);

ALTER TABLE report_recheck ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_only ON report_recheck TO verifier_app
    USING (tenant_id = (SELECT current_tenant())
           AND (tenant_id <> '' OR tenant_id = current_tenant()))
    WITH CHECK (tenant_id = (SELECT current_tenant()));
GRANT SELECT, INSERT ON report_recheck TO verifier_app;

-- Removes logged reports that are older than a moment, the oldest first, at most so many; returns how many.
-- Which erasures redacted them goes too; the tombstones of erased texts stay.
CREATE FUNCTION sweep_reports(older_than timestamptz, at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, pg_temp
AS $$
DECLARE
    tenant text := current_tenant();
    old text[];
BEGIN
    SELECT array_agg(r.report_id)
      INTO old
      FROM (SELECT report_id
              FROM report
             WHERE tenant_id = tenant AND created_at < older_than
             ORDER BY created_at, report_id
             LIMIT at_most
               FOR UPDATE SKIP LOCKED) AS r;
    DELETE FROM tombstone_report WHERE tenant_id = tenant AND report_id = ANY (old);
    DELETE FROM report WHERE tenant_id = tenant AND report_id = ANY (old);
    RETURN coalesce(cardinality(old), 0);
END
$$;
REVOKE ALL ON FUNCTION sweep_reports(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sweep_reports(timestamptz, integer) TO verifier_app;
