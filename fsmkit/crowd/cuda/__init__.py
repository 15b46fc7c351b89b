"""Running a crowd on a GPU: `Crowd(..., target="cuda")`. Needs `pip install 'fsmkit[cuda]'`."""
