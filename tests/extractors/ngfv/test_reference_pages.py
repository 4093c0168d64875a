"""What is kept of the pages of a site."""

from __future__ import annotations

from tests.extractors.ngfv.test_positions import OTHER, page, tree_of
from webcontent.extractors.ngfv.reference_pages import SitePages, Sites

URL = "https://example.org"


def test_reference_pages_are_those_before_a_page():
    """The first page has none. At most three are kept."""
    pages = SitePages()
    trees = [tree_of(page(number), url=f"{URL}/{number}") for number in range(5)]
    assert pages.add(trees[0]) == ()
    assert pages.add(trees[1]) == (trees[0],)
    for tree in trees[2:]:
        pages.add(tree)
    assert pages.add(tree_of(page(9))) == tuple(trees[2:])


def test_designs_are_kept_apart():
    """A page of another design and a copy of the page are no reference pages and replace none."""
    pages = SitePages()
    pages.add(tree_of(page(1)))
    assert pages.add(tree_of(OTHER)) == ()
    assert pages.add(tree_of(page(1), url=f"{URL}/print")) == ()
    assert len(pages.designs) == 2
    assert len(pages.add(tree_of(page(2)))) == 1


def test_a_new_design_of_a_known_site_is_learned():
    """None of the old noise is on the page."""
    pages = SitePages()
    for number in range(8):
        pages.add(tree_of(page(number)))
    new = [page(number).replace("<div class=top>", "<table><tr><td>A new look</td></tr></table><div hidden>").replace("Imprint", "About").replace("Contact", "Write to") for number in range(30, 33)]  # fmt: skip
    new = [html.replace("Most read", "Trending").replace("One other", "Some").replace("And another", "Yet one") for html in new]
    pages.add(tree_of(new[0]))
    assert any("table" in path for tree in pages.add(tree_of(new[1])) for path in tree.xpaths)


def test_the_number_of_sites_is_bounded():
    """The sites that were used last are kept, as many as their trees allow."""
    sites, tree = Sites(), tree_of(page(0))
    for number in (*range(300), 0, 300):
        sites.find(f"example{number}.org", "article").add(tree)
    assert [site for site, _ in sites.pages] == [f"example{number}.org" for number in (*range(2, 300), 0, 300)]
