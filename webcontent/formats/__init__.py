"""Items in other formats: JSON-LD (schema.org), zyte-common-items."""
