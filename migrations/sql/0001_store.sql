-- The versioned store. Every key starts with tenant_id; nothing is shared across tenants.

ALTER DEFAULT PRIVILEGES FOR ROLE verifier_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE FUNCTION current_tenant() RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1
    SET search_path = pg_catalog
AS $$
DECLARE
    tenant text := pg_catalog.current_setting('verifier.tenant', true);
BEGIN
    IF tenant IS NULL OR tenant = '' THEN
        RAISE EXCEPTION 'no tenant is set'
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'SET LOCAL verifier.tenant in the transaction';
    END IF;
    RETURN tenant;
END
$$;

CREATE TABLE tenant (
    tenant_id text PRIMARY KEY CHECK (tenant_id <> ''),
    basis bigint NOT NULL DEFAULT 0,
    active_space integer,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE source (
    tenant_id text NOT NULL REFERENCES tenant,
    source_id bigint GENERATED ALWAYS AS IDENTITY,
    key text NOT NULL CHECK (key <> ''),
    title text,
    url text,
    authority smallint NOT NULL DEFAULT 0,
    permission text NOT NULL DEFAULT 'pending' CHECK (permission IN ('approved', 'pending', 'denied')),
    permission_by text,
    permission_at timestamptz,
    review text NOT NULL DEFAULT 'version' CHECK (review IN ('source', 'version')),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, source_id),
    UNIQUE (tenant_id, key)
);

CREATE TABLE document_version (
    tenant_id text NOT NULL,
    version_id bigint GENERATED ALWAYS AS IDENTITY,
    source_id bigint NOT NULL,
    seq integer NOT NULL CHECK (seq > 0),
    text text NOT NULL,
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    media_type text NOT NULL DEFAULT 'text/plain',
    state text NOT NULL DEFAULT 'draft'
        CHECK (state IN ('draft', 'current', 'superseded', 'withdrawn', 'failed')),
    supersedes bigint,
    reason text,
    valid_from timestamptz,
    review_until timestamptz,
    last_verified_at timestamptz,
    verified_by text,
    ingested_by text,
    ingested_as text NOT NULL DEFAULT 'operator' CHECK (ingested_as IN ('operator', 'agent')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, version_id),
    UNIQUE (tenant_id, source_id, seq),
    FOREIGN KEY (tenant_id, source_id) REFERENCES source,
    FOREIGN KEY (tenant_id, supersedes) REFERENCES document_version
);
CREATE UNIQUE INDEX document_version_one_current
    ON document_version (tenant_id, source_id) WHERE state = 'current';
CREATE INDEX document_version_by_content
    ON document_version (tenant_id, source_id, content_hash);
CREATE INDEX document_version_by_review
    ON document_version (tenant_id, review_until) WHERE state = 'current';

CREATE TABLE passage (
    tenant_id text NOT NULL REFERENCES tenant,
    input_hash bytea NOT NULL CHECK (length(input_hash) = 32),
    input text NOT NULL CHECK (input <> ''),
    search tsvector GENERATED ALWAYS AS (to_tsvector('pg_catalog.english'::regconfig, input)) STORED,
    PRIMARY KEY (tenant_id, input_hash)
);
CREATE INDEX passage_search ON passage USING gin (search);

CREATE TABLE chunk (
    tenant_id text NOT NULL,
    version_id bigint NOT NULL,
    ordinal integer NOT NULL CHECK (ordinal >= 0),
    start_at integer NOT NULL CHECK (start_at >= 0),
    end_at integer NOT NULL,
    input_hash bytea NOT NULL,
    heading_path text[] NOT NULL DEFAULT '{}',
    page integer,
    PRIMARY KEY (tenant_id, version_id, ordinal),
    FOREIGN KEY (tenant_id, version_id) REFERENCES document_version,
    FOREIGN KEY (tenant_id, input_hash) REFERENCES passage,
    CHECK (end_at > start_at)
);
CREATE INDEX chunk_by_input ON chunk (tenant_id, input_hash);

CREATE TABLE current_chunk (
    tenant_id text NOT NULL,
    source_id bigint NOT NULL,
    ordinal integer NOT NULL,
    version_id bigint NOT NULL,
    input_hash bytea NOT NULL,
    permission text NOT NULL CHECK (permission IN ('approved', 'pending', 'denied')),
    authority smallint NOT NULL DEFAULT 0,
    review_until timestamptz,
    metadata jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant_id, source_id, ordinal),
    FOREIGN KEY (tenant_id, version_id, ordinal) REFERENCES chunk
);
CREATE INDEX current_chunk_by_input ON current_chunk (tenant_id, input_hash);
CREATE INDEX current_chunk_by_metadata ON current_chunk USING gin (metadata jsonb_path_ops);

