"""Thin interfaces over the service: one verb, one call."""
