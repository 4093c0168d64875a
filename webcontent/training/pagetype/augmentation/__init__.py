"""Augmentation: variations of pages for training, and banners that are laid over them."""
