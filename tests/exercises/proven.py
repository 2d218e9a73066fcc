"""Which lessons' answers were judged as they should be, by everything as it is now.

To judge every answer of `answers.py` takes minutes, and changes nothing where nothing changed that
decides a judgement. ``make prove`` does so and writes proven.json: a key for each lesson. `make
test` leaves out the answers of lessons whose key is still the same; `make test-all` leaves out
none.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from course_utils.workspace.curriculum import LESSONS

ROOT = Path(__file__).parents[2]
PROVEN = Path(__file__).with_name("proven.json")


def deciding(number: str) -> Iterator[Path]:
    """Yield every file that decides how the answers of a lesson are judged."""
    for package in ("course_utils", "gradient_tools"):
        yield from sorted((ROOT / package).rglob("*.py"))
    (folder,) = (ROOT / "lessons").glob(f"{number}_*")
    yield from (folder / name for name in ("exercises.py", "mistakes.py", "answers.py"))
    yield ROOT / "generated" / f"lesson_{number}.txt"
    yield ROOT / "locks" / "requirements.lock"
    yield Path(__file__).with_name("test_answers_of_lessons.py")


def key_of(number: str, read: Callable[[Path], bytes] = Path.read_bytes) -> str:
    """Return the digest of all that decides."""
    digest = hashlib.sha256()
    for path in deciding(number):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(read(path).replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]


def is_proven(number: str) -> bool:
    """Tell whether the answers of a lesson were judged with all as it is now."""
    return bool(json.loads(PROVEN.read_text()).get(number) == key_of(number))


if __name__ == "__main__":
    keys = {lesson.number: key_of(lesson.number) for lesson in LESSONS}
    PROVEN.write_text(json.dumps(keys, indent=1) + "\n")
