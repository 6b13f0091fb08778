"""What `tools/learn_dungeon_allies` has learned from matches of greedy players. Written by it."""

import numpy as np

LEFT = np.array([1.0, 4.0, 8.0, 12.0, 17.0])
"""Turns that are left; between these all that follows is interpolated."""

# fmt: off
VALUES = np.array([
    [ 1.00,  1.00,  1.00,  1.00,  1.00],  # points
    [ 1.00,  1.28,  1.12,  1.02,  0.60],  # what cards will score
    [ 0.21,  0.00,  0.00,  0.28,  3.32],  # cards for crystals
    [ 0.00,  0.02,  0.01,  0.00,  0.17],  # red crystals
    [ 0.01,  0.09,  0.43,  0.90,  1.27],  # blue crystals
    [ 0.05,  0.16,  0.08,  0.78,  0.69],  # yellow crystals
    [ 0.00,  0.17,  0.00,  0.03,  0.08],  # green crystals
    [ 0.00,  0.00,  0.00,  0.00,  0.32],  # white crystals
    [ 0.03,  0.74,  0.64,  0.95,  0.27],  # the first red one
    [ 0.89,  2.09,  1.43,  0.58,  1.55],  # the first blue one
    [ 0.86,  1.11,  1.21,  0.53,  0.00],  # the first yellow one
    [ 1.05,  2.19,  2.63,  1.67,  0.00],  # the first green one
    [ 1.41,  1.98,  2.60,  2.03,  1.52],  # the first white one
    [ 0.31,  2.12,  3.31,  5.14,  3.83],  # a d4
    [ 0.46,  2.43,  4.48,  5.50,  8.72],  # a d6
    [ 0.62,  2.91,  5.93,  7.11, 13.09],  # a d8
    [ 0.74,  4.04,  8.08,  9.77, 15.35],  # a d10
    [ 0.62,  4.25,  7.60, 10.19, 17.13],  # a d12
    [ 0.05,  0.41,  0.50,  1.04,  0.44],  # sides that count double
    [ 0.37,  0.38,  0.38,  0.36,  3.59],  # places in the turn order
    [ 0.00,  0.25,  0.07,  0.19,  0.11],  # tiles seen
    [ 0.97,  0.02,  0.00,  0.00,  0.00],  # the price of a card
    [ 0.13,  0.68,  0.84,  1.17,  0.64],  # tiles for cards to be bought
])
"""What a thing is worth, in points at the end."""

SHARPNESS = np.array([
    [0.580, 0.291, 0.225, 0.165, 0.154],
    [0.715, 0.341, 0.234, 0.183, 0.330],
    [0.591, 0.312, 0.259, 0.212, 0.202],
    [0.664, 0.347, 0.305, 0.344, 0.202],
])
"""[players - 2]: by how much a lead of one point raises the logarithm of the odds."""
# fmt: on
