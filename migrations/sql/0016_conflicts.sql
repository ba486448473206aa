-- Conflicts know the words that disagree, who looks at them, and whether they were declared or found.

-- A side without a span is the whole version, or with `every_version` whatever version the source has.
-- `other_place` is a canonical row, as database/table/key/column. `identity` tells what was found once.
ALTER TABLE conflict
    DROP CONSTRAINT conflict_state_check,
    DROP CONSTRAINT conflict_check1,
    ADD COLUMN origin text NOT NULL DEFAULT 'declared' CHECK (origin IN ('declared', 'found')),
    ADD COLUMN identity bytea,
    ADD COLUMN start_at integer CHECK (start_at >= 0),
    ADD COLUMN end_at integer,
    ADD COLUMN every_version boolean NOT NULL DEFAULT false,
    ADD COLUMN other_start_at integer CHECK (other_start_at >= 0),
    ADD COLUMN other_end_at integer,
    ADD COLUMN other_every_version boolean NOT NULL DEFAULT false,
    ADD COLUMN assigned_by text,
    ADD COLUMN assigned_at timestamptz,
    ADD CHECK (state IN ('open', 'assigned', 'resolved', 'obsolete')),
    ADD CHECK (state NOT IN ('resolved', 'obsolete') OR (resolved_at IS NOT NULL AND reason IS NOT NULL)),
    ADD CHECK (state IN ('resolved', 'obsolete') OR resolved_at IS NULL),
    ADD CHECK ((start_at IS NULL) = (end_at IS NULL) AND (start_at IS NULL OR end_at > start_at)),
    ADD CHECK ((other_start_at IS NULL) = (other_end_at IS NULL)
               AND (other_start_at IS NULL OR other_end_at > other_start_at)),
    ADD FOREIGN KEY (tenant_id, version_id) REFERENCES document_version,
    ADD FOREIGN KEY (tenant_id, other_version_id) REFERENCES document_version;
UPDATE conflict SET every_version = true, other_every_version = other_source_id IS NOT NULL;

CREATE UNIQUE INDEX conflict_by_identity ON conflict (tenant_id, identity) WHERE identity IS NOT NULL;
DROP INDEX conflict_open;
CREATE INDEX conflict_open ON conflict (tenant_id, source_id) WHERE state IN ('open', 'assigned');
CREATE INDEX conflict_open_other
    ON conflict (tenant_id, other_source_id) WHERE state IN ('open', 'assigned');
CREATE INDEX conflict_by_state ON conflict (tenant_id, state, conflict_id);
CREATE INDEX conflict_by_version ON conflict (tenant_id, version_id);
CREATE INDEX conflict_by_other_version ON conflict (tenant_id, other_version_id);

-- An erased version takes along what a conflict tells of it: hashes of its words, and reasons that quote it.
CREATE FUNCTION close_conflicts_of_erased() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = verifier, pg_temp
AS $$
BEGIN
    UPDATE conflict c
       SET identity = NULL, start_at = NULL, end_at = NULL, other_start_at = NULL, other_end_at = NULL,
           state = CASE WHEN c.state = 'resolved' THEN c.state ELSE 'obsolete' END,
           reason = '[erased]', resolved_at = coalesce(c.resolved_at, clock_timestamp())
     WHERE c.tenant_id = NEW.tenant_id
       AND (c.version_id = NEW.version_id OR c.other_version_id = NEW.version_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER document_version_erased
    AFTER UPDATE OF state ON document_version
    FOR EACH ROW WHEN (NEW.state = 'erased' AND OLD.state IS DISTINCT FROM 'erased')
    EXECUTE FUNCTION close_conflicts_of_erased();
REVOKE ALL ON FUNCTION close_conflicts_of_erased() FROM PUBLIC;

GRANT UPDATE (version_id, start_at, end_at, other_version_id, other_start_at, other_end_at, assigned_by,
    assigned_at) ON conflict TO verifier_app;
