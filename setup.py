"""What a wheel carries beside the packages: files of the checkout, and the README.

An editable install reads the files where they stand.
"""

import os
import re
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
CARRIED = {
    path: place.format(path)
    for pattern, place in {
        "lessons/*/exercises.py": "course_utils/exercises/generated/lesson_{0.parent.name:.2}.py",
        "lessons/*/variants.py": "course_utils/exercises/generated/variants_{0.parent.name:.2}.py",
        "generated/*": "course_utils/exercises/generated/{0.name}",
        "notebooks/*.ipynb": "course_utils/workspace/given/notebooks/{0.name}",
    }.items()
    for path in (found.relative_to(ROOT) for found in sorted(ROOT.glob(pattern)))
}


class BuildWithLessons(build_py):
    """The build of the packages, with the questions of the lessons and the notebooks."""

    def run(self):
        """Build, and carry the files along."""
        super().run()
        for target, source in self._targets().items():
            self.mkpath(str(Path(target).parent))
            self.copy_file(source, target, preserve_mode=False)

    def get_outputs(self, include_bytecode=True):
        """Return what is built, with what is carried."""
        return [*super().get_outputs(include_bytecode), *self._targets()]

    def get_source_files(self):
        """Return what a source distribution holds."""
        return [*super().get_source_files(), *map(str, CARRIED)]

    def _targets(self):
        if self.editable_mode:
            return {}
        return {str(Path(self.build_lib, place)): str(path) for path, place in CARRIED.items()}


def readme_elsewhere(text: str, repository: str) -> str:
    """Return the README as it is shown outside the repository, where its addresses lead nowhere.

    Pictures and links get the address of the repository; without one they become their words.
    """
    text = re.sub(r"</?picture>\n?|<source [^>]*>\n?", "", text)
    if repository:
        text = re.sub(r'(<img src=")(?!https?:)', rf"\g<1>{repository}/raw/HEAD/", text)
        return re.sub(r"(\]\()(?!https?:|#)", rf"\g<1>{repository}/blob/HEAD/", text)
    text = re.sub(r'<img [^>]*alt="([^"]*)">', r"*\1*", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


setup(
    cmdclass={"build_py": BuildWithLessons},
    # As `make site`: COURSE_REPOSITORY=https://github.com/owner/name
    long_description=readme_elsewhere(
        (ROOT / "README.md").read_text(encoding="utf-8"),
        os.environ.get("COURSE_REPOSITORY", "").rstrip("/"),
    ),
    long_description_content_type="text/markdown",
)
