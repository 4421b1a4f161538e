"""`python -m authbench.cli`"""

import sys

from authbench.cli import main

sys.exit(main())
