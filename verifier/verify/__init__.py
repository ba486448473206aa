"""From an answer to a grounding report, tier by tier."""
