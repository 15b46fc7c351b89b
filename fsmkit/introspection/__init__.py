"""The one reader of machines: their parts, shapes, events and runs, and the code behind them."""
