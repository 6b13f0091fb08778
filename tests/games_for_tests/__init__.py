"""Small games that exist only to try the engine on what Axes and Allies lacks: hidden cards, options, a free undo, long logs."""
