"""Training of the default extractor `fusion`: two stages of gradient-boosted trees over blocks, and two models of whole pages."""
