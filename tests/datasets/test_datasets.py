"""MNIST from every place and in every bad state, and the sets made from a seed."""

import os
import threading
import time
from pathlib import Path

import keras
import numpy as np
import pytest

from course_utils import (
    load_digits,
    load_mnist,
    make_classification,
    make_cloud,
    make_line,
    make_quadratic,
    mnist_source,
)
from course_utils.datasets import mnist

REAL = Path(os.environ.get("COURSE_DATA_DIR", "nowhere")) / "mnist.npz"
needs_real_mnist = pytest.mark.skipif(not REAL.exists(), reason="real MNIST is not here")


@pytest.fixture(autouse=True)
def empty_world(tmp_path, monkeypatch):
    """No data folder, an empty cache, and a server that refuses."""
    monkeypatch.delenv("COURSE_DATA_DIR", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "keras"))
    monkeypatch.setattr(mnist.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setattr(mnist, "_URL", "http://127.0.0.1:9/mnist.npz")


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A whole file of twenty examples, which then counts as MNIST."""
    random = np.random.RandomState(0)
    arrays = {
        "x_train": random.randint(0, 256, (16, 28, 28)).astype(np.uint8),
        "y_train": np.arange(16, dtype=np.uint8) % 10,
        "x_test": random.randint(0, 256, (4, 28, 28)).astype(np.uint8),
        "y_test": np.arange(4, dtype=np.uint8),
    }
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez_compressed(folder / "mnist.npz", **arrays)
    monkeypatch.setattr(mnist, "_SHAPES", {name: a.shape for name, a in arrays.items()})
    return folder / "mnist.npz", arrays


@pytest.fixture
def keras_loads(monkeypatch):
    """A network; what the returned function is called with happens when Keras loads MNIST."""
    monkeypatch.setattr(mnist, "_is_reachable", lambda: True)

    def set_load_data(load_data):
        monkeypatch.setattr(keras.datasets.mnist, "load_data", load_data)

    return set_load_data


@needs_real_mnist
def test_real_mnist(monkeypatch, capsys):
    monkeypatch.setenv("COURSE_DATA_DIR", str(REAL.parent))
    (x_train, y_train), (x_test, y_test) = load_mnist()
    assert x_train.shape == (60000, 28, 28) and x_test.shape == (10000, 28, 28)
    assert y_train.shape == (60000,) and y_test.shape == (10000,)
    assert {a.dtype.name for a in (x_train, y_train, x_test, y_test)} == {"uint8"}
    assert y_train[:5].tolist() == [5, 0, 4, 1, 9] and y_test[:3].tolist() == [7, 2, 1]
    says = "MNIST, 60,000 training and 10,000 test images, from COURSE_DATA_DIR.\n"
    assert capsys.readouterr().out == says


def test_data_folder_comes_before_the_cache(small, monkeypatch, tmp_path):
    path, arrays = small
    cached = tmp_path / "keras" / "datasets" / "mnist.npz"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"never read")
    monkeypatch.setenv("COURSE_DATA_DIR", str(path.parent))
    assert mnist_source() == ("COURSE_DATA_DIR", path)
    (x_train, y_train), (x_test, y_test) = load_mnist()
    for got, name in ((x_train, "x_train"), (y_train, "y_train"), (x_test, "x_test")):
        np.testing.assert_array_equal(got, arrays[name])
    np.testing.assert_array_equal(y_test, arrays["y_test"])


def test_cache_is_used_where_the_data_folder_has_none(small, monkeypatch, tmp_path, capsys):
    cached = tmp_path / "keras" / "datasets" / "mnist.npz"
    cached.parent.mkdir(parents=True)
    small[0].rename(cached)
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    assert mnist_source() == ("Keras's cache", cached)
    load_mnist()
    assert capsys.readouterr().out.endswith("from Keras's cache.\n")


@pytest.mark.parametrize("name", ["x_train", "y_train", "x_test", "y_test"])
@pytest.mark.parametrize("change", [lambda a: a[1:], lambda a: a.astype(np.float32)])
def test_arrays_of_other_shapes_or_dtypes_are_an_error(small, monkeypatch, name, change):
    path, arrays = small
    np.savez_compressed(path, **arrays | {name: change(arrays[name])})
    monkeypatch.setenv("COURSE_DATA_DIR", str(path.parent))
    with pytest.raises(ValueError, match=f"mnist.npz is not MNIST: {name} has"):
        load_mnist()


@pytest.mark.parametrize("kept", [0, 100, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_an_error(small, monkeypatch, kept):
    path, _ = small
    whole = path.read_bytes()
    path.write_bytes(whole[: kept if isinstance(kept, int) else int(len(whole) * kept)])
    monkeypatch.setenv("COURSE_DATA_DIR", str(path.parent))
    with pytest.raises(ValueError, match="damaged or incomplete.*Delete .*mnist.npz"):
        load_mnist()


def test_a_flipped_bit_inside_the_archive_is_an_error(small, monkeypatch):
    path, _ = small
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    monkeypatch.setenv("COURSE_DATA_DIR", str(path.parent))
    with pytest.raises(ValueError, match="is damaged"):
        load_mnist()


def test_another_npz_is_an_error(tmp_path, monkeypatch):
    np.savez(tmp_path / "mnist.npz", other=np.zeros(3))
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path))
    with pytest.raises(ValueError, match="KeyError"):
        load_mnist()


def test_download_is_left_to_keras_without_a_progress_log(small, keras_loads, capsys):
    _, arrays = small

    def load_data():
        print("Downloading data from ...")
        return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])

    keras_loads(load_data)
    assert mnist_source() == ("download", None)
    (x_train, _), _ = load_mnist()
    np.testing.assert_array_equal(x_train, arrays["x_train"])
    assert capsys.readouterr().out.splitlines() == [
        "MNIST, 60,000 training and 10,000 test images, downloaded into Keras's cache."
    ]


def raising(error):
    def load_data():
        raise error

    return load_data


@pytest.mark.parametrize(
    "error",
    [Exception("URL fetch failure on https://...: None -- refused"), ConnectionResetError()],
    ids=["refused", "reset"],
)
def test_a_download_that_breaks_off_counts_as_no_network(keras_loads, error, capsys):
    keras_loads(raising(error))
    load_mnist()
    assert "expect different accuracies" in capsys.readouterr().out


def test_damaged_download_is_an_error(keras_loads):
    keras_loads(raising(ValueError("Incomplete or corrupted file detected.")))
    with pytest.raises(ValueError, match="is damaged.*COURSE_DATA_DIR"):
        load_mnist()


def test_any_other_error_of_keras_is_raised(keras_loads):
    keras_loads(raising(RuntimeError("no space")))
    with pytest.raises(RuntimeError, match="no space"):
        load_mnist()


def test_stand_in_without_network(capsys):
    assert mnist_source() == ("stand-in", None)
    (x_train, y_train), (x_test, y_test) = load_mnist()
    assert "expect different accuracies" in capsys.readouterr().out
    assert x_train.shape == (1500, 28, 28) and x_test.shape == (297, 28, 28)
    assert {a.dtype.name for a in (x_train, y_train, x_test, y_test)} == {"uint8"}
    assert x_train.min() == 0 and x_train.max() == 255
    assert not x_train[:, :4].any() and not x_train[:, :, -4:].any()  # MNIST's empty border
    assert sorted(set(y_train.tolist())) == list(range(10)) == sorted(set(y_test.tolist()))
    # Digits can be told apart: the nearest training image is mostly of the same class.
    flat, test = x_train.reshape(1500, -1) / 255, x_test.reshape(297, -1) / 255
    nearest = np.argmin((flat**2).sum(1) - 2 * test @ flat.T, axis=1)
    assert np.mean(y_train[nearest] == y_test) > 0.9


def test_a_server_that_never_answers_does_not_take_minutes(monkeypatch):
    import socket

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setattr(mnist, "_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/x")
        monkeypatch.setattr(mnist, "_PATIENCE", 0.5)
        started = time.monotonic()
        assert mnist_source()[0] == "stand-in"
        assert time.monotonic() - started < 10.0


def test_a_name_that_is_looked_up_for_ever_does_not_take_minutes(monkeypatch):
    found = threading.Event()

    def look_up(*arguments, **settings):
        found.wait(20.0)
        raise OSError("never found")

    monkeypatch.setattr(mnist.urllib.request, "urlopen", look_up)
    monkeypatch.setattr(mnist, "_PATIENCE", 0.2)
    started = time.monotonic()
    assert mnist_source()[0] == "stand-in"
    assert time.monotonic() - started < 10.0
    found.set()


def test_line_and_quadratic_follow_their_formula():
    x, y = make_line(50, slope=-1.5, intercept=4.0, noise=0.0, seed=1)
    np.testing.assert_allclose(y, -1.5 * x + 4.0, rtol=1e-5, atol=1e-6)
    x, y = make_quadratic(50, coefficients=(2.0, -3.0, 0.5), noise=0.0, seed=1)
    np.testing.assert_allclose(y, 2 * x**2 - 3 * x + 0.5, rtol=1e-5, atol=1e-5)
    assert x.shape == y.shape == (50, 1) and x.dtype == y.dtype == np.float32
    assert -2 <= x.min() < -1 and 1 < x.max() < 2


def test_noise_has_the_size_asked_for():
    x, y = make_line(20_000, noise=0.25, seed=0)
    residual = y - (3.0 * x + 2.0)
    # The standard error of a standard deviation from n normal numbers is s / sqrt(2 n).
    assert abs(residual.std() - 0.25) < 5 * 0.25 / np.sqrt(40_000)


def test_classification_can_be_learned_and_not_to_the_last_point():
    x, y = make_classification(2000, seed=0)
    assert x.shape == (2000, 20) and x.dtype == np.float32
    assert y.shape == (2000,) and y.dtype == np.int32
    one_hot = np.eye(5)[y]
    weights = np.linalg.lstsq(x[:1000], one_hot[:1000], rcond=None)[0]
    accuracy = np.mean(np.argmax(x[1000:] @ weights, axis=1) == y[1000:])
    assert 0.6 < accuracy < 0.98  # chance is 0.2


def test_a_cloud_solves_its_equation():
    h = 1e-3
    points, _ = make_cloud(50, last=2.0, noise=0.0, seed=1)
    x, t = points.astype(np.float64).T

    def dye(x, t):
        variance = 0.0625 + 0.1 * t
        return 0.25 * np.exp(-((x - 0.6 - 1.3 * t) ** 2) / (2 * variance)) / np.sqrt(variance)

    along_t = (dye(x, t + h) - dye(x, t - h)) / (2 * h)
    along_x = (dye(x + h, t) - dye(x - h, t)) / (2 * h)
    bent = (dye(x + h, t) - 2 * dye(x, t) + dye(x - h, t)) / h**2
    assert np.allclose(along_t + 1.3 * along_x, 0.05 * bent, atol=1e-4)
    assert np.allclose(make_cloud(50, last=2.0, noise=0.0, seed=1)[1][:, 0], dye(x, t), atol=1e-5)
    assert np.std(
        make_cloud(5000, noise=0.1, seed=1)[1] - make_cloud(5000, noise=0.0, seed=1)[1]
    ) == (pytest.approx(0.1, rel=0.05))


@pytest.mark.parametrize("make", [make_line, make_quadratic, make_classification, make_cloud])
def test_a_seed_decides_everything_and_disturbs_nothing(make):
    np.random.seed(3)
    first = make(10, seed=5)
    after = np.random.rand()
    np.random.seed(3)
    assert np.random.rand() == after  # the global state was left alone
    for a, b in zip(first, make(10, seed=5), strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], make(10, seed=6)[0])
    with pytest.raises(TypeError, match="seed"):
        make(10)


def test_the_streams_stay_as_they_are():
    x, _ = make_line(2, seed=0)
    np.testing.assert_allclose(x.ravel(), [0.19525402, 0.8607575], rtol=1e-6)


def test_the_small_digits_are_whole():
    pictures, labels = load_digits()
    assert (pictures.shape, pictures.dtype) == ((1797, 64), np.uint8)
    assert (labels.shape, labels.dtype) == ((1797,), np.int64)
    counts = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]  # as their authors published them
    assert np.bincount(labels).tolist() == counts
    assert pictures.min() == 0 and pictures.max() == 16
    assert pictures.sum(dtype=int) == 561_718
