"""perm.py beside this file by a name that no other package has: `import perm_exact` is the module perm, or where that
is another package perm.py alone. (In the wheel perm_exact is the package, and perm its other name.)"""
import importlib.util
import os
import sys

_file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perm.py")
try:
    _found = getattr(importlib.util.find_spec("perm"), "origin", None)
except ValueError:
    _found = None
if _found and os.path.abspath(_found) == _file:
    import perm as _module
else:
    _specification = importlib.util.spec_from_file_location("perm_exact", _file)
    _module = sys.modules["perm_exact"] = importlib.util.module_from_spec(_specification)
    _specification.loader.exec_module(_module)
sys.modules["perm_exact"] = _module
# SPDX-License-Identifier: MIT
