"""Training of the ranker of titles: gradient-boosted trees over the candidates of a page's title."""
