"""The sample data of `verifier demo`: a small shop, a booking policy in two versions, a handbook."""
