"""Who wrote a page: names, bylines, and the authors found in all places that name them."""

from webcontent.fields.people.authors import find_authors
from webcontent.fields.people.names import is_name, names_of

__all__ = ["find_authors", "is_name", "names_of"]
