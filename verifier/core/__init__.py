"""The pure engine: everything here is a function of its arguments."""
