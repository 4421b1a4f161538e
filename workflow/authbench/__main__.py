"""Run the command line as `python -m authbench`."""

import sys

from authbench.app.cli import main

sys.exit(main())
