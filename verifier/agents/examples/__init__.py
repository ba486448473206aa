"""An example each of an agent whose final answers are verified."""
