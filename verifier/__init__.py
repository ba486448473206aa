"""A database-backed verifier with a retrieval store."""
