-- A space is built beside the one that answers, switched to when complete, and dropped. Filling a table before
-- its index stands is ten to fifty times faster, so the tables of later spaces are indexed at the end.

ALTER TABLE embedding_space ADD COLUMN retired_at timestamptz;
GRANT UPDATE (retired_at) ON embedding_space TO verifier_app;

CREATE OR REPLACE FUNCTION create_space_table(space integer, dimension integer) RETURNS void
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
END
$create$;

-- Makes those indexes of a space that are missing or invalid. Not concurrently, which no function can: searches
-- go on meanwhile, writers of this space wait. One process and up to 1 GB: a parallel build would need as much
-- shared memory at once, which containers seldom have.
CREATE FUNCTION create_space_indexes(space integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path = verifier, public, extensions, pg_temp
    SET maintenance_work_mem = '1GB'
    SET max_parallel_maintenance_workers = 0
AS $create$
DECLARE
    tbl text := format('embedding_%s', space);
    dimension integer;
    wanted record;
BEGIN
    SELECT a.atttypmod INTO STRICT dimension
      FROM pg_catalog.pg_attribute a
     WHERE a.attrelid = format('verifier.%I', tbl)::regclass
       AND a.attname = 'vec';
    IF dimension > 4000 THEN  -- the limit of an HNSW index over halfvec
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('verifier.space_indexes'), space);
    FOR wanted IN
        SELECT tbl || '_live' AS name, 'hnsw (vec halfvec_cosine_ops) WHERE live' AS shape
         UNION ALL
        -- For searches of the past. Over an expression, so that no search of the present can take it: to the
        -- planner it costs the same, and it would wade through every superseded passage.
        SELECT tbl || '_all',
               format('hnsw ((l2_normalize(vec)::halfvec(%s)) halfvec_cosine_ops)', dimension)
    LOOP
        CONTINUE WHEN EXISTS (SELECT
                                FROM pg_catalog.pg_index i
                               WHERE i.indexrelid = to_regclass(format('verifier.%I', wanted.name))
                                 AND i.indisvalid AND i.indisready);
        EXECUTE format('DROP INDEX IF EXISTS %I', wanted.name);
        EXECUTE format('CREATE INDEX %I ON %I USING %s', wanted.name, tbl, wanted.shape);
    END LOOP;
END
$create$;

-- Returns the number of the space for the tenant of the transaction, making it where it is new.
-- The first space of a tenant is active and indexed at once; a later one is built beside it.
CREATE OR REPLACE FUNCTION ensure_embedding_space(
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
    IF FOUND THEN
        PERFORM create_space_indexes(space);
    END IF;
    UPDATE tenant t
       SET active_space = space
     WHERE t.tenant_id = tenant
       AND t.active_space IS NULL;
    RETURN space;
END
$$;

-- Indexes a space that the tenant of the transaction has; does nothing where the indexes stand.
CREATE FUNCTION index_embedding_space(space integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
BEGIN
    PERFORM FROM embedding_space s WHERE s.tenant_id = current_tenant() AND s.space_id = space;
    IF FOUND THEN
        PERFORM create_space_indexes(space);
    END IF;
END
$$;

-- Removes a space of the tenant with its vectors, and returns whether its table went too, as it does where no
-- other tenant has the space. Returns null where the tenant has no such space, or it is the active one.
-- Waits a few seconds at most: taking a table away shuts others out of `passage` for a moment.
CREATE FUNCTION drop_embedding_space(space integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
    SET lock_timeout = '3s'
AS $$
DECLARE
    tenant text := current_tenant();
    tbl text := format('embedding_%s', space);
    fn regprocedure;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('verifier.embedding_space'));
    DELETE FROM embedding_space s
     WHERE s.tenant_id = tenant AND s.space_id = space AND s.state <> 'active';
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM embedding_space s WHERE s.space_id = space) THEN
        EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', tbl) USING tenant;
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %I', tbl);
    FOR fn IN
        SELECT p.oid::regprocedure
          FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'verifier'::regnamespace
           AND p.proname::text ~ format('_embedding_%s$', space)
    LOOP
        EXECUTE format('DROP FUNCTION %s', fn);
    END LOOP;
    DELETE FROM space_definition d WHERE d.space_id = space;
    RETURN true;
END
$$;

REVOKE ALL ON FUNCTION create_space_indexes(integer), index_embedding_space(integer),
    drop_embedding_space(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_embedding_space(integer), drop_embedding_space(integer) TO verifier_app;
