"""Training of Web2Text: two convolutional networks over the text nodes of a page."""
