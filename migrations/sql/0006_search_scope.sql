-- One scope for every search: a filter on the metadata of sources, some sources, and both time axes.

-- Returns metadata as filters read it: {"value": metadata, "moment": {key: seconds since 1970, …}}, the latter
-- of those texts, alone or in a list, that are ISO 8601 dates or times; a date is its first moment, and where
-- there is no offset it is UTC. Its answer depends on nothing but its argument: it may be stored and indexed.
CREATE FUNCTION filterable(metadata jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT
    SET search_path = pg_catalog
    SET timezone = 'UTC'
    SET datestyle = 'ISO, YMD'
AS $$
DECLARE
    -- 2026-11-30 or 2026-11-30T09:00:00.5+01:00
    iso CONSTANT text := '^[0-9]{4}-[0-9]{2}-[0-9]{2}'
        '([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$';
    moments jsonb := '{}';
    name text;
    member text;
    moment jsonb;
BEGIN
    FOR name, member IN
        SELECT e.key, m.value #>> '{}'
          FROM jsonb_each(metadata) AS e
         CROSS JOIN LATERAL jsonb_array_elements(
                   CASE jsonb_typeof(e.value) WHEN 'array' THEN e.value ELSE jsonb_build_array(e.value) END
               ) AS m
         WHERE jsonb_typeof(m.value) = 'string' AND m.value #>> '{}' ~ iso
    LOOP
        BEGIN
            moment := to_jsonb(extract(epoch FROM member::timestamptz));
        EXCEPTION WHEN data_exception THEN
            CONTINUE;  -- the 30th of February is a text
        END;
        moments := jsonb_set(moments, ARRAY[name], coalesce(moments -> name, '[]') || moment);
    END LOOP;
    RETURN jsonb_build_object('value', metadata, 'moment', moments);
END
$$;
REVOKE ALL ON FUNCTION filterable(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION filterable(jsonb) TO verifier_app;

ALTER TABLE source
    ADD COLUMN filterable jsonb NOT NULL GENERATED ALWAYS AS (filterable(metadata)) STORED;
CREATE INDEX source_by_metadata ON source USING gin (filterable jsonb_path_ops);

-- The chunks that a search of any kind may return, in three forms so that each is planned for itself:
-- of now, of now where a filter is given, and of another moment or state of knowledge. Permission and metadata
-- are those of now in each. Null `source_ids` or `filter` restrict nothing. Without SET, and not SECURITY
-- DEFINER, so that the planner sees through them: the functions that search call them with their own tenant.
CREATE FUNCTION current_chunks(tenant text, source_ids bigint[])
    RETURNS TABLE (source_id bigint, version_id bigint, ordinal integer, input_hash bytea)
    LANGUAGE sql STABLE
AS $$
    SELECT c.source_id, c.version_id, c.ordinal, c.input_hash
      FROM current_chunk c
     WHERE c.tenant_id = tenant
       AND c.permission = 'approved'
       AND (source_ids IS NULL OR c.source_id = ANY (source_ids))
$$;

CREATE FUNCTION filtered_chunks(tenant text, source_ids bigint[], filter jsonpath)
    RETURNS TABLE (source_id bigint, version_id bigint, ordinal integer, input_hash bytea)
    LANGUAGE sql STABLE
AS $$
    SELECT c.source_id, c.version_id, c.ordinal, c.input_hash
      FROM source s
      JOIN current_chunk c ON c.tenant_id = tenant AND c.source_id = s.source_id
     WHERE s.tenant_id = tenant
       AND s.filterable @@ filter
       AND (source_ids IS NULL OR s.source_id = ANY (source_ids))
       AND c.permission = 'approved'
$$;

CREATE FUNCTION past_chunks(
    tenant text, source_ids bigint[], filter jsonpath, as_of timestamptz, at_basis bigint
)
    RETURNS TABLE (source_id bigint, version_id bigint, ordinal integer, input_hash bytea)
    LANGUAGE sql STABLE
AS $$
    SELECT p.source_id, p.version_id, c.ordinal, c.input_hash
      FROM publication p
      JOIN source s ON s.tenant_id = tenant AND s.source_id = p.source_id
      JOIN chunk c ON c.tenant_id = tenant AND c.version_id = p.version_id
     WHERE p.tenant_id = tenant
       AND p.valid_from <= as_of
       AND (p.valid_to IS NULL OR p.valid_to > as_of)
       AND p.basis_from <= at_basis
       AND (p.basis_to IS NULL OR p.basis_to > at_basis)
       AND (source_ids IS NULL OR p.source_id = ANY (source_ids))
       AND s.permission = 'approved'
       AND (filter IS NULL OR s.filterable @@ filter)
$$;
REVOKE ALL ON FUNCTION current_chunks(text, bigint[]), filtered_chunks(text, bigint[], jsonpath),
    past_chunks(text, bigint[], jsonpath, timestamptz, bigint) FROM PUBLIC;

-- Returns the moment and the basis at which `past_chunks` must look, nulls where the current chunks will do:
-- they will not where what is valid has changed with time alone since the last publishing transaction.
CREATE FUNCTION resolve_scope(INOUT as_of timestamptz, INOUT at_basis bigint)
    LANGUAGE plpgsql STABLE
AS $$
DECLARE
    known bigint;
    due boolean;
BEGIN
    SELECT t.basis, t.next_validity <= now()
      INTO known, due
      FROM tenant t
     WHERE t.tenant_id = current_tenant();
    IF as_of IS NOT NULL OR at_basis IS NOT NULL OR due THEN
        as_of := coalesce(as_of, now());
        at_basis := coalesce(at_basis, known);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION resolve_scope(timestamptz, bigint) FROM PUBLIC;

CREATE TYPE found_chunk AS (
    source_id bigint, version_id bigint, ordinal integer, distance float8, plan text
);

-- Makes search_embedding_N(query, k, filter, source_ids, as_of, at_basis, exact_limit).
DROP FUNCTION create_space_search(integer);
CREATE FUNCTION create_space_search(space integer) RETURNS void
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
                PERFORM set_config('enable_sort', 'off', true);
                SELECT array_agg(ROW (n.source_id, n.version_id, n.ordinal, n.distance, 'ann')::found_chunk
                                 ORDER BY n.distance, n.source_id, n.ordinal)
                  INTO near
                  FROM (SELECT c.source_id, c.version_id, c.ordinal, e.vec <=> query AS distance
                          FROM %2$I e
                          JOIN %1$s c ON c.input_hash = e.input_hash
                         WHERE e.tenant_id = tenant%3$s
                         ORDER BY %4$s <=> query
                         FETCH FIRST (k) ROWS WITH TIES) AS n;
                PERFORM set_config('enable_sort', 'on', true);
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
        CREATE FUNCTION %1$I(
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
            SET hnsw.ef_search = 100
            SET hnsw.iterative_scan = strict_order
        AS $search$
        #variable_conflict use_variable
        DECLARE
            tenant text := current_tenant();
            moment timestamptz;
            known bigint;
            candidates bigint;
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
REVOKE ALL ON FUNCTION create_space_search(integer) FROM PUBLIC;

DO $$
DECLARE
    space integer;
BEGIN
    -- Loads the extension: before that, its settings may not be set by just any owner.
    PERFORM '[1]'::halfvec <=> '[1]'::halfvec;
    FOR space IN SELECT d.space_id FROM space_definition d LOOP
        EXECUTE format('DROP FUNCTION %I(halfvec, integer, jsonb, integer)', 'search_embedding_' || space);
        PERFORM create_space_search(space);
    END LOOP;
END
$$;
