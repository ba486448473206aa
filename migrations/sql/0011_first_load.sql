-- A first load fills the table of a space before its indexes stand: each row that goes into a standing HNSW index
-- costs a millisecond, the build at the end a quarter of one.

-- Takes the indexes of a space away where nobody has a vector in it, of whatever tenant, and returns whether it
-- did. Until they are made again (index_embedding_space), searches read the table as it is: right, and slower.
CREATE FUNCTION suspend_space_indexes(space integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
    SET lock_timeout = '3s'
AS $$
DECLARE
    tbl text := format('embedding_%s', space);
    filled boolean;
BEGIN
    PERFORM FROM embedding_space s WHERE s.tenant_id = current_tenant() AND s.space_id = space;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', tbl) INTO filled;
    IF filled THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', tbl);
    -- Whoever was writing has ended by now.
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', tbl) INTO filled;
    IF filled THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP INDEX IF EXISTS %I, %I', tbl || '_live', tbl || '_all');
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$;

REVOKE ALL ON FUNCTION suspend_space_indexes(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION suspend_space_indexes(integer) TO verifier_app;
