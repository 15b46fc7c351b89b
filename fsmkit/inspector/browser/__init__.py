"""The inspector in a browser that runs Python itself, Pyodide, and the folder that holds it all."""
