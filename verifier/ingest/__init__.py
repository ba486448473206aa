"""From files to published document versions."""
