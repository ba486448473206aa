-- One table a space, with its own search function, so that plans use the space's partial index.

CREATE FUNCTION create_space_table(space integer, dimension integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path = verifier, public, extensions, pg_temp
AS $create$
DECLARE
    tbl text := format('embedding_%s', space);
BEGIN
    EXECUTE format($ddl$
        CREATE TABLE %1$I (
            tenant_id text NOT NULL REFERENCES tenant,
            input_hash bytea NOT NULL,
            live boolean NOT NULL DEFAULT false,
            vec halfvec(%2$s) NOT NULL,
            PRIMARY KEY (tenant_id, input_hash),
            FOREIGN KEY (tenant_id, input_hash) REFERENCES passage
        )$ddl$, tbl, dimension);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tbl);
    EXECUTE format($ddl$
        CREATE POLICY tenant_only ON %I TO verifier_app
            USING (tenant_id = (SELECT current_tenant())
                   AND (tenant_id <> '' OR tenant_id = current_tenant()))
            WITH CHECK (tenant_id = (SELECT current_tenant()))$ddl$, tbl);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE (live) ON %I TO verifier_app', tbl);
    IF dimension <= 4000 THEN  -- the limit of an HNSW index over halfvec
        EXECUTE format(
            'CREATE INDEX %I ON %I USING hnsw (vec halfvec_cosine_ops) WHERE live', tbl || '_live', tbl);
        -- For searches of the past. Over an expression, so that no search of the present can take it: to the
        -- planner it costs the same, and it would wade through every superseded passage.
        EXECUTE format(
            'CREATE INDEX %I ON %I USING hnsw ((l2_normalize(vec)::halfvec(%s)) halfvec_cosine_ops)',
            tbl || '_all', tbl, dimension);
    END IF;
END
$create$;

CREATE FUNCTION create_space_search(space integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path = verifier, public, extensions, pg_temp
AS $create$
DECLARE
    tbl text := format('embedding_%s', space);
    fn text := format('search_embedding_%s', space);
BEGIN
    -- Reads the tenant from the setting and nowhere else; the filter is data, never text of a statement.
    EXECUTE format($ddl$
        CREATE FUNCTION %1$I(query halfvec, k integer, filter jsonb, exact_limit integer)
            RETURNS TABLE (source_id bigint, version_id bigint, ordinal integer, distance float8, plan text)
            LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
            SET search_path = verifier, public, extensions, pg_temp
            SET plan_cache_mode = force_custom_plan
            SET jit = off
            SET max_parallel_workers_per_gather = 0
            SET hnsw.ef_search = 100
            SET hnsw.iterative_scan = strict_order
        AS $search$
        #variable_conflict use_column
        DECLARE
            tenant text := current_tenant();
            candidates bigint;
            found bigint;
        BEGIN
            SELECT count(*) INTO candidates
              FROM (SELECT 1
                      FROM current_chunk c
                     WHERE c.tenant_id = tenant
                       AND c.permission = 'approved'
                       AND c.metadata @> filter
                     LIMIT exact_limit + 1) AS probe;
            IF candidates > exact_limit THEN
                -- With ties, so that which of several equal passages is returned never depends on the index.
                RETURN QUERY
                SELECT n.source_id, n.version_id, n.ordinal, n.distance, 'ann'
                  FROM (SELECT c.source_id, c.version_id, c.ordinal, e.vec <=> query AS distance
                          FROM %2$I e
                          JOIN current_chunk c ON c.tenant_id = tenant AND c.input_hash = e.input_hash
                         WHERE e.tenant_id = tenant
                           AND e.live
                           AND c.permission = 'approved'
                           AND c.metadata @> filter
                         ORDER BY e.vec <=> query
                         FETCH FIRST (k) ROWS WITH TIES) AS n
                 ORDER BY n.distance, n.source_id, n.ordinal
                 LIMIT k;
                GET DIAGNOSTICS found = ROW_COUNT;
                IF found >= k THEN
                    RETURN;
                END IF;
            END IF;
            -- Reached with rows only where the index fell short of k: the caller keeps the exact ones.
            -- The sum keeps the planner from ordering by the approximate index.
            RETURN QUERY
            SELECT c.source_id, c.version_id, c.ordinal, (e.vec <=> query) + 0, 'exact'
              FROM current_chunk c
              JOIN %2$I e ON e.tenant_id = tenant AND e.input_hash = c.input_hash
             WHERE c.tenant_id = tenant
               AND c.permission = 'approved'
               AND c.metadata @> filter
             ORDER BY 4, 1, 3
             LIMIT k;
        END
        $search$$ddl$, fn, tbl);
    EXECUTE format('REVOKE ALL ON FUNCTION %I FROM PUBLIC', fn);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %I TO verifier_app', fn);
END
$create$;

-- Returns the number of the space for the tenant of the transaction, making it where it is new.
-- The first space of a tenant is active at once; a later one is built beside it.
CREATE FUNCTION ensure_embedding_space(
    provider text, model text, revision text, dimension integer, metric text,
    query_prefix text, document_prefix text
) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    tenant text := current_tenant();
    space integer;
BEGIN
    SELECT s.space_id INTO space
      FROM embedding_space s
     WHERE s.tenant_id = tenant
       AND (s.provider, s.model, s.revision, s.dimension, s.metric, s.query_prefix, s.document_prefix)
         = (provider, model, revision, dimension, metric, query_prefix, document_prefix);
    IF space IS NOT NULL THEN
        RETURN space;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('verifier.embedding_space'));
    SELECT d.space_id INTO space
      FROM space_definition d
     WHERE (d.provider, d.model, d.revision, d.dimension, d.metric, d.query_prefix, d.document_prefix)
         = (provider, model, revision, dimension, metric, query_prefix, document_prefix);
    IF space IS NULL THEN
        INSERT INTO space_definition AS d
               (provider, model, revision, dimension, metric, query_prefix, document_prefix)
        VALUES (provider, model, revision, dimension, metric, query_prefix, document_prefix)
        RETURNING d.space_id INTO space;
        PERFORM create_space_table(space, dimension);
        PERFORM create_space_search(space);
    END IF;
    INSERT INTO tenant (tenant_id) VALUES (tenant) ON CONFLICT DO NOTHING;
    INSERT INTO embedding_space
           (tenant_id, space_id, provider, model, revision, dimension, metric, query_prefix, document_prefix)
    VALUES (tenant, space, provider, model, revision, dimension, metric, query_prefix, document_prefix)
    ON CONFLICT DO NOTHING;
    UPDATE embedding_space s
       SET state = 'active'
     WHERE s.tenant_id = tenant
       AND s.space_id = space
       AND NOT EXISTS (SELECT FROM embedding_space o WHERE o.tenant_id = tenant AND o.state = 'active');
    UPDATE tenant t
       SET active_space = space
     WHERE t.tenant_id = tenant
       AND t.active_space IS NULL;
    RETURN space;
END
$$;

REVOKE ALL ON FUNCTION create_space_table(integer, integer), create_space_search(integer),
    ensure_embedding_space(text, text, text, integer, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ensure_embedding_space(text, text, text, integer, text, text, text)
    TO verifier_app;
