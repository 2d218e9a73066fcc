"""What a wheel carries beside the packages: from files of the checkout to their places in it.

An editable install reads them where they stand.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
CARRIED = {
    path: place.format(path)
    for pattern, place in {
        "lessons/*/exercises.py": "course_utils/exercises/generated/lesson_{0.parent.name:.2}.py",
        "lessons/*/variants.py": "course_utils/exercises/generated/variants_{0.parent.name:.2}.py",
        "notebooks/*.ipynb": "course_utils/course/given/notebooks/{0.name}",
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


setup(cmdclass={"build_py": BuildWithLessons})
