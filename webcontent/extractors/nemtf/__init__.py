"""NEMTF: title, time, source, body and related articles by a network over the lines of a page."""
