"""Where a lesson's questions are, and what `course build` made of them.

A checkout has both in folders at its top. A release, a wheel and what runs learners' code carry
copies of them in one folder of this package.
"""

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from gradient_tools import tool_folders

from .callouts import Variant

__all__ = [
    "COPIES",
    "GENERATED",
    "generated_folder",
    "load",
    "questions",
    "questions_path",
    "variants",
]

GENERATED = "generated"  # the folder in a checkout
# The copies: lesson_NN.py and variants_NN.py, and all that is in the folder above.
COPIES = Path("course_utils", "exercises", "generated")
_ROOT = Path(__file__).parents[2]


def generated_folder(root: Path = _ROOT) -> Path:
    """Return the folder of what `course build` wrote: a checkout's, or that of the copies."""
    in_checkout = root / GENERATED
    return in_checkout if (in_checkout / "lessons.json").is_file() else root / COPIES


def questions_path(number: str) -> Path:
    """Return the file with the questions of the lesson with this two-digit number."""
    in_checkout = _ROOT.glob(f"lessons/{number}_*/exercises.py")
    return next(in_checkout, _ROOT / COPIES / f"lesson_{number}.py")


@cache
def questions(number: str) -> ModuleType:
    """Return the module with the questions of the lesson with this two-digit number."""
    path = questions_path(number)
    tool_folders.add(str(path))  # no line of a question is a line of the learner's
    return load(path, f"{__package__}.generated.lesson_{number}")


@cache
def variants(number: str) -> tuple[Variant, ...]:
    """Return the lesson's predictions with other numbers, for when they come back."""
    copy = _ROOT / COPIES / f"variants_{number}.py"
    path = next(_ROOT.glob(f"lessons/{number}_*/variants.py"), copy)
    return load(path).VARIANTS if path.exists() else ()


def load(path: Path, name: str = "") -> ModuleType:
    """Run a module and return it; without a name it gets that of its folder and file."""
    name = name or f"{path.parent.name}.{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python module")
    module = module_from_spec(spec)
    sys.modules[name] = module  # where AutoGraph looks for the module of a lambda
    spec.loader.exec_module(module)
    return module
