"""Benchmarks of the checkout. They are not part of the wheel. `python -m benchmarks --help` lists them."""
