from perm import *
from perm import __version__ as __version__
# SPDX-License-Identifier: MIT
