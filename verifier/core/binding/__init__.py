"""Binding the values of an answer to the facts of its turn, and what follows from it."""
