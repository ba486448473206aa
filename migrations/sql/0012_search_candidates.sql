-- How many chunks a search of that scope may return, counted up to `most`: what `explain` tells.

CREATE FUNCTION count_candidates(
    most integer, filter jsonpath, source_ids bigint[], as_of timestamptz, at_basis bigint
) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
    SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_variable
DECLARE
    tenant text := current_tenant();
    moment timestamptz;
    known bigint;
    candidates bigint;
BEGIN
    SELECT r.as_of, r.at_basis INTO moment, known FROM resolve_scope(as_of, at_basis) AS r;
    IF moment IS NOT NULL THEN
        SELECT count(*) INTO candidates
          FROM (SELECT FROM past_chunks(tenant, source_ids, filter, moment, known) LIMIT most) AS c;
    ELSIF filter IS NOT NULL THEN
        SELECT count(*) INTO candidates
          FROM (SELECT FROM filtered_chunks(tenant, source_ids, filter) LIMIT most) AS c;
    ELSE
        SELECT count(*) INTO candidates
          FROM (SELECT FROM current_chunks(tenant, source_ids) LIMIT most) AS c;
    END IF;
    RETURN candidates;
END
$$;
REVOKE ALL ON FUNCTION count_candidates(integer, jsonpath, bigint[], timestamptz, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_candidates(integer, jsonpath, bigint[], timestamptz, bigint)
    TO verifier_app;

-- In a store of 100,000 chunks a reach of 100 found 95.3% of the ten nearest, one of 200 98.5%, of 600 98.8%.
-- A list-based index that somebody added looks cheap to the planner and hides rows: all of its lists are read.
DO $$
DECLARE
    search regprocedure;
BEGIN
    EXECUTE replace(
        pg_get_functiondef('create_space_search(integer)'::regprocedure),
        'SET hnsw.ef_search = 100', 'SET hnsw.ef_search = 200 SET ivfflat.probes = 32768');
    FOR search IN
        SELECT p.oid
          FROM space_definition d
          JOIN pg_proc p ON p.proname = 'search_embedding_' || d.space_id
         WHERE p.pronamespace = 'verifier'::regnamespace
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET hnsw.ef_search = 200', search);
        EXECUTE format('ALTER FUNCTION %s SET ivfflat.probes = 32768', search);
    END LOOP;
END
$$;
