"""perm.py beside this file by a name that no other package has: `import perm_exact` is the module perm.

Where `import perm` finds another package, perm.py is loaded as perm_exact alone. (The wheel has it the other way round:
there perm_exact is the package.)"""
import importlib.util
import os
import sys

_file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perm.py")


def _ours():
    """The module perm, if it is the one beside this file."""
    try:
        found = importlib.util.find_spec("perm")
    except ValueError:
        return None
    if found is None or not found.origin or os.path.abspath(found.origin) != _file:
        return None
    import perm
    return perm


def _alone():
    specification = importlib.util.spec_from_file_location("perm_exact", _file)
    module = sys.modules["perm_exact"] = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


sys.modules["perm_exact"] = _ours() or _alone()
# SPDX-License-Identifier: MIT
