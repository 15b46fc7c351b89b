"""The inspector in a browser that runs Python itself, by Pyodide, and the folder of its files."""
