"""Items in the terms of others: schema.org, zyte-common-items."""
