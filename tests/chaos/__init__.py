"""Faults on purpose: a hall under load, while it is killed, its bots die, and its database can't be written.

    PYTHONPATH=tests .venv/bin/python -m chaos --faults 100

The test suite runs a short version (tests/processes/test_chaos.py).
"""
