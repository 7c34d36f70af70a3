"""Pages in a real Chromium, driven as a person would."""
