"""Measuring the store against langchain-postgres and LlamaIndex's PGVectorStore on one server."""
