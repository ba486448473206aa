-- How far a search reaches into the index. Of 100,000 chunks with one in ten in scope, asking the index for ten in
-- strict order found 96% of the ten nearest: it drops what it comes upon late, and stops at the tenth.
-- So it is asked once, for four times as many. Where it does not find them among the nearest 200 (four times k, of
-- a large k), few of its vectors are in scope, as by a filter or as other tenants' lie between: then it is asked
-- again, so much farther that it should meet six times as many, and goes on until it has found four times.
CREATE FUNCTION index_reach(k integer, found integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN least(1000, CASE WHEN found IS NULL THEN greatest(200, 4 * k::bigint)
                            ELSE greatest(200, 4 * k::bigint) * 6 * k / greatest(found, 1) END)::integer;
REVOKE ALL ON FUNCTION index_reach(integer, integer) FROM PUBLIC;

-- Makes search_embedding_N(query, k, filter, source_ids, as_of, at_basis, exact_limit).
CREATE OR REPLACE FUNCTION create_space_search(space integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path = verifier, public, extensions, pg_temp
AS $create$
DECLARE
    tbl text := format('embedding_%s', space);
    fn text := format('search_embedding_%s', space);
    dimension text := (SELECT d.dimension FROM space_definition d WHERE d.space_id = space);
    -- Up to exact_limit candidates every vector is compared; beyond, the index is asked first, with ties, so
    -- that which of several equal passages is returned never depends on it. Without sorting the planner can't
    -- but follow the index. Where that falls short of k, every vector is compared after all; the sum keeps the
    -- planner from ordering by the index.
    branch CONSTANT text := $branch$
            SELECT count(*) INTO candidates FROM (SELECT FROM %1$s LIMIT exact_limit + 1) AS probe;
            IF candidates > exact_limit THEN
                FOREACH scan IN ARRAY '{off,relaxed_order}'::text[] LOOP
                    PERFORM set_config('hnsw.iterative_scan', scan, true),
                            set_config('hnsw.ef_search', index_reach(k, cardinality(near))::text, true),
                            set_config('enable_sort', 'off', true);
                    SELECT coalesce(
                               array_agg(ROW (n.source_id, n.version_id, n.ordinal, n.distance, 'ann')::found_chunk
                                         ORDER BY n.distance, n.source_id, n.ordinal),
                               '{}')
                      INTO near
                      FROM (SELECT c.source_id, c.version_id, c.ordinal, e.vec <=> query AS distance
                              FROM %2$I e
                              JOIN %1$s c ON c.input_hash = e.input_hash
                             WHERE e.tenant_id = tenant%3$s
                             ORDER BY %4$s <=> query
                             FETCH FIRST (4 * k::bigint) ROWS WITH TIES) AS n;
                    PERFORM set_config('enable_sort', 'on', true);
                    EXIT WHEN cardinality(near) >= 4 * k::bigint;
                END LOOP;
                IF cardinality(near) >= k THEN
                    RETURN QUERY SELECT n.* FROM unnest(near[:k]) AS n;
                    RETURN;
                END IF;
            END IF;
            RETURN QUERY
            SELECT c.source_id, c.version_id, c.ordinal, (e.vec <=> query) + 0, 'exact'
              FROM %1$s c
              JOIN %2$I e ON e.tenant_id = tenant AND e.input_hash = c.input_hash
             ORDER BY 4, 1, 3
             LIMIT k;$branch$;
    present text := format(branch, 'current_chunks(tenant, source_ids)', tbl, ' AND e.live', 'e.vec');
    filtered text := format(
        branch, 'filtered_chunks(tenant, source_ids, filter)', tbl, ' AND e.live', 'e.vec');
    past text := format(
        branch, 'past_chunks(tenant, source_ids, filter, moment, known)', tbl, '',
        format('(l2_normalize(e.vec)::halfvec(%s))', dimension));
BEGIN
    -- Reads the tenant from the setting and nowhere else; the filter is data, never text of a statement.
    EXECUTE format($ddl$
        CREATE OR REPLACE FUNCTION %1$I(
            query halfvec, k integer, filter jsonpath, source_ids bigint[], as_of timestamptz,
            at_basis bigint, exact_limit integer DEFAULT 3000
        )
            RETURNS SETOF found_chunk
            LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
            SET search_path = verifier, public, extensions, pg_temp
            SET plan_cache_mode = force_custom_plan
            SET jit = off
            SET max_parallel_workers_per_gather = 0
            SET enable_sort = on
            SET hnsw.ef_search = 200
            SET hnsw.iterative_scan = off
            SET ivfflat.probes = 32768
        AS $search$
        #variable_conflict use_variable
        DECLARE
            tenant text := current_tenant();
            moment timestamptz;
            known bigint;
            candidates bigint;
            scan text;
            near found_chunk[];
        BEGIN
            SELECT r.as_of, r.at_basis INTO moment, known FROM resolve_scope(as_of, at_basis) AS r;
            IF moment IS NOT NULL THEN%2$s
            ELSIF filter IS NOT NULL THEN%3$s
            ELSE%4$s
            END IF;
        END
        $search$$ddl$, fn, past, filtered, present);
    EXECUTE format('REVOKE ALL ON FUNCTION %I FROM PUBLIC', fn);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %I TO verifier_app', fn);
END
$create$;

DO $$
BEGIN
    -- Loads the extension: before that, its settings may not be set by just any owner.
    PERFORM '[1]'::halfvec <=> '[1]'::halfvec;
    PERFORM create_space_search(d.space_id) FROM space_definition d;
END
$$;
