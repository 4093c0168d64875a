"""Training of the rankers of source and authors: a regression over words, and boosted trees over features and its score."""
