"""What a tape recorded, a picture of it, why a gradient is missing, and whether one is right.

For any TensorFlow program. Importing this package is quick: each name is loaded when it is first
used, and TensorFlow with it. Nothing else happens then.
"""

from pathlib import Path

import lazy_loader as _lazy

# The names are in __init__.pyi, which type checkers and editors also read.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)

# Lines of code in these folders and files are never named as the user's. A package that runs the
# user's code adds its own.
tool_folders = {str(Path(__file__).absolute().parent)}
