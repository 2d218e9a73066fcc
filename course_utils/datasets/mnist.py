"""MNIST from a given file, from Keras, or a stand-in without a network."""

import contextlib
import io
import os
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
_SHAPES = {
    "x_train": (60000, 28, 28),
    "y_train": (60000,),
    "x_test": (10000, 28, 28),
    "y_test": (10000,),
}
_PATIENCE = 8.0  # seconds until a silent network counts as none

Arrays = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def load_mnist() -> Arrays:
    """Load the MNIST digits, and print in one line where they came from.

    Returns
    -------
    (x_train, y_train), (x_test, y_test) : numpy.ndarray, uint8
        The same as ``keras.datasets.mnist.load_data()`` returns. Images have shape (60000, 28, 28)
        and (10000, 28, 28) with grays from 0 to 255. Labels have shape (60000,) and (10000,).
        Without a network, 1,500 and 297 digits of `load_digits` have the same form.

    Raises
    ------
    ValueError
        If a file is damaged or is not MNIST. The stand-in is not used then.

    Notes
    -----
    The sources are tried in this order: ``$COURSE_DATA_DIR/mnist.npz``, Keras's cache, a download
    by ``keras.datasets.mnist``, the stand-in.

    Examples
    --------
    >>> (x_train, y_train), (x_test, y_test) = load_mnist()  # doctest: +SKIP
    MNIST, 60,000 training and 10,000 test images, from Keras's cache.
    """
    kind, path = mnist_source()
    if kind == "download":
        arrays, place = _download(), "downloaded into Keras's cache"
    else:
        arrays, place = _read(path) if path else None, f"from {kind}"
    if arrays is None:
        print(
            "MNIST is not on this machine, and there is no network connection to download it. The "
            "course uses 1,797 smaller digits instead, resized to 28x28, so expect different "
            "accuracies."
        )
        return _stand_in()
    print(f"MNIST, 60,000 training and 10,000 test images, {place}.")
    return arrays


def mnist_source() -> tuple[str, Path | None]:
    """Find the source from which ``load_mnist`` would take its arrays, without loading them.

    Returns
    -------
    kind : str
        ``"COURSE_DATA_DIR"``, ``"Keras's cache"``, ``"download"`` or ``"stand-in"``.
    path : pathlib.Path or None
        The file, for the first two kinds.
    """
    given = os.environ.get("COURSE_DATA_DIR")
    places = [("COURSE_DATA_DIR", Path(given).expanduser())] if given else []
    places += [("Keras's cache", folder) for folder in _cache_folders()]
    for kind, folder in places:
        if (folder / "mnist.npz").is_file():
            return kind, folder / "mnist.npz"
    return ("download" if _is_reachable() else "stand-in"), None


def _cache_folders() -> list[Path]:
    """Return the folders in which Keras keeps data: its home, and another if that is read-only."""
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


def _download() -> Arrays | None:
    """Download MNIST into Keras's cache; return None if the network fails meanwhile."""
    import keras

    try:
        with contextlib.redirect_stdout(io.StringIO()):  # Keras's progress bar
            return keras.datasets.mnist.load_data()
    except ValueError as error:
        raise ValueError(
            "The download of MNIST is damaged. Run this again. If that does not help, put "
            "mnist.npz into a folder, and set COURSE_DATA_DIR to that folder."
        ) from error
    except (OSError, HTTPException):
        return None
    except Exception as error:
        if "URL fetch failure" in str(error):  # which Keras raises as a bare Exception
            return None
        raise


def _read(path: Path) -> Arrays:
    """Read the four arrays, and make sure that they have MNIST's shapes.

    The archive's own checksums find damaged content.
    """
    remedy = f"Delete {path}, or replace it with an intact mnist.npz, and run this again."
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _SHAPES}
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is damaged or incomplete: its four arrays cannot be read "
            f"({type(error).__name__}: {error}). {remedy}"
        ) from error
    for name, array in arrays.items():
        if array.shape != _SHAPES[name] or array.dtype != np.uint8:
            raise ValueError(
                f"{path} is not MNIST: {name} has shape {array.shape} and dtype {array.dtype}, "
                f"not shape {_SHAPES[name]} and dtype uint8. {remedy}"
            )
    return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])


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
