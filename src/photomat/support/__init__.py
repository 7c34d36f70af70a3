"""Support: tickets that carry a job, one thread for customer and operator."""
