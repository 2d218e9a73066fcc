"""What is installed, by which way, and that the ways agree."""

import re
import runpy
import sys
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = {
    "locks/requirements.lock": ("course", "author", "classroom", "test"),
    "locks/requirements-gpu.lock": ("course", "author", "classroom", "test", "gpu"),
}
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def environment(python, platform="linux"):
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "sys_platform": platform,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform],
        "platform_machine": "arm64" if platform == "darwin" else "x86_64",
        "os_name": "nt" if platform == "win32" else "posix",
        "extra": "",
    }


def locked(lock, python, platform):
    """Return the locked version of every package for one Python and platform."""
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    versions = {}
    for line in text.splitlines():
        requirement = Requirement(line.split(" --hash")[0])
        marker = requirement.marker
        if marker is None or marker.evaluate(environment(python, platform)):
            (version,) = [s.version for s in requirement.specifier]
            assert canonicalize_name(requirement.name) not in versions
            versions[canonicalize_name(requirement.name)] = version
    return versions


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("lock", LOCKS)
def test_lock_satisfies_pyproject(lock, python, platform):
    versions = locked(lock, python, platform)
    wanted = PROJECT["dependencies"] + [
        requirement for e in LOCKS[lock] for requirement in PROJECT["optional-dependencies"][e]
    ]
    for text in wanted:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or marker.evaluate(environment(python, platform)):
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier, text


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("extra", ["nbgrader", "browser", "cluster"])
def test_a_lock_of_its_own_adds_to_the_plain_one_and_changes_nothing(extra, python):
    plain = locked("locks/requirements.lock", python, "linux")
    added = locked(f"locks/requirements-{extra}.lock", python, "linux")
    assert not plain.keys() & added.keys()
    wanted = [*map(Requirement, PROJECT["optional-dependencies"][extra])]
    assert wanted and all(added[each.name] in each.specifier for each in wanted)


@pytest.mark.parametrize(
    "lock",
    [*LOCKS, *(f"locks/requirements-{extra}.lock" for extra in ("nbgrader", "browser", "cluster"))],
)
def test_every_locked_version_has_hashes_and_no_address(lock):
    text = (ROOT / lock).read_text()
    assert not re.search(r"https?://|file:|--index-url|--find-links|--extra-index-url", text)
    for entry in text.replace("\\\n", " ").splitlines():
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_the_gpu_lock_holds_cuda_and_agrees_elsewhere():
    plain = locked("locks/requirements.lock", "3.12", "linux")
    gpu = locked("locks/requirements-gpu.lock", "3.12", "linux")
    assert any(name.startswith("nvidia-") for name in gpu)
    assert not any(name.startswith("nvidia-") for name in plain)
    assert {name: gpu[name] for name in plain} == plain


def test_only_python_is_bounded_above():
    texts = PROJECT["dependencies"] + sum(PROJECT["optional-dependencies"].values(), [])
    for text in texts:
        assert not [s for s in Requirement(text).specifier if s.operator in ("<", "<=", "==", "~=")]
    assert PROJECT["requires-python"] == ">=3.10,<3.14"
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    (bound,) = [n for n, line in enumerate(lines) if line.startswith("requires-python")]
    assert lines[bound - 1].startswith("# ")


def test_conda_installs_the_package_with_the_extras_of_the_lock_and_repeats_no_versions():
    text = (ROOT / "environment.yml").read_text()
    (extras,) = re.findall(r"^      - -e \.\[([a-z,]+)\]$", text, re.M)
    assert tuple(extras.split(",")) == LOCKS["locks/requirements.lock"]
    assert re.findall(r"[=<>]=?\s*\d[\w.]*", text) == ["=3.11"]


def test_workflow_runs_every_python_that_the_package_takes():
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    named = ", ".join(f'"{python}"' for python in PYTHONS)
    assert f"python: [{named}]" in text
    assert text.count(".ci/run") == 2
    lowest = next(d for d in PROJECT["dependencies"] if d.startswith("tensorflow"))
    assert f'"{lowest.replace(">=", "==")}.*"' in text


def test_the_installed_package_has_the_command():
    assert metadata("hands-on-gradienttape")["Name"] == PROJECT["name"]
    assert PROJECT["scripts"] == {"course": "course_utils.cli:app"}


@pytest.mark.parametrize("repository", ["", "https://github.com/owner/name"])
def test_the_readme_shows_its_pictures_and_links_outside_the_repository(repository, monkeypatch):
    given = {}
    monkeypatch.setattr("setuptools.setup", given.update)
    monkeypatch.setenv("COURSE_REPOSITORY", repository)
    runpy.run_path(str(ROOT / "setup.py"))
    text = given["long_description"]
    shown = re.findall(r'<img src="([^"]*)"', text)
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert all(link.startswith(("https://", "#")) for link in [*shown, *links])
    assert "<source" not in text and "the operation Round has no gradient" in text
    if repository:
        assert f"{repository}/raw/HEAD/docs/pictures/missing_gradient-light.png" in shown
        assert f"{repository}/blob/HEAD/notebooks/01_first_tape.ipynb" in links
    else:
        assert not shown


def test_the_version_is_the_same_wherever_it_stands():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.M) == [PROJECT["version"]]
    assert PROJECT["version"] in re.findall(r"^## (.*)$", changes, re.M)
