"""Prepares a page that we render for its capture: it is waited for, uncovered, scrolled and unfolded."""
