-- What each new chunk pays for and no search reads: metadata beside current chunks, which filters read at the
-- source, with its index; and the reference of each vector to its tenant, which its passage has.

ALTER TABLE current_chunk DROP COLUMN metadata;

DO $$
DECLARE
    erasing text := pg_get_functiondef(
        'erase_versions(bigint, bigint[], bytea[], text, text, boolean)'::regprocedure);
    labels CONSTANT text := '        UPDATE current_chunk c SET metadata = ''{}'''
        ' WHERE c.tenant_id = tenant AND c.source_id = source;' || chr(10);
    making text := pg_get_functiondef('create_space_table(integer, integer)'::regprocedure);
    referring CONSTANT text := 'tenant_id text NOT NULL REFERENCES tenant,';
    reference record;
BEGIN
    ASSERT strpos(erasing, labels) > 0 AND strpos(making, referring) > 0;
    EXECUTE replace(erasing, labels, '');
    EXECUTE replace(making, referring, 'tenant_id text NOT NULL,');
    FOR reference IN
        SELECT c.conrelid::regclass AS tbl, c.conname AS name
          FROM space_definition d
          JOIN pg_constraint c ON c.conrelid = to_regclass(format('verifier.embedding_%s', d.space_id))
         WHERE c.contype = 'f'
           AND c.confrelid = 'verifier.tenant'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', reference.tbl, reference.name);
    END LOOP;
END
$$;
