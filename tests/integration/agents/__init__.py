"""Agents of each framework with a model of a script, and what becomes of their answers."""
