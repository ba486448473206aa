-- Where a chunk stands in a table: which of the text's tables, and from which of its rows to which.

ALTER TABLE chunk
    ADD COLUMN table_number integer CHECK (table_number > 0),
    ADD COLUMN first_row integer CHECK (first_row > 0),
    ADD COLUMN last_row integer CHECK (last_row >= first_row),
    ADD CHECK ((table_number IS NULL) = (first_row IS NULL)
               AND (table_number IS NULL) = (last_row IS NULL));
