"""The menu, search, languages, links, and whatever no other feature understands."""
