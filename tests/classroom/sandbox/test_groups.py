"""Control groups, as a folder in which files take what the kernel would."""

import os

import pytest

from course_staff.classroom.sandbox.groups import group_of_notebook, open_groups


@pytest.fixture
def system(tmp_path):
    """Return a group that holds this process alone, and the file that names it."""
    ours = tmp_path / "user" / "scope"
    (ours / "grader").mkdir(parents=True)
    (ours / "cgroup.controllers").write_text("cpu memory pids\n")
    (ours / "cgroup.procs").write_text(f"{os.getpid()}\n{os.getppid()}\n")
    (tmp_path / "membership").write_text("1:name=systemd:/\n0::/user/scope\n")
    return ours


def opened(system):
    root = system.parents[1]
    return open_groups(root, root / "membership")


def test_the_grader_makes_room_and_hands_memory_on(system):
    os.close(opened(system))
    assert (system / "cgroup.subtree_control").read_text() == "+memory"
    moved = (system / "grader" / "cgroup.procs").read_text()
    assert moved in (str(os.getpid()), str(os.getppid()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cgroup.controllers", "cpu pids"),
        ("cgroup.procs", "1 2"),
        ("../../membership", "4:memory:/"),
    ],
)
def test_a_group_of_others_or_without_memory_is_not_touched(system, name, text):
    (system / name).write_text(text)
    assert opened(system) is None
    assert not (system / "cgroup.subtree_control").exists()


@pytest.mark.parametrize(("killed", "is_full"), [(0, False), (2, True)])
def test_a_notebook_is_in_its_own_group_and_ends_with_it(system, killed, is_full):
    groups = opened(system)
    folder = system / f"notebook-{os.getpid()}"
    folder.mkdir()
    for name in ("memory.max", "memory.swap.max", "cgroup.procs", "cgroup.kill"):
        (folder / name).touch()
    (folder / "memory.events").write_text(f"max 3\noom_kill {killed}\n")
    group = group_of_notebook(groups, 100)
    group.enter()
    assert (folder / "memory.max").read_text() == str(100 << 20)
    assert (folder / "cgroup.procs").read_text() == "0"
    assert group.end() is is_full
    assert (folder / "cgroup.kill").read_text() == "1"
    (folder / "memory.max").unlink()
    assert group_of_notebook(groups, 100) is None
    os.close(groups)
