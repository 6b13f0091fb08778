"""``python -m meadhall`` runs the command."""

import sys

from meadhall.cli import main

sys.exit(main())