-- Two time axes: when a version holds in the world, and between which bases we knew it.
CREATE TABLE publication (
    tenant_id text NOT NULL,
    publication_id bigint GENERATED ALWAYS AS IDENTITY,
    source_id bigint NOT NULL,
    version_id bigint NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    basis_from bigint NOT NULL,
    basis_to bigint,
    PRIMARY KEY (tenant_id, publication_id),
    FOREIGN KEY (tenant_id, source_id) REFERENCES source,
    FOREIGN KEY (tenant_id, version_id) REFERENCES document_version,
    CHECK (valid_to IS NULL OR valid_to >= valid_from),
    CHECK (basis_to IS NULL OR basis_to > basis_from)
);
CREATE INDEX publication_by_source ON publication (tenant_id, source_id, basis_to);
CREATE INDEX publication_by_version ON publication (tenant_id, version_id);

-- What each basis was taken for. A recorded moment maps to the last basis at or before it.
CREATE TABLE basis_change (
    tenant_id text NOT NULL REFERENCES tenant,
    basis bigint NOT NULL,
    action text NOT NULL CHECK (action IN ('publish', 'withdraw', 'approve', 'deny', 'correct_validity')),
    source_id bigint NOT NULL,
    version_id bigint,
    by text,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, basis),
    FOREIGN KEY (tenant_id, source_id) REFERENCES source
);
CREATE INDEX basis_change_by_time ON basis_change (tenant_id, recorded_at);

CREATE TABLE report (
    tenant_id text NOT NULL REFERENCES tenant,
    report_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    answer text NOT NULL,
    turn jsonb NOT NULL,
    report jsonb NOT NULL,
    accepted boolean NOT NULL,
    claims integer NOT NULL,
    outcome text,
    basis bigint,
    catalog_hash text,
    verifier_version text NOT NULL,
    PRIMARY KEY (tenant_id, report_id)
);
CREATE INDEX report_by_time ON report (tenant_id, created_at);

CREATE TABLE report_citation (
    tenant_id text NOT NULL,
    report_id text NOT NULL,
    claim_id text NOT NULL,
    position integer NOT NULL,
    source_id bigint NOT NULL,
    version_id bigint NOT NULL,
    ordinal integer,
    start_at integer NOT NULL,
    end_at integer NOT NULL,
    text_hash bytea NOT NULL,
    code text NOT NULL,
    PRIMARY KEY (tenant_id, report_id, claim_id, position),
    FOREIGN KEY (tenant_id, report_id) REFERENCES report ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, version_id) REFERENCES document_version
);
CREATE INDEX report_citation_by_version ON report_citation (tenant_id, source_id, version_id);

CREATE TABLE report_row (
    tenant_id text NOT NULL,
    report_id text NOT NULL,
    claim_id text NOT NULL,
    position integer NOT NULL,
    database text NOT NULL,
    table_name text NOT NULL,
    row_key text NOT NULL,
    column_name text,
    fingerprint bytea NOT NULL,
    code text NOT NULL,
    PRIMARY KEY (tenant_id, report_id, claim_id, position),
    FOREIGN KEY (tenant_id, report_id) REFERENCES report ON DELETE CASCADE
);
CREATE INDEX report_row_by_key ON report_row (tenant_id, database, table_name, row_key);

CREATE TABLE review (
    tenant_id text NOT NULL,
    review_id bigint GENERATED ALWAYS AS IDENTITY,
    report_id text NOT NULL,
    claim_id text NOT NULL,
    claim_hash bytea NOT NULL,
    evidence_hash bytea NOT NULL,
    code text NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'decided', 'expired')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, review_id),
    UNIQUE (tenant_id, claim_hash, evidence_hash),
    FOREIGN KEY (tenant_id, report_id) REFERENCES report
);

CREATE TABLE review_decision (
    tenant_id text NOT NULL,
    decision_id bigint GENERATED ALWAYS AS IDENTITY,
    review_id bigint NOT NULL,
    reviewer text NOT NULL,
    decision text NOT NULL CHECK (decision IN ('supported', 'unsupported', 'contradicted', 'unclear')),
    reason text NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, decision_id),
    FOREIGN KEY (tenant_id, review_id) REFERENCES review
);
CREATE INDEX review_decision_by_review ON review_decision (tenant_id, review_id);

