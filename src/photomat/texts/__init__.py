"""Every sentence a customer reads, in Russian and English, and nothing else."""
