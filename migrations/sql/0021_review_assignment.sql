-- Who is to look at an entry of the review queue. It says nothing of what was decided, and changes no state.
ALTER TABLE review
    ADD COLUMN assigned_to text CHECK (assigned_to <> ''),
    ADD COLUMN assigned_by text CHECK (assigned_by <> ''),
    ADD COLUMN assigned_at timestamptz,
    ADD CHECK (num_nonnulls(assigned_to, assigned_by, assigned_at) IN (0, 3));
CREATE INDEX review_assigned
    ON review (tenant_id, assigned_to, state) WHERE assigned_to IS NOT NULL;

GRANT UPDATE (assigned_to, assigned_by, assigned_at) ON review TO verifier_app;
