"""BP network: lines of text by twelve features of three neighbouring lines."""
