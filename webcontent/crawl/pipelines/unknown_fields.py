"""Values that a pipeline sets for fields that Article and Listing do not have."""

from __future__ import annotations

import logging
from collections import deque
from typing import Any

from itemadapter import ItemAdapter
from itemadapter.adapter import DataclassAdapter

from webcontent.items import Article, Listing

logger = logging.getLogger(__name__)

_MESSAGE = "%s has no field %r. What is set there is left out; a subclass of %s with this field keeps it."
_named: set[tuple[str, str]] = set()
"""Classes and fields that were named in the log."""


class OurItemAdapter(DataclassAdapter):
    """itemadapter's for dataclasses, but that an unknown field costs a sentence in the log and not the item."""

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        return issubclass(item_class, (Article, Listing))

    def __setitem__(self, field_name: str, value: Any) -> None:
        name = type(self.item).__name__
        if field_name in self.field_names():
            super().__setitem__(field_name, value)
        elif (name, field_name) not in _named:
            _named.add((name, field_name))
            logger.error(_MESSAGE, name, field_name, name)


def leave_out_unknown_fields() -> None:
    """From now on ItemAdapter uses `OurItemAdapter` for items of ours, as itemadapter's documentation extends it."""
    if OurItemAdapter not in ItemAdapter.ADAPTER_CLASSES:
        ItemAdapter.ADAPTER_CLASSES = deque((OurItemAdapter, *ItemAdapter.ADAPTER_CLASSES))
