-- Erasure: the one way in which text is removed, and what is left of it.

ALTER TABLE document_version DROP CONSTRAINT document_version_state_check;
ALTER TABLE document_version
    ADD CONSTRAINT document_version_state_check CHECK (state IN (
        'draft', 'current', 'superseded', 'withdrawn', 'failed', 'erased')),
    ADD CONSTRAINT document_version_erased_is_empty CHECK (state <> 'erased' OR text = '');

-- The key of the hashes, as the two pads of HMAC (RFC 2104). The owner alone reads it: without the key
-- nobody can try guesses on a tombstone.
CREATE TABLE erasure_key (
    tenant_id text PRIMARY KEY REFERENCES tenant,
    inner_pad bytea NOT NULL CHECK (length(inner_pad) = 64),
    outer_pad bytea NOT NULL CHECK (length(outer_pad) = 64),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Hashes are HMAC-SHA-256 of the SHA-256 of what was erased; `folded_hash` is that of the text in lower case
-- without white space. `erased_in` is the transaction, in which alone reports may be redacted for it.
CREATE TABLE tombstone (
    tenant_id text NOT NULL,
    tombstone_id bigint GENERATED ALWAYS AS IDENTITY,
    source_id bigint NOT NULL,
    version_id bigint NOT NULL,
    text_hash bytea NOT NULL CHECK (length(text_hash) = 32),
    folded_hash bytea NOT NULL CHECK (length(folded_hash) = 32),
    chunks integer NOT NULL,
    erased_by text NOT NULL CHECK (erased_by <> ''),
    reason text NOT NULL CHECK (reason <> ''),
    erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    erased_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    lifted_by text,
    lifted_at timestamptz,
    PRIMARY KEY (tenant_id, tombstone_id),
    UNIQUE (tenant_id, version_id),
    FOREIGN KEY (tenant_id, source_id) REFERENCES source,
    FOREIGN KEY (tenant_id, version_id) REFERENCES document_version,
    CHECK ((lifted_by IS NULL) = (lifted_at IS NULL))
);
CREATE INDEX tombstone_by_text ON tombstone (tenant_id, text_hash) WHERE lifted_at IS NULL;
CREATE INDEX tombstone_by_folded_text ON tombstone (tenant_id, folded_hash) WHERE lifted_at IS NULL;

CREATE TABLE tombstone_chunk (
    tenant_id text NOT NULL,
    tombstone_id bigint NOT NULL,
    ordinal integer NOT NULL,
    input_hash bytea NOT NULL CHECK (length(input_hash) = 32),
    PRIMARY KEY (tenant_id, tombstone_id, ordinal),
    FOREIGN KEY (tenant_id, tombstone_id) REFERENCES tombstone
);
CREATE INDEX tombstone_chunk_by_input ON tombstone_chunk (tenant_id, input_hash);

CREATE TABLE tombstone_report (
    tenant_id text NOT NULL,
    tombstone_id bigint NOT NULL,
    report_id text NOT NULL,
    PRIMARY KEY (tenant_id, tombstone_id, report_id),
    FOREIGN KEY (tenant_id, tombstone_id) REFERENCES tombstone,
    FOREIGN KEY (tenant_id, report_id) REFERENCES report
);
CREATE INDEX tombstone_report_by_report ON tombstone_report (tenant_id, report_id);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['erasure_key', 'tombstone', 'tombstone_chunk', 'tombstone_report'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_only ON %I TO verifier_app
               USING (tenant_id = (SELECT current_tenant())
                      AND (tenant_id <> '''' OR tenant_id = current_tenant()))
               WITH CHECK (tenant_id = (SELECT current_tenant()))', name);
    END LOOP;
END
$$;
GRANT SELECT ON tombstone, tombstone_chunk, tombstone_report TO verifier_app;
GRANT UPDATE (lifted_by, lifted_at) ON tombstone TO verifier_app;

-- Makes the tenant's key where it has none. A random UUID has 122 random bits from the system's generator.
CREATE FUNCTION ensure_erasure_key() RETURNS void
    LANGUAGE plpgsql
    SET search_path = verifier, pg_temp
AS $$
DECLARE
    key bytea := sha256(convert_to(
        gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
    inner_pad bytea := key || decode(repeat('00', 32), 'hex');
    outer_pad bytea := inner_pad;
BEGIN
    FOR at IN 0..63 LOOP
        inner_pad := set_byte(inner_pad, at, get_byte(inner_pad, at) # 54);
        outer_pad := set_byte(outer_pad, at, get_byte(outer_pad, at) # 92);
    END LOOP;
    INSERT INTO erasure_key AS k (tenant_id, inner_pad, outer_pad)
    VALUES (current_tenant(), inner_pad, outer_pad)
        ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION keyed_hash(digest bytea) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path = verifier, pg_temp
AS $$
    SELECT sha256(k.outer_pad || sha256(k.inner_pad || digest))
      FROM erasure_key k
     WHERE k.tenant_id = current_tenant()
$$;

-- Removes versions of a source, which the caller has locked, and returns their tombstones.
-- A passage stays where another version has it; its vectors stay live where a draft or current one does.
CREATE FUNCTION erase_versions(
    source bigint, versions bigint[], folded bytea[], who text, why text, clear_labels boolean
) RETURNS TABLE (tombstone_id bigint, version_id bigint, chunks integer, passages bigint, vectors bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    tenant text := current_tenant();
    inputs bytea[];
    unused bytea[];
    removed_passages bigint;
    removed_vectors bigint := 0;
    removed bigint;
    space integer;
    was_published boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('verifier.live/' || tenant, 0));
    PERFORM ensure_erasure_key();
    INSERT INTO tombstone AS t
           (tenant_id, source_id, version_id, text_hash, folded_hash, chunks, erased_by, reason)
    SELECT tenant, v.source_id, v.version_id, keyed_hash(v.content_hash), keyed_hash(wanted.folded),
           (SELECT count(*) FROM chunk c WHERE c.tenant_id = tenant AND c.version_id = v.version_id),
           who, why
      FROM unnest(versions, folded) AS wanted (version_id, folded)
           JOIN document_version v ON v.tenant_id = tenant AND v.version_id = wanted.version_id
     WHERE v.source_id = source AND v.state <> 'erased'
     ORDER BY v.seq;
    INSERT INTO tombstone_chunk (tenant_id, tombstone_id, ordinal, input_hash)
    SELECT tenant, t.tombstone_id, c.ordinal, keyed_hash(c.input_hash)
      FROM tombstone t
           JOIN chunk c ON c.tenant_id = tenant AND c.version_id = t.version_id
     WHERE t.tenant_id = tenant AND t.version_id = ANY (versions);

    SELECT array_agg(DISTINCT c.input_hash) INTO inputs
      FROM chunk c
     WHERE c.tenant_id = tenant AND c.version_id = ANY (versions);
    was_published := EXISTS (SELECT FROM publication p
                              WHERE p.tenant_id = tenant AND p.version_id = ANY (versions));
    DELETE FROM current_chunk c WHERE c.tenant_id = tenant AND c.version_id = ANY (versions);
    DELETE FROM publication p WHERE p.tenant_id = tenant AND p.version_id = ANY (versions);
    DELETE FROM chunk c WHERE c.tenant_id = tenant AND c.version_id = ANY (versions);
    SELECT array_agg(i.hash) INTO unused
      FROM unnest(inputs) AS i (hash)
     WHERE NOT EXISTS (SELECT FROM chunk c WHERE c.tenant_id = tenant AND c.input_hash = i.hash);

    FOR space IN SELECT d.space_id FROM space_definition d
                  WHERE to_regclass(format('verifier.embedding_%s', d.space_id)) IS NOT NULL LOOP
        EXECUTE format(
            'DELETE FROM %I WHERE tenant_id = $1 AND input_hash = ANY ($2)', 'embedding_' || space)
            USING tenant, unused;
        GET DIAGNOSTICS removed = ROW_COUNT;
        removed_vectors := removed_vectors + removed;
        EXECUTE format(
            $sweep$UPDATE %I e
                      SET live = false
                    WHERE e.tenant_id = $1
                      AND e.input_hash = ANY ($2)
                      AND e.live
                      AND NOT EXISTS (SELECT
                                        FROM chunk c
                                             JOIN document_version v USING (tenant_id, version_id)
                                       WHERE c.tenant_id = $1 AND c.input_hash = e.input_hash
                                         AND v.state IN ('draft', 'current'))$sweep$,
            'embedding_' || space) USING tenant, inputs;
    END LOOP;
    DELETE FROM passage p WHERE p.tenant_id = tenant AND p.input_hash = ANY (unused);
    GET DIAGNOSTICS removed_passages = ROW_COUNT;

    UPDATE document_version v
       SET text = '', content_hash = keyed_hash(v.content_hash), state = 'erased', reason = why
     WHERE v.tenant_id = tenant AND v.source_id = source AND v.version_id = ANY (versions)
       AND v.state <> 'erased';
    UPDATE report_citation c
       SET text_hash = keyed_hash(c.text_hash)
     WHERE c.tenant_id = tenant AND c.source_id = source AND c.version_id = ANY (versions);
    UPDATE conflict c
       SET subject = '[erased]', attribute = '[erased]',
           value = CASE WHEN c.version_id = ANY (versions) THEN '[erased]' ELSE c.value END,
           other_value = CASE WHEN c.other_version_id = ANY (versions) THEN '[erased]'
                              ELSE c.other_value END
     WHERE c.tenant_id = tenant
       AND (c.version_id = ANY (versions) OR c.other_version_id = ANY (versions));
    IF clear_labels THEN
        UPDATE source s
           SET title = NULL, url = NULL, metadata = '{}'
         WHERE s.tenant_id = tenant AND s.source_id = source;
        UPDATE current_chunk c SET metadata = '{}' WHERE c.tenant_id = tenant AND c.source_id = source;
    END IF;

    UPDATE source s
       SET next_validity = (SELECT min(bound.moment)
                              FROM publication p
                                   CROSS JOIN LATERAL (VALUES (p.valid_from), (p.valid_to))
                                       AS bound (moment)
                             WHERE p.tenant_id = tenant AND p.source_id = source
                               AND p.basis_to IS NULL AND bound.moment > now())
     WHERE s.tenant_id = tenant AND s.source_id = source AND s.next_validity > now();
    IF was_published OR clear_labels THEN
        WITH moment AS (
               UPDATE tenant t
                  SET basis = t.basis + 1,
                      next_validity = (SELECT min(s.next_validity) FROM source s WHERE s.tenant_id = tenant)
                WHERE t.tenant_id = tenant
               RETURNING t.basis)
        INSERT INTO basis_change (tenant_id, basis, action, source_id, version_id, by, reason)
        SELECT tenant, moment.basis, 'erase', source,
               CASE WHEN cardinality(versions) = 1 THEN versions[1] END, who, why
          FROM moment;
    END IF;

    RETURN QUERY
    SELECT t.tombstone_id, t.version_id, t.chunks, removed_passages, removed_vectors
      FROM tombstone t
     WHERE t.tenant_id = tenant AND t.version_id = ANY (versions)
       AND t.erased_in = pg_current_xact_id()
     ORDER BY t.tombstone_id;
END
$$;

-- Replaces logged reports by what is left of them, in the transaction of the erasure alone. Verdict codes
-- and ids must be those that were logged.
CREATE FUNCTION redact_reports(
    tombstones bigint[], ids text[], answers text[], turns text[], reports text[]
) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, pg_temp
AS $$
DECLARE
    tenant text := current_tenant();
    changed integer;
BEGIN
    IF cardinality(tombstones) = 0 OR EXISTS (
        SELECT
          FROM unnest(tombstones) AS wanted (id)
         WHERE NOT EXISTS (SELECT
                             FROM tombstone t
                            WHERE t.tenant_id = tenant AND t.tombstone_id = wanted.id
                              AND t.erased_in = pg_current_xact_id())) THEN
        RAISE EXCEPTION 'reports are redacted in the transaction of an erasure alone'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE report r
       SET answer = given.answer, turn = given.turn::jsonb, report = given.report::jsonb
      FROM unnest(ids, answers, turns, reports) AS given (id, answer, turn, report)
     WHERE r.tenant_id = tenant
       AND r.report_id = given.id
       AND jsonb_path_query_array(r.report, '$.verdicts[*].code')
         = jsonb_path_query_array(given.report::jsonb, '$.verdicts[*].code')
       AND (r.report -> 'report_id') IS NOT DISTINCT FROM (given.report::jsonb -> 'report_id');
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> cardinality(ids) THEN
        RAISE EXCEPTION 'a redaction would change an id or a verdict of a report'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    INSERT INTO tombstone_report (tenant_id, tombstone_id, report_id)
    SELECT tenant, stone.id, given.id
      FROM unnest(tombstones) AS stone (id)
           CROSS JOIN unnest(ids) AS given (id);
    RETURN changed;
END
$$;

-- Returns, for texts by their number from 1 on, a tombstone that forbids each: the text is the erased one but
-- for white space and case, or it holds every chunk of it. `part_of` says which text each input belongs to.
CREATE FUNCTION find_tombstones(
    texts bytea[], folded bytea[], part_of integer[], inputs bytea[]
) RETURNS TABLE (number integer, tombstone_id bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = verifier, pg_temp
AS $$
    WITH given AS (
           SELECT g.number::integer, keyed_hash(g.digest) AS text_hash, keyed_hash(g.folded) AS folded_hash
             FROM unnest(texts, folded) WITH ORDINALITY AS g (digest, folded, number)),
         part AS (
           SELECT DISTINCT p.number, keyed_hash(p.input) AS input_hash
             FROM unnest(part_of, inputs) AS p (number, input)),
         whole AS (
           SELECT p.number, c.tombstone_id
             FROM part p
                  JOIN tombstone_chunk c
                    ON c.tenant_id = current_tenant() AND c.input_hash = p.input_hash
            GROUP BY p.number, c.tombstone_id
           HAVING count(*) = (SELECT t.chunks
                                FROM tombstone t
                               WHERE t.tenant_id = current_tenant()
                                 AND t.tombstone_id = c.tombstone_id)),
         found AS (
           SELECT g.number, t.tombstone_id
             FROM given g
                  JOIN tombstone t
                    ON t.tenant_id = current_tenant()
                   AND (t.text_hash = g.text_hash OR t.folded_hash = g.folded_hash)
            UNION
           SELECT w.number, w.tombstone_id FROM whole w)
    SELECT f.number, f.tombstone_id
      FROM found f
           JOIN tombstone t ON t.tenant_id = current_tenant() AND t.tombstone_id = f.tombstone_id
     WHERE t.lifted_at IS NULL
     ORDER BY f.number, f.tombstone_id
$$;

REVOKE ALL ON FUNCTION ensure_erasure_key(), keyed_hash(bytea),
    erase_versions(bigint, bigint[], bytea[], text, text, boolean),
    redact_reports(bigint[], text[], text[], text[], text[]),
    find_tombstones(bytea[], bytea[], integer[], bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_versions(bigint, bigint[], bytea[], text, text, boolean),
    redact_reports(bigint[], text[], text[], text[], text[]),
    find_tombstones(bytea[], bytea[], integer[], bytea[]) TO verifier_app;
