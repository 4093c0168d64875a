"""NGFV: the part in which a rendered page differs from others of its site; with VIPS, which finds the visual blocks of a page."""
