"""``python -m meadhall.cli`` runs the command."""

import sys

from meadhall.cli import main

sys.exit(main())
