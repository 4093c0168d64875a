"""Training of the model that applies site history: by how much the earlier pages of a host change the log-odds of a block."""
