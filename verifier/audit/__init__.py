"""What is stale, superseded, conflicting, and which answers rest on it."""
