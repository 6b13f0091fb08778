"""Faults on purpose: a hall of several processes under load, while processes, PostgreSQL and connections fail.

    PYTHONPATH=tests .venv/bin/python -m chaos --faults 100

The test suite runs a short version (tests/server/test_chaos.py).
"""
