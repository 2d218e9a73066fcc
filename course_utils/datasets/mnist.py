"""MNIST from the first place that has it, checked by its content; a stand-in without network."""

import contextlib
import hashlib
import io
import os
import struct
import tempfile
import threading
import urllib.request
import zipfile
import zlib
from http.client import HTTPException
from pathlib import Path

import numpy as np

from .digits import load_digits

__all__ = ["load_mnist", "mnist_source"]

_URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"
# MD5 of the original IDX files, which can be rebuilt from the arrays.
_MD5 = {
    "x_train": "6bbc9ace898e44ae57da46a324031adb",
    "y_train": "a25bea736e30d166cdddb491f175f624",
    "x_test": "2646ac647ad5339dbf082846283269ea",
    "y_test": "27ae3e4e09519cfbb04c329615203637",
}
_PATIENCE = 8.0  # seconds until a silent network counts as none

Arrays = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def load_mnist() -> Arrays:
    """Load the MNIST digits, and print in one line where they came from.

    Returns
    -------
    (x_train, y_train), (x_test, y_test) : numpy.ndarray, uint8
        Images of shape (60000, 28, 28) and (10000, 28, 28) with greys from 0 to 255, and labels
        of shape (60000,) and (10000,): what ``keras.datasets.mnist.load_data()`` returns. Without
        network: the digits of `load_digits` in the same form, 1,500 and 297 of them.

    Raises
    ------
    ValueError
        If a file is damaged or is not MNIST. It is never passed over in silence.

    Notes
    -----
    The places, in their order: ``$COURSE_DATA_DIR/mnist.npz``, Keras's cache, a download into that
    cache, the stand-in. The arrays are recognised by the MD5 of the original files.

    Examples
    --------
    >>> (x_train, y_train), (x_test, y_test) = load_mnist()  # doctest: +SKIP
    MNIST, 60,000 training and 10,000 test images, from Keras's cache.
    """
    kind, path = mnist_source()
    if kind == "download":
        path = _download()
    if path is None:
        print(
            "No MNIST here, and no network to fetch it: 1,797 smaller digits, resized to 28x28, "
            "stand in. This is not MNIST; expect other accuracies."
        )
        return _stand_in()
    arrays = _read(path)
    place = "downloaded into Keras's cache" if kind == "download" else f"from {kind}"
    print(f"MNIST, 60,000 training and 10,000 test images, {place}.")
    return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])


def mnist_source() -> tuple[str, Path | None]:
    """Say where ``load_mnist`` would take its arrays from, without loading them.

    Returns
    -------
    kind : str
        ``"COURSE_DATA_DIR"``, ``"Keras's cache"``, ``"download"`` or ``"stand-in"``.
    path : pathlib.Path or None
        The file, for the first two.
    """
    given = os.environ.get("COURSE_DATA_DIR")
    places = [("COURSE_DATA_DIR", Path(given).expanduser())] if given else []
    places += [("Keras's cache", folder) for folder in _cache_folders()]
    for kind, folder in places:
        if (folder / "mnist.npz").is_file():
            return kind, folder / "mnist.npz"
    return ("download" if _is_reachable() else "stand-in"), None


def _cache_folders() -> list[Path]:
    """List where Keras keeps data: its home, and what it takes where that cannot be written."""
    home = Path(os.environ.get("KERAS_HOME", "~/.keras")).expanduser()
    return [home / "datasets", Path(tempfile.gettempdir()) / ".keras" / "datasets"]


def _is_reachable() -> bool:
    """Ask the server for the file's head, in a thread: looking up a name has no time limit."""
    answers = []

    def ask() -> None:
        request = urllib.request.Request(_URL, method="HEAD")
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
                answers.append(answer.status)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return answers == [200]


def _download() -> Path | None:
    """Download the file into the cache; None for want of a network, or of a folder to write to."""
    try:
        with urllib.request.urlopen(_URL, timeout=_PATIENCE) as answer:
            content = answer.read()
    except (OSError, HTTPException):  # the second where it breaks off
        return None
    try:
        _read(io.BytesIO(content))
    except ValueError:
        raise ValueError(
            f"The download from {_URL} arrived damaged. Run this again; if it stays so, "
            "put mnist.npz into a folder and set COURSE_DATA_DIR to that folder."
        ) from None
    for folder in _cache_folders():
        with contextlib.suppress(OSError):  # where it cannot be written
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as unfinished:
                path = Path(unfinished) / "mnist.npz"
                path.write_bytes(content)
                return path.replace(folder / path.name)
    return None


def _read(path: Path | io.BytesIO) -> dict[str, np.ndarray]:
    """Read the four arrays and prove that they are MNIST's."""
    mend = f"Delete {path}, or put a whole mnist.npz in its place, and run this again."
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _MD5}
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is damaged or cut off: its four arrays cannot be read "
            f"({type(error).__name__}: {error}). {mend}"
        ) from error
    for name, array in arrays.items():
        if _md5_as_idx(array) != _MD5[name]:
            raise ValueError(
                f"{path} is not MNIST, or is damaged: {name} has shape {array.shape}, dtype "
                f"{array.dtype}, and its content differs from the original. {mend}"
            )
    return arrays


def _md5_as_idx(array: np.ndarray) -> str:
    """Rebuild the original file, of big-endian integers and bytes, and take its MD5."""
    head = struct.pack(f">{array.ndim + 1}i", 2048 + array.ndim, *array.shape)
    return hashlib.md5(head + array.tobytes(), usedforsecurity=False).hexdigest()


def _stand_in() -> Arrays:
    """Resize digits of 8x8 to the 20x20 in 28x28 that MNIST's digits fill."""
    pictures, labels = load_digits()
    # Linear interpolation along one side, as a matrix: from 8 pixel centres to 20.
    centres = (np.arange(20) + 0.5) * 8 / 20 - 0.5
    resize = np.array([np.interp(centres, np.arange(8), unit) for unit in np.eye(8)])
    pictures = pictures.reshape(-1, 8, 8)
    images = np.einsum("nij,ia,jb->nab", pictures, resize, resize) * (255 / 16)
    images = np.pad(np.rint(images), ((0, 0), (4, 4), (4, 4))).astype(np.uint8)
    labels = labels.astype(np.uint8)
    return (images[:1500], labels[:1500]), (images[1500:], labels[1500:])
