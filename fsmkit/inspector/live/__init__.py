"""The game loop's side: reads machines between their updates and answers the pages."""
