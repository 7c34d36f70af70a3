"""Plain words become a priced order: rules, an optional chat model, and how both are measured."""
