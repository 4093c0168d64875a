"""Items as GitHub-flavoured Markdown: the whole item (`documents`) and the conversion of cleaned HTML (`conversion`)."""
