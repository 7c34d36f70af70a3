"""Payment providers behind one small port: what was asked, what they report, what goes back."""
