"""The tests of bench/analysis have a Python environment of their own: ./dev test runs them in it, by the name of their folder."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("scipy") else ["analysis"]
