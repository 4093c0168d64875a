"""Sixty pages in the manner of the usual generators, each with what its Markdown must and must not hold."""
