-- The review queue: one entry a claim with its evidence, every report that asks it, and what it rests on.

-- An entry that is reopened begins a round; decisions of earlier rounds stay, and stand no more.
ALTER TABLE review
    ADD COLUMN answers integer NOT NULL DEFAULT 0 CHECK (answers >= 0),
    ADD COLUMN round integer NOT NULL DEFAULT 1 CHECK (round > 0),
    ADD COLUMN disputed boolean NOT NULL DEFAULT false,
    ADD COLUMN expired_why text
        CHECK (expired_why IN ('superseded', 'withdrawn', 'erased', 'row_changed')),
    ADD COLUMN expired_at timestamptz;
UPDATE review SET expired_why = 'superseded', expired_at = clock_timestamp() WHERE state = 'expired';
ALTER TABLE review
    ADD CHECK ((state = 'expired') = (expired_why IS NOT NULL)),
    ADD CHECK ((state = 'expired') = (expired_at IS NOT NULL));

-- Which claim of which report asks an entry; the claim's text is that span of the report's answer.
CREATE TABLE review_request (
    tenant_id text NOT NULL,
    review_id bigint NOT NULL,
    report_id text NOT NULL,
    claim_id text NOT NULL,
    code text NOT NULL,
    start_at integer NOT NULL CHECK (start_at >= 0),
    end_at integer NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    PRIMARY KEY (tenant_id, review_id, report_id, claim_id),
    FOREIGN KEY (tenant_id, review_id) REFERENCES review,
    FOREIGN KEY (tenant_id, report_id) REFERENCES report ON DELETE CASCADE,
    CHECK (end_at >= start_at)
);
CREATE INDEX review_request_by_time ON review_request (tenant_id, review_id, requested_at, report_id);
CREATE INDEX review_request_by_report ON review_request (tenant_id, report_id);

INSERT INTO review_request (tenant_id, review_id, report_id, claim_id, code, start_at, end_at, requested_at)
SELECT w.tenant_id, w.review_id, w.report_id, w.claim_id, w.code,
       coalesce((verdict.claim -> 'span' ->> 0)::integer, 0),
       coalesce((verdict.claim -> 'span' ->> 1)::integer, 0), w.created_at
  FROM review w
       JOIN report r USING (tenant_id, report_id)
       LEFT JOIN LATERAL (
           SELECT one.claim
             FROM jsonb_array_elements(
                      CASE jsonb_typeof(r.report -> 'verdicts')
                           WHEN 'array' THEN r.report -> 'verdicts' ELSE '[]' END) AS one (claim)
            WHERE one.claim ->> 'claim' = w.claim_id
            LIMIT 1) AS verdict ON true;
UPDATE review SET answers = 1;
ALTER TABLE review DROP COLUMN report_id, DROP COLUMN claim_id;

-- What an entry rests on in the store and in canonical tables. `seen_version_id` is the version that was
-- current when it was last looked whether the span still stands; 0 where none was.
CREATE TABLE review_evidence (
    tenant_id text NOT NULL,
    review_id bigint NOT NULL,
    position integer NOT NULL,
    source_id bigint,
    version_id bigint,
    start_at integer,
    end_at integer,
    seen_version_id bigint,
    database text,
    table_name text,
    row_key text,
    column_name text,
    fingerprint bytea,
    PRIMARY KEY (tenant_id, review_id, position),
    FOREIGN KEY (tenant_id, review_id) REFERENCES review,
    FOREIGN KEY (tenant_id, source_id) REFERENCES source,
    FOREIGN KEY (tenant_id, version_id) REFERENCES document_version,
    CHECK (num_nonnulls(source_id, version_id, start_at, end_at, seen_version_id)
           = CASE WHEN database IS NULL THEN 5 ELSE 0 END),
    CHECK (num_nonnulls(database, table_name, row_key, fingerprint)
           = CASE WHEN database IS NULL THEN 0 ELSE 4 END)
);
CREATE INDEX review_evidence_by_source
    ON review_evidence (tenant_id, source_id, seen_version_id, review_id) WHERE source_id IS NOT NULL;
CREATE INDEX review_evidence_by_version
    ON review_evidence (tenant_id, version_id) WHERE version_id IS NOT NULL;
CREATE INDEX review_evidence_of_rows
    ON review_evidence (tenant_id, review_id) WHERE database IS NOT NULL;
CREATE INDEX review_erased_version
    ON document_version (tenant_id, version_id) WHERE state = 'erased';

-- The four orders in which the queue is read: all entries of a state, and those of one code.
CREATE INDEX review_by_answers ON review (tenant_id, state, answers DESC, created_at, review_id);
CREATE INDEX review_by_age ON review (tenant_id, state, created_at, review_id);
CREATE INDEX review_of_code_by_answers
    ON review (tenant_id, code, state, answers DESC, created_at, review_id);
CREATE INDEX review_of_code_by_age ON review (tenant_id, code, state, created_at, review_id);
CREATE INDEX review_disputed ON review (tenant_id, answers DESC, created_at, review_id) WHERE disputed;

ALTER TABLE review_decision
    ADD COLUMN round integer NOT NULL DEFAULT 1 CHECK (round > 0),
    ADD COLUMN supersedes bigint,
    ADD FOREIGN KEY (tenant_id, supersedes) REFERENCES review_decision,
    ADD CHECK (reviewer <> ''),
    ADD CHECK (reason <> '');
CREATE INDEX review_decision_by_reviewer ON review_decision (tenant_id, reviewer, review_id);

-- Who reopened an entry, and why; `round` is the one that it began.
CREATE TABLE review_reopening (
    tenant_id text NOT NULL,
    review_id bigint NOT NULL,
    round integer NOT NULL,
    by text NOT NULL CHECK (by <> ''),
    reason text NOT NULL CHECK (reason <> ''),
    reopened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, review_id, round),
    FOREIGN KEY (tenant_id, review_id) REFERENCES review
);

-- Reports that leave the log take their requests along; the counts follow.
CREATE FUNCTION count_answers_of_reviews() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = verifier, pg_temp
AS $$
BEGIN
    UPDATE review w
       SET answers = greatest(w.answers - gone.answers, 0)
      FROM (SELECT g.tenant_id, g.review_id, count(DISTINCT g.report_id)::integer AS answers
              FROM removed g
             WHERE NOT EXISTS (SELECT
                                 FROM review_request kept
                                WHERE kept.tenant_id = g.tenant_id AND kept.review_id = g.review_id
                                  AND kept.report_id = g.report_id)
             GROUP BY g.tenant_id, g.review_id) AS gone
     WHERE w.tenant_id = gone.tenant_id AND w.review_id = gone.review_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER review_request_removed
    AFTER DELETE ON review_request REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_answers_of_reviews();

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['review_request', 'review_evidence', 'review_reopening'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_only ON %I TO verifier_app
               USING (tenant_id = (SELECT current_tenant())
                      AND (tenant_id <> '''' OR tenant_id = current_tenant()))
               WITH CHECK (tenant_id = (SELECT current_tenant()))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT ON review_request, review_evidence, review_reopening TO verifier_app;
GRANT UPDATE (answers, round, disputed, expired_why, expired_at) ON review TO verifier_app;
GRANT UPDATE (seen_version_id) ON review_evidence TO verifier_app;
