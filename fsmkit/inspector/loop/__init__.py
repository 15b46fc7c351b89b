"""The side of the game loop: reads machines between their updates and answers the pages."""
