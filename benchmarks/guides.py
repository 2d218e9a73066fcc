"""Run TensorFlow's own guides with `ExplainingTape` in place of `tf.GradientTape`, and compare."""

import argparse
import ast
import contextlib
import io
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

_EXPLANATION = """
Each notebook of a folder is run twice, in processes of their own: as it stands, and with
ExplainingTape in place of tf.GradientTape. What each cell prints, shows or raises must be the same.
Without a folder nothing is run. The guides are not part of this project: take their notebooks from
the repository tensorflow/docs, and put these into a folder.

  site/en/guide                    autodiff, advanced_autodiff, basics, basic_training_loops,
                                   distributed_training
  site/en/tutorials/distribute     custom_training
  site/en/tutorials/quickstart     advanced
  site/en/tutorials/generative     cvae, dcgan

They are run as they stand, but that

- every generator is seeded, and operations are deterministic;
- lines for the shell are left out, and `EPOCHS = 50` and the like become 2;
- mnist and fashion_mnist are the first 1,280 and 256 pictures of what load_mnist finds, since
  there may be no network;
- imageio, tensorflow_docs and tensorflow_probability, which draw and are not installed, are mocks;
- addresses, and times in seconds, are not compared.

custom_training_walkthrough cannot be run: it needs tensorflow_datasets and what that downloads.
It exits with 1 if anything differs.
"""
_MOCKED = ("imageio", "tensorflow_docs", "tensorflow_docs.vis", "tensorflow_docs.vis.embed")
_MOCKED += ("tensorflow_probability",)
_SIZES = (1280, 256)
_MINUTES = 10  # for one guide


def main() -> int:
    """Run every guide in both ways, print a line for each, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=_EXPLANATION, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="with the guides' notebooks")
    parser.add_argument("--tape", choices=("plain", "explaining"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.folder is None:
        print("Nothing was run: name a folder with TensorFlow's guides (see --help).")
        return 0
    if given.tape:
        print(json.dumps(run_guide(given.folder, given.tape == "explaining")))
        return 0
    guides = sorted(given.folder.glob("*.ipynb"))
    if not guides:
        print(f"{given.folder} holds no notebook. See --help for the guides to put there.")
        return 1
    return max([compare(guide.absolute()) for guide in guides])


def compare(guide: Path) -> int:
    """Run one guide in both ways, print what differs, and return 0 if nothing does."""
    plain, ours = in_process(guide, "plain"), in_process(guide, "explaining")
    differing = [cell for cell in plain if plain[cell] != ours.get(cell)]
    tapes = guide.read_text(encoding="utf-8").count("tf.GradientTape(")
    raised = sum("raised" in said for said in plain.values())
    print(
        f"{guide.stem}: {len(plain)} cells with {tapes} tapes, of which {raised} raise; "
        f"{len(differing)} differ",
        flush=True,
    )
    for cell in differing:
        print(f"  cell {cell}\n    plain      {plain[cell]}\n    explaining {ours.get(cell)}")
    return 1 if differing or not plain else 0


def in_process(guide: Path, tape: str) -> dict[str, Any]:
    """Run a guide in a process and a folder of its own, and return what its cells said."""
    command = [sys.executable, __file__, str(guide), "--tape", tape]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "2", "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=60 * _MINUTES
        )
    if done.returncode:
        sys.exit(f"{guide.stem} ended its process:\n{done.stderr.decode()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def run_guide(guide: Path, is_explaining: bool) -> dict[str, dict[str, str]]:
    """Run the cells of a guide, and return what each printed, showed and raised."""
    import tensorflow as tf

    from course_utils import load_mnist
    from gradient_tools import ExplainingTape

    tf.keras.utils.set_random_seed(1)
    tf.config.experimental.enable_op_determinism()
    with contextlib.redirect_stdout(io.StringIO()):
        train_x, train_y, test_x, test_y = (each for pair in load_mnist() for each in pair)
    train, test = _SIZES
    data = (train_x[:train], train_y[:train]), (test_x[:test], test_y[:test])
    names: dict[str, Any] = {"__name__": "__main__", "ExplainingTape": ExplainingTape}
    said = {}
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(sys.modules, {m: mock.MagicMock() for m in _MOCKED}))
        for each in (tf.keras.datasets.mnist, tf.keras.datasets.fashion_mnist):
            stack.enter_context(mock.patch.object(each, "load_data", lambda *a, **k: data))
        cells = json.loads(guide.read_text(encoding="utf-8"))["cells"]
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                source = as_run("".join(cell["source"]), is_explaining)
                said[str(number)] = run_cell(source, f"<ipython-input-{number}>", names)
    return said


def as_run(source: str, is_explaining: bool) -> str:
    """Return the source of a cell as it is run here."""
    source = re.sub(r"^( *)[!%].*$", r"\1pass", source, flags=re.M)
    source = re.sub(r"^(epochs|EPOCHS|num_epochs) = \d+$", r"\1 = 2", source, flags=re.M)
    return source.replace("tf.GradientTape", "ExplainingTape") if is_explaining else source


def run_cell(source: str, file: str, names: dict[str, Any]) -> dict[str, str]:
    """Run a cell as a notebook does, and return what it printed, showed and raised."""
    # AutoGraph and the explanations read the source of what runs.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    said, printed = {}, io.StringIO()
    try:
        tree = ast.parse(source)
        ends_with_value = bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
        shown = tree.body.pop() if ends_with_value else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, file, "exec"), names)
            if shown is not None:
                value = eval(compile(ast.Expression(shown.value), file, "eval"), names)
                said["shown"] = "" if value is None else compared(repr(value))
    except Exception as error:
        said["raised"] = compared(f"{type(error).__name__}: {error}")
    return said | {"printed": compared(printed.getvalue())}


def compared(text: str) -> str:
    """Return a text without what differs from run to run."""
    text = text.replace("ExplainingTape", "GradientTape")
    text = re.sub(r"0x[0-9a-fA-F]+|id=['\"]?\d+", "...", text)
    text = re.sub(r"[^\n]*\x08", "", text)  # how often a bar of progress was drawn
    text = re.sub(r" +$", "", text, flags=re.M)
    text = re.sub(r"(?<=epoch: )\d+\.\d+", "...", text)
    return re.sub(r"\d+(\.\d+)?(e-\d+)? ?[mu]?s(ec)?\b *", "... s", text)


if __name__ == "__main__":
    sys.exit(main())
