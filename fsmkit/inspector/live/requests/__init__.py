"""Carries out the requests of pages: a class for each topic, a public method for each request."""
