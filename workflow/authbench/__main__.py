"""Run the command line as `python -m authbench`."""

import sys

from authbench.cli import main

sys.exit(main())
