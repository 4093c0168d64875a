"""Source, authors, editors and publisher: names in the lines around an article and in what the page declares."""
