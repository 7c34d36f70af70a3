"""The pages of the console, one module a topic; `console/app.py` collects their PAGES and ACTIONS."""
