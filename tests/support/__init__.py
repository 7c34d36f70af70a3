"""What tests share: builders, fakes, a database and the whole system over loopback."""
