"""What `scripts/cases` is made of: reading cases, judging them through the public interface, counting."""
