"""Adapters for agent frameworks and message formats."""
