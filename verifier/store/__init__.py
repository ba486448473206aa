"""The versioned store: the only place that holds SQL."""
