"""Small games for tests of features that Axes and Allies lacks: hidden cards, options, a free undo, long logs, sealed choices."""
