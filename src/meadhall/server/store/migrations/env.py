"""Alembic's environment: it runs migrations on the connection that ``upgrade`` and ``downgrade`` hand over.

There is no ``target_metadata``: its naming convention would also name what the first migrations create.
"""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
