"""``python -m meadhall.cli``: the command, where it is not on the path."""

import sys

from meadhall.cli import main

sys.exit(main())
