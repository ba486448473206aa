-- Run before every upgrade, as the login that migrates; changes nothing where all of it stands.
-- Roles belong to the whole server, so another database may be making them at this moment.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['verifier_owner', 'verifier_app', 'verifier_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
        IF NOT pg_catalog.pg_has_role(name, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', name);
        END IF;
    END LOOP;
    SELECT rolname INTO name
      FROM pg_catalog.pg_roles
     WHERE rolname IN ('verifier_owner', 'verifier_app', 'verifier_reader')
       AND (rolsuper OR rolbypassrls)
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'role % evades row-level security', name
            USING ERRCODE = 'invalid_grant_operation',
                  HINT = format('ALTER ROLE %I NOSUPERUSER NOBYPASSRLS', name);
    END IF;
END
$$;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'vector') THEN
        CREATE EXTENSION vector SCHEMA public;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'verifier') THEN
        CREATE SCHEMA verifier AUTHORIZATION verifier_owner;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'sample') THEN
        CREATE SCHEMA sample AUTHORIZATION verifier_owner;
    END IF;
END
$$;

-- Rows are copied into temporary tables first. Databases made for several customers often keep that right
-- from PUBLIC; a login that may not give it leaves it to the database's owner.
DO $$
BEGIN
    IF NOT pg_catalog.has_database_privilege(
        'verifier_app', pg_catalog.current_database(), 'TEMPORARY') THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO verifier_app', pg_catalog.current_database());
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    NULL;
END
$$;
