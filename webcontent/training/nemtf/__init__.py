"""Training of NEMTF: networks over the lines of a page that find title, time, source, body and related articles."""
