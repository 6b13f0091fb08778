"""Environments for learning, and what they show of a match."""

from meadhall.envs.render import render

__all__ = ["render"]
