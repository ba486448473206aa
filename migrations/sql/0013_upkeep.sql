-- What `verifier doctor --fix` and `verifier db sweep` need of the owner, for the tenant of the transaction.

-- Computes the text-search column of so many passages anew that differ from what the server makes of their text
-- now, and returns how many they were.
CREATE FUNCTION mend_passage_search(at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
DECLARE
    tenant text := current_tenant();
    made text;
    mended integer;
BEGIN
    SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid) INTO STRICT made
      FROM pg_catalog.pg_attrdef d
      JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
     WHERE a.attrelid = 'verifier.passage'::regclass
       AND a.attname = 'search'
       AND a.attgenerated = 's';
    EXECUTE format($dml$
        WITH wrong AS MATERIALIZED (
               SELECT tenant_id, input_hash
                 FROM passage
                WHERE tenant_id = $1 AND search IS DISTINCT FROM (%s)
                ORDER BY input_hash
                LIMIT $2
                  FOR NO KEY UPDATE)
        UPDATE passage p
           SET input = p.input
          FROM wrong w
         WHERE p.tenant_id = w.tenant_id AND p.input_hash = w.input_hash$dml$, made)
      USING tenant, at_most;
    GET DIAGNOSTICS mended = ROW_COUNT;
    RETURN mended;
END
$$;

-- Removes so many passages of which no chunk consists, with their vectors in every space of the tenant, and
-- returns how many they were; once there are none, the vectors of which no passage stands, and how many those
-- were. Waits for every transaction that is adding chunks.
CREATE FUNCTION sweep_passages(at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
DECLARE
    tenant text := current_tenant();
    unused bytea[];
    space integer;
    removed bigint;
    loose bigint := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('verifier.live/' || tenant, 0));
    SELECT array_agg(p.input_hash) INTO unused
      FROM (SELECT q.input_hash
              FROM passage q
             WHERE q.tenant_id = tenant
               AND NOT EXISTS (SELECT
                                 FROM chunk c
                                WHERE c.tenant_id = tenant AND c.input_hash = q.input_hash)
             ORDER BY q.input_hash
             LIMIT at_most) AS p;
    IF unused IS NULL THEN
        FOR space IN SELECT s.space_id FROM embedding_space s WHERE s.tenant_id = tenant LOOP
            EXECUTE format($dml$
                DELETE FROM %I e
                 WHERE e.tenant_id = $1
                   AND NOT EXISTS (SELECT
                                     FROM passage p
                                    WHERE p.tenant_id = $1 AND p.input_hash = e.input_hash)$dml$,
                           format('embedding_%s', space))
              USING tenant;
            GET DIAGNOSTICS removed = ROW_COUNT;
            loose := loose + removed;
        END LOOP;
        RETURN loose;
    END IF;
    FOR space IN SELECT s.space_id FROM embedding_space s WHERE s.tenant_id = tenant LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant_id = $1 AND input_hash = ANY ($2)',
                       format('embedding_%s', space))
          USING tenant, unused;
    END LOOP;
    DELETE FROM passage p WHERE p.tenant_id = tenant AND p.input_hash = ANY (unused);
    RETURN cardinality(unused);
END
$$;

-- Gathers the planner's statistics of every table of the store.
CREATE FUNCTION analyze_store() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
DECLARE
    tbl regclass;
BEGIN
    PERFORM current_tenant();
    FOR tbl IN
        SELECT c.oid
          FROM pg_catalog.pg_class c
         WHERE c.relnamespace = 'verifier'::regnamespace AND c.relkind = 'r'
         ORDER BY c.oid
    LOOP
        EXECUTE format('ANALYZE %s', tbl);
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION mend_passage_search(integer), sweep_passages(integer), analyze_store() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION mend_passage_search(integer), sweep_passages(integer), analyze_store()
    TO verifier_app;
