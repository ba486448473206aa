-- Turns that run while their answer is written: what tool calls and searches gave, as it comes in.

-- `turn` and `event` are ASCII text of JSON, so that numbers stay as written and any character has a form.
-- `key_id` is the key that began it, null for the application itself. `vouched` is false once somebody who
-- may not supply evidence told a part of it. The counters bound what one turn may hold.
CREATE TABLE served_turn (
    tenant_id text NOT NULL,
    turn_id text NOT NULL CHECK (length(turn_id) >= 32),
    key_id bigint,
    vouched boolean NOT NULL,
    turn text NOT NULL,
    events integer NOT NULL DEFAULT 0 CHECK (events >= 0),
    calls integer NOT NULL DEFAULT 0 CHECK (calls BETWEEN 0 AND events),
    size bigint NOT NULL CHECK (size >= 0),
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, turn_id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key,
    CHECK (expires_at > begun_at)
);
CREATE INDEX served_turn_by_expiry ON served_turn (tenant_id, expires_at);

-- Append-only: a position once, in the order in which they were committed.
CREATE TABLE served_turn_event (
    tenant_id text NOT NULL,
    turn_id text NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    kind text NOT NULL CHECK (kind IN ('call', 'search')),
    event text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, turn_id, position),
    FOREIGN KEY (tenant_id, turn_id) REFERENCES served_turn ON DELETE CASCADE
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['served_turn', 'served_turn_event'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_only ON %I TO verifier_app
               USING (tenant_id = (SELECT current_tenant())
                      AND (tenant_id <> '''' OR tenant_id = current_tenant()))
               WITH CHECK (tenant_id = (SELECT current_tenant()))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT ON served_turn, served_turn_event TO verifier_app;
GRANT UPDATE (vouched, events, calls, size) ON served_turn TO verifier_app;

-- Removes turns that have expired, at most so many, with their events; returns how many.
CREATE FUNCTION sweep_served_turns(at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, pg_temp
AS $$
DECLARE
    tenant text := current_tenant();
    swept integer;
BEGIN
    DELETE FROM served_turn
     WHERE tenant_id = tenant
       AND turn_id IN (SELECT turn_id
                         FROM served_turn
                        WHERE tenant_id = tenant AND expires_at <= clock_timestamp()
                        ORDER BY expires_at
                        LIMIT at_most
                          FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS swept = ROW_COUNT;
    RETURN swept;
END
$$;
REVOKE ALL ON FUNCTION sweep_served_turns(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sweep_served_turns(integer) TO verifier_app;
