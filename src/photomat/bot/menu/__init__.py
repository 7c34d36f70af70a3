"""The menu, search, languages, links, and the fallback for updates no other feature handles."""
