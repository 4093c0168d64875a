"""The trainers of all models: `python -m webcontent.training.<name>`."""

from importlib.util import find_spec

NEEDED = ("lightgbm", "onnx", "rapidfuzz", "sklearn", "torch")
"""What the extra `train` installs."""

# Python reports an error of that name in one line, not with a traceback, if a trainer is run with -m.
if missing := [name for name in NEEDED if find_spec(name) is None]:
    raise ModuleNotFoundError(f'training needs {", ".join(missing)}: pip install "webcontent[train]"', name=__name__)
