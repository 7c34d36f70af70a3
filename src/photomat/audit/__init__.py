"""What must always be true, asked of the database itself: in production, in the console, and after every test."""
