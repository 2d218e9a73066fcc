"""What was graded already, in a file that survives a kill at any moment."""

import json
import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["Journal", "NotKept", "secret_key"]


class NotKept(Exception):
    """What was found out cannot be written down, so that nothing more is worth running."""


class Journal:
    """Verdicts by what they depend on: one line for each notebook, written when it is judged.

    A line that a crash cut off is dropped when the file is read; at most that one notebook is run
    again.

    Parameters
    ----------
    path : Path
        The file; its folder exists.
    fresh : bool
        Forget what the file holds.
    """

    def __init__(self, path: Path, fresh: bool = False):
        self._path = path
        self._records: dict[str, Any] = {}
        self._lock = threading.Lock()
        whole = 0
        if path.exists() and not fresh:
            for line in path.read_bytes().splitlines(keepends=True):
                if not line.endswith(b"\n"):
                    break
                try:
                    record = json.loads(line)
                    self._records[record["key"]] = record["value"]
                except (ValueError, KeyError, TypeError):
                    break
                whole += len(line)
        self._file = open(path, "ab")  # noqa: SIM115, closed by close()
        self._file.truncate(whole)

    def get(self, key: str) -> Any:
        """Return what is recorded for a key, or None."""
        return self._records.get(key)

    def add(self, key: str, value: Any) -> None:
        """Record a value, on the disk before this returns; raise NotKept where it cannot be."""
        line = json.dumps({"key": key, "value": value}) + "\n"
        with self._lock:
            try:
                self._file.write(line.encode("ascii"))
                self._file.flush()
                os.fsync(self._file.fileno())
            except OSError as error:
                raise NotKept(
                    f"{self._path} cannot be written: {error.strerror}. Nothing that was graded is "
                    "lost. Free some disk space, and run the same command again to continue."
                ) from None
            self._records[key] = value

    def close(self) -> None:
        """Close the file; what it could not take is lost, and found out again next time."""
        with suppress(OSError):
            self._file.close()


def secret_key(path: Path) -> bytes:
    """Return the secret from which seeds are drawn, made on first use and kept in ``path``."""
    try:
        key = bytes.fromhex(path.read_text())
        if len(key) == 32:
            return key
    except (OSError, ValueError):
        pass
    key = secrets.token_bytes(32)
    path.touch(mode=0o600)
    path.write_text(key.hex())
    return key
