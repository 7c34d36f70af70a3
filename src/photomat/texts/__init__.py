"""Every text a customer reads, in Russian and English."""
