"""Reading quantities from text; the only place that holds number patterns."""
