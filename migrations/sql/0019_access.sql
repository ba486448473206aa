-- Who calls a server: keys that tell when they were used, sessions of the web page, requests that are repeated.

ALTER TABLE api_key ADD COLUMN last_used_at timestamptz;

-- A signed-in browser. It ends with its time, when it is signed out, and with its key.
CREATE TABLE web_session (
    tenant_id text NOT NULL,
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    key_id bigint NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, token_hash),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
CREATE INDEX web_session_by_key ON web_session (tenant_id, key_id);
CREATE INDEX web_session_by_expiry ON web_session (tenant_id, expires_at);

-- What a request came to that its caller named, so that the same name does nothing twice. Without a status it
-- runs, at most until its deadline: one that died before may be run again. `run` tells runs of it apart.
CREATE TABLE idempotency_key (
    tenant_id text NOT NULL,
    key_id bigint NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
    run uuid NOT NULL,
    deadline timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    status smallint,
    media_type text,
    response bytea,
    PRIMARY KEY (tenant_id, key_id, name),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE,
    CHECK ((status IS NULL) = (response IS NULL) AND (status IS NULL) = (media_type IS NULL))
);
CREATE INDEX idempotency_key_by_expiry ON idempotency_key (tenant_id, expires_at);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['web_session', 'idempotency_key'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_only ON %I TO verifier_app
               USING (tenant_id = (SELECT current_tenant())
                      AND (tenant_id <> '''' OR tenant_id = current_tenant()))
               WITH CHECK (tenant_id = (SELECT current_tenant()))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, DELETE ON web_session TO verifier_app;
GRANT SELECT, INSERT, DELETE ON idempotency_key TO verifier_app;
GRANT UPDATE (request_hash, run, deadline, expires_at, status, media_type, response)
    ON idempotency_key TO verifier_app;
GRANT UPDATE (last_used_at) ON api_key TO verifier_app;

-- Who calls is asked before a tenant is known, so the two functions below read across tenants. Each returns one
-- row at most, that of exactly this hash of a random secret, and none of what expired or was revoked.
CREATE FUNCTION find_api_key(hash bytea)
    RETURNS TABLE (tenant_id text, key_id bigint, name text, scopes text[], may_supply_calls boolean,
                   may_act_for_principals boolean, expires_in_s double precision, used_lately boolean)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path = verifier, pg_temp
AS $$
    SELECT k.tenant_id, k.key_id, k.name, k.scopes, k.may_supply_calls, k.may_act_for_principals,
           extract(epoch FROM k.expires_at - statement_timestamp())::double precision,
           coalesce(k.last_used_at > statement_timestamp() - interval '1 minute', false)
      FROM api_key k
     WHERE k.key_hash = hash
       AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > statement_timestamp())
$$;

CREATE FUNCTION find_web_session(hash bytea)
    RETURNS TABLE (tenant_id text, key_id bigint, name text, scopes text[], may_supply_calls boolean,
                   may_act_for_principals boolean, expires_in_s double precision, used_lately boolean)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path = verifier, pg_temp
AS $$
    SELECT k.tenant_id, k.key_id, k.name, k.scopes, k.may_supply_calls, k.may_act_for_principals,
           extract(epoch FROM least(k.expires_at, s.expires_at) - statement_timestamp())::double precision,
           coalesce(k.last_used_at > statement_timestamp() - interval '1 minute', false)
      FROM web_session s
           JOIN api_key k USING (tenant_id, key_id)
     WHERE s.token_hash = hash
       AND s.expires_at > statement_timestamp()
       AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > statement_timestamp())
$$;

REVOKE ALL ON FUNCTION find_api_key(bytea), find_web_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(bytea), find_web_session(bytea) TO verifier_app;
