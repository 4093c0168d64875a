"""Training of the page type models: article or list, by screenshots, layouts, boxes and markup, and the combination of these."""
