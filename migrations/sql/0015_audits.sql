-- Audits count answers by what they cite and when they were given, from one index alone.

-- When the report was made, as `report` has it: an audit of a year needs no look at whole reports.
ALTER TABLE report_citation ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp();
UPDATE report_citation c
   SET created_at = r.created_at
  FROM report r
 WHERE r.tenant_id = c.tenant_id AND r.report_id = c.report_id;

-- In this order, equal reports are neighbours: they are counted without sorting, the newest found at once.
-- The spans stand in it too, so that no citation itself is read for counting.
DROP INDEX report_citation_by_version;
CREATE INDEX report_citation_by_version
    ON report_citation (tenant_id, source_id, version_id, created_at, report_id)
    INCLUDE (start_at, end_at);

DROP INDEX report_by_time;
CREATE INDEX report_by_time ON report (tenant_id, created_at, report_id);
-- Answers whose every claim was accepted: those of them are sought that rest on nothing stored.
CREATE INDEX report_proved ON report (tenant_id, report_id) WHERE accepted AND outcome = 'accepted';

CREATE INDEX conflict_by_other
    ON conflict (tenant_id, other_source_id) WHERE other_source_id IS NOT NULL AND state <> 'resolved';
