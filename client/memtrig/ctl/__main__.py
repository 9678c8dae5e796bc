"""``python -m memtrig.ctl`` is memtrigctl."""

import sys

from memtrig.ctl import main

sys.exit(main())
