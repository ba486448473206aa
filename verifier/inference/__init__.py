"""Models: the only importers of torch, sentence_transformers and onnxruntime."""
