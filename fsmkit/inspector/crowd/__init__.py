"""A crowd on the page: its census over time, and single agents."""
