"""The experiments of papers whose systems are extractors here: they train nothing that ships."""
