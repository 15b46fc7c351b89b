"""What the requests of pages do: a class for each topic, a public method for each request."""