CREATE TABLE conflict (
    tenant_id text NOT NULL,
    conflict_id bigint GENERATED ALWAYS AS IDENTITY,
    source_id bigint NOT NULL,
    version_id bigint NOT NULL,
    other_source_id bigint,
    other_version_id bigint,
    subject text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    other_value text NOT NULL,
    other_place text,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'assigned', 'resolved')),
    declared_by text,
    assigned_to text,
    resolved_by text,
    reason text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at timestamptz,
    PRIMARY KEY (tenant_id, conflict_id),
    FOREIGN KEY (tenant_id, source_id) REFERENCES source,
    FOREIGN KEY (tenant_id, other_source_id) REFERENCES source,
    CHECK (other_source_id IS NOT NULL OR other_place IS NOT NULL),
    CHECK ((state = 'resolved') = (resolved_at IS NOT NULL AND reason IS NOT NULL))
);
CREATE INDEX conflict_open ON conflict (tenant_id, source_id) WHERE state <> 'resolved';

CREATE TABLE api_key (
    tenant_id text NOT NULL REFERENCES tenant,
    key_id bigint GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    key_hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    may_supply_calls boolean NOT NULL DEFAULT false,
    may_act_for_principals boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, key_id),
    UNIQUE (tenant_id, name)
);

-- What each tenant embeds with. The definition stands here again so that no tenant reads another's.
CREATE TABLE embedding_space (
    tenant_id text NOT NULL REFERENCES tenant,
    space_id integer NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    revision text NOT NULL,
    dimension integer NOT NULL CHECK (dimension BETWEEN 1 AND 16000),
    metric text NOT NULL CHECK (metric = 'cosine'),
    query_prefix text NOT NULL DEFAULT '',
    document_prefix text NOT NULL DEFAULT '',
    state text NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'active', 'retired')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, space_id)
);
CREATE UNIQUE INDEX embedding_space_one_active ON embedding_space (tenant_id) WHERE state = 'active';

-- Numbers spaces across tenants; the owner alone reads it.
CREATE TABLE space_definition (
    space_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider text NOT NULL,
    model text NOT NULL,
    revision text NOT NULL,
    dimension integer NOT NULL,
    metric text NOT NULL,
    query_prefix text NOT NULL,
    document_prefix text NOT NULL,
    UNIQUE (provider, model, revision, dimension, metric, query_prefix, document_prefix)
);

-- The subselect is evaluated once a statement, when the first row is met. The part after OR is never reached
-- by a row: the planner evaluates it for its estimates, so that an empty table refuses without a tenant too.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'tenant', 'source', 'document_version', 'passage', 'chunk', 'current_chunk', 'publication',
        'basis_change', 'report', 'report_citation', 'report_row', 'review', 'review_decision',
        'conflict', 'api_key', 'embedding_space'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_only ON %I TO verifier_app
               USING (tenant_id = (SELECT current_tenant())
                      AND (tenant_id <> '''' OR tenant_id = current_tenant()))
               WITH CHECK (tenant_id = (SELECT current_tenant()))', name);
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA verifier TO verifier_app;
GRANT SELECT ON tenant, source, document_version, passage, chunk, current_chunk, publication,
    basis_change, report, report_citation, report_row, review, review_decision, conflict, api_key,
    embedding_space TO verifier_app;
GRANT INSERT ON tenant, source, document_version, passage, chunk, current_chunk, publication,
    basis_change, report, report_citation, report_row, review, review_decision, conflict, api_key
    TO verifier_app;
GRANT UPDATE (basis, active_space) ON tenant TO verifier_app;
GRANT UPDATE (title, url, authority, permission, permission_by, permission_at, review, metadata)
    ON source TO verifier_app;
-- The text of a version is immutable: no one who serves may update it.
GRANT UPDATE (state, supersedes, reason, valid_from, review_until, last_verified_at, verified_by,
    ingested_by, ingested_as) ON document_version TO verifier_app;
GRANT UPDATE, DELETE ON current_chunk TO verifier_app;
GRANT UPDATE (basis_to) ON publication TO verifier_app;
GRANT UPDATE (state) ON review, embedding_space TO verifier_app;
GRANT UPDATE (state, assigned_to, resolved_by, reason, resolved_at) ON conflict TO verifier_app;
GRANT UPDATE (expires_at, revoked_at) ON api_key TO verifier_app;
REVOKE ALL ON FUNCTION current_tenant() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION current_tenant() TO verifier_app;
