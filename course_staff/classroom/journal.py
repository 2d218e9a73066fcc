"""What was graded already, in a file that survives a kill at any moment."""

import json
import os
import secrets
import threading
from pathlib import Path
from typing import Any

__all__ = ["Journal", "secret_key"]


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
        """Record a value, on the disk before this returns."""
        line = json.dumps({"key": key, "value": value}) + "\n"
        with self._lock:
            self._records[key] = value
            self._file.write(line.encode("ascii"))
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
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
