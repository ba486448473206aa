-- A small shop's canonical tables, for the demonstration and the tests. The store never writes here.
CREATE TABLE sample.product (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    price numeric(12, 2) NOT NULL CHECK (price >= 0),
    currency text NOT NULL,
    stock integer NOT NULL CHECK (stock >= 0),
    deleted_at timestamptz
);

CREATE TABLE sample.customer (
    id text PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL
);

CREATE TABLE sample.orders (
    id uuid PRIMARY KEY,
    customer_id text NOT NULL REFERENCES sample.customer,
    status text NOT NULL CHECK (status IN ('placed', 'paid', 'shipped', 'delivered', 'cancelled')),
    total numeric(12, 2) NOT NULL,
    currency text NOT NULL,
    tracking_number text,
    placed_at timestamptz NOT NULL
);

GRANT USAGE ON SCHEMA sample TO verifier_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA sample TO verifier_reader;
