"""I-AWCE: articles by the standard deviation of text lengths, lists by ranking elements of one class."""
