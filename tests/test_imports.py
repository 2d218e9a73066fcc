"""That importing a name changes nothing, and that what a lesson set keeps no model alive."""

import gc
import json
import os
import re
import subprocess
import sys
import weakref
from pathlib import Path

import keras
import pytest

from course_utils import start_lesson

PACKAGES = ("gradient_tools", "course_utils")

# What an import could change, before and after it, in a process of its own.
LOOK = """
import gc, json, os, random, signal, sys, warnings
import numpy as np

random.seed(1); np.random.seed(1)

def look():
    import matplotlib as mpl
    import tensorflow as tf
    cpu = tf.config.list_physical_devices("CPU")[0]
    return {
        "collector": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()],
        "environment": dict(os.environ),
        "warnings": [str(each) for each in warnings.filters],
        "devices": str(tf.config.get_logical_device_configuration(cpu)),
        "graphs run eagerly": tf.config.functions_run_eagerly(),
        "random state": [str(random.getstate()), str(np.random.get_state())],
        "figures": {key: str(value) for key, value in mpl.rcParams.items()},
        "interrupts": str(signal.getsignal(signal.SIGINT)),
    }

def require_nothing_ran():
    import tensorflow as tf
    cpu = tf.config.list_physical_devices("CPU")[0]
    # Raises RuntimeError where an operation has started the devices.
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3)
    assert len(tf.config.list_logical_devices("CPU")) == 3
"""
EVERY_NAME = """
import keras, matplotlib.pyplot, tensorflow as tf
tf.config.list_physical_devices("CPU")
print("imported", file=sys.stderr)
gc.disable()
before, changed, names = look(), {}, []
for package in %r:
    for name in __import__(package).__all__:
        exec(f"from {package} import {name}")
        after = look()
        names.append(name)
        changed |= {f"{name}: {key}": after[key] for key in after if after[key] != before[key]}
        before = after
require_nothing_ran()
print(json.dumps([changed, names]))
"""
ONE_NAME = """
%s
print("imported", file=sys.stderr)
after = look()
loaded = sorted(name for name in sys.modules if name.partition(".")[0] in
                ("filelock", "rich", "typer", "jupyterlab", "IPython", "course_utils"))
require_nothing_ran()
print(json.dumps([after, loaded]))
"""


def run(program):
    not_theirs = ("TF_CPP_MIN_LOG_LEVEL", "PYTEST_CURRENT_TEST")
    environment = {k: v for k, v in os.environ.items() if k not in not_theirs}
    command = [sys.executable, "-c", LOOK + program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    (said,) = done.stdout.splitlines()  # and nothing else was printed
    return json.loads(said), done.stderr


def test_no_name_changes_anything_as_it_is_imported():
    (changed, names), errors = run(EVERY_NAME % (PACKAGES,))
    assert changed == {}
    assert errors.partition("imported\n")[2] == ""
    assert {"check", "start_lesson", "ExplainingTape", "check_gradients"} <= set(names)


@pytest.fixture(scope="module")
def tensorflow_alone():
    return run(ONE_NAME % "import tensorflow, keras")[0]


def test_the_first_name_imports_tensorflow_quietly_and_starts_nothing(tensorflow_alone):
    (after, loaded), errors = run(ONE_NAME % "from course_utils import ExplainingTape")
    alone, loaded_anyway = tensorflow_alone
    assert after["environment"].pop("TF_CPP_MIN_LOG_LEVEL") == "2"
    assert after == alone
    assert errors.partition("imported\n")[0] == ""
    # Keras imports rich; of the course itself no more comes along than tells how to import.
    ours = {name for name in loaded if name.startswith("course_utils.")}
    assert ours == {"course_utils.extra", "course_utils.tensorflow_start"}
    assert [name for name in set(loaded) - set(loaded_anyway) if "course_utils" not in name] == []


def test_the_tools_by_themselves_change_nothing_and_import_no_course(tensorflow_alone):
    (after, loaded), _ = run(ONE_NAME % "from gradient_tools import ExplainingTape")
    assert [after, loaded] == tensorflow_alone


def test_a_check_needs_no_tensorflow_before_there_is_an_answer():
    program = """
from course_utils import check, predict, reset, start_lesson, status
print(json.dumps("tensorflow" in sys.modules))
"""
    assert run(program)[0] is False


# As if the distribution had been installed alone: what only its extra needs cannot be imported.
WITHOUT_EXTRA = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in %r:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""
INSTALLED_BY = '    python -m pip install "hands-on-gradienttape[course]"'


def run_without_extra(program):
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    (extra,) = re.findall(r"^course = \[(.*?)\]$", project, re.M | re.S)
    blocked = re.findall(r'"(\w+)', extra)
    assert "filelock" in blocked
    command = [sys.executable, "-c", WITHOUT_EXTRA % (blocked,) + program]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", ["check", "predict", "reset", "start_lesson", "status"])
def test_without_its_extra_a_name_of_the_course_says_what_to_install(name):
    done = run_without_extra(f"from course_utils import {name}")
    assert done.returncode == 1
    said = done.stderr.partition("ModuleNotFoundError: ")[2].splitlines()
    assert re.match(rf"{name} needs the package \w+, which is not installed", said[0])
    assert said[1:] == [INSTALLED_BY]


def test_without_its_extra_the_command_says_what_to_install():
    done = run_without_extra("import runpy; runpy.run_module('course_utils')")
    assert done.returncode == 1
    said = done.stderr.splitlines()
    assert said[0].startswith("The command course needs the package typer, which is not installed")
    assert said[1:] == [INSTALLED_BY]


def test_without_its_extra_the_plots_and_the_tools_are_there():
    done = run_without_extra("from course_utils import check_gradients, load_digits, plot_history")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_names_that_type_checkers_see_are_those_that_are_there():
    import course_utils

    stub = Path(course_utils.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    assert sorted(re.findall(r"as (\w+)$", stub, re.M)) == course_utils.__all__


def test_a_model_of_an_earlier_run_is_freed_when_the_lesson_starts_again():
    start_lesson("01")
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    of_the_first_run = weakref.ref(model)
    start_lesson("01")
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    gc.collect()
    assert of_the_first_run() is None
    assert model.count_params() == 8
