"""The command ``meadhall``."""

from meadhall.cli.app import main

__all__ = ["main"]
