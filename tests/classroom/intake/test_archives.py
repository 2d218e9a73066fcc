"""Archives as they are downloaded and handed in, honest and hostile: extracted within limits."""

import io
import os
import struct
import time
import zipfile

import pytest
from handed_in import UNPACKED, find_submissions, given, grade, notebook

from course_staff.classroom.intake import archives
from course_staff.classroom.intake.files import UnreadableFile
from course_staff.classroom.intake.submissions import read_data
from course_staff.classroom.judging.results import BadInput

WORK = given("01")
NOON = (2026, 3, 1, 12, 0, 0)


def zipped(files, date=NOON, **options):
    """Return an archive; a name may be a ZipInfo, for what no honest program writes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, date) if isinstance(name, str) else name
            info.compress_type = options.get("method", zipfile.ZIP_DEFLATED)
            archive.writestr(info, content)
    return data.getvalue()


def put(path, data, at=1_000_000):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at, at))
    return path


def places(source):
    return {(s.student, s.lesson, s.place) for s in find_submissions(source).submissions}


def troubles(source):
    """Return what is said of each submission, empty where it can be read."""
    said = {}
    for one in find_submissions(source).submissions:
        try:
            read_data(one, 64)
            said[one.place] = ""
        except UnreadableFile as error:
            said[one.place] = str(error)
    return said


MOODLE = "Zoë Bö_12_assignsubmission_file_"
DOWNLOADS = {
    "Moodle": [f"{MOODLE}/01_first_tape.ipynb", "Kim_7_assignsubmission_file_/01_first_tape.ipynb"],
    "Moodle, flat": [f"{MOODLE}01_first_tape.ipynb"],
    "Canvas": ["okaforchidi_LATE_48211_993311_01_first_tape-1.ipynb"],
    "Blackboard": ["L_s9912_attempt_2026-11-20-10-10-10_01_first_tape.ipynb"],
}


@pytest.mark.parametrize("names", DOWNLOADS.values(), ids=DOWNLOADS)
def test_a_download_is_read_as_it_came_and_as_it_is_unpacked(tmp_path, names):
    whole = put(tmp_path / "download.zip", zipped(dict.fromkeys(names, WORK)))
    for name in names:
        put(tmp_path / "unpacked" / name, WORK)
    assert places(whole) == places(tmp_path / "unpacked") and len(places(whole)) == len(names)
    assert set(troubles(whole).values()) == {""}
    # A download of each lesson, side by side, with nothing unpacked.
    term = tmp_path / "term"
    put(term / "first.zip", zipped(dict.fromkeys(names, given("00"))))
    put(term / "second.zip", zipped(dict.fromkeys(names, WORK)))
    students = {student for student, *_ in places(whole)}
    assert {(s, n) for s, n, _ in places(term)} == {(s, n) for s in students for n in ("00", "01")}


@pytest.mark.parametrize(
    ("place", "student"),
    [
        (f"{MOODLE}/homework.zip", "Zoë Bö"),
        (f"{MOODLE}homework.zip", "Zoë Bö"),
        ("okaforchidi_48211_993311_homework.zip", "okaforchidi"),
        ("ada/homework.zip", "ada"),
        ("ada_01_first_tape.zip", "ada"),
        ("ada.zip", "ada"),
        ("01_first_tape.zip", "class"),
    ],
)
def test_a_student_may_hand_in_an_archive(tmp_path, place, student):
    below = "" if place == "01_first_tape.zip" else "my work/"  # there, a folder is a student
    own = zipped({f"{below}01_first_tape.ipynb": WORK, f"{below}photo.png": b"x"})
    put(tmp_path / "class" / place, own)
    whole = put(tmp_path / "class.zip", zipped({place: own}))
    for source in (tmp_path / "class", whole):
        assert {(s, n) for s, n, _ in places(source)} == {(student, "01")}
        assert set(troubles(source).values()) == {""}
        (other,) = find_submissions(source).other_files
        assert other.endswith("photo.png")


def test_what_programs_put_into_archives_is_passed_over(tmp_path):
    own = {
        "01_first_tape.ipynb": WORK,
        ".ipynb_checkpoints/01_first_tape-checkpoint.ipynb": WORK,
        "__MACOSX/._01_first_tape.ipynb": b"x",
        ".old/01_first_tape.ipynb": WORK,
    }
    put(tmp_path / "ada.zip", zipped(own))
    put(tmp_path / "bob" / "01_first_tape.ipynb", WORK)
    put(tmp_path / "bob" / "photos.zip", zipped({"a.png": b"x"}))
    found = find_submissions(tmp_path)
    assert [s.place for s in found.submissions] == [
        "ada.zip/01_first_tape.ipynb", "bob/01_first_tape.ipynb",
    ]  # fmt: skip
    assert found.other_files == ["ada.zip/.old/01_first_tape.ipynb (hidden)", "bob/photos.zip"]


def test_the_time_is_that_of_the_class_and_never_of_a_students_archive(tmp_path):
    old = zipped(
        {"01_first_tape.ipynb": WORK, "timestamp.txt": b"1999-01-01"},
        date=(1999, 1, 1, 0, 0, 0),
    )
    whole = put(tmp_path / "class.zip", zipped({"ada/w.zip": old, "bob/01_first_tape.ipynb": WORK}))
    noon = time.mktime((*NOON, 0, 0, -1))
    assert {s.time for s in find_submissions(whole).submissions} == {noon}
    put(tmp_path / "class" / "ada" / "w.zip", old, at=5_000)
    assert [s.time for s in find_submissions(tmp_path / "class").submissions] == [5_000]
    # Not even one that looks like a learning system's.
    forged = zipped({f"{MOODLE}/01_first_tape.ipynb": WORK}, date=(1999, 1, 1, 0, 0, 0))
    put(tmp_path / "forged" / "ada.zip", forged, at=5_000)
    assert [s.time for s in find_submissions(tmp_path / "forged").submissions] == [5_000]


# Hostile ------------------------------------------------------------------------------------------


def entry(name, mode=0, system=3):
    info = zipfile.ZipInfo(name, NOON)
    info.create_system, info.external_attr = system, mode << 16
    return info


def with_flag(data, flag):
    """Return an archive in whose headers a flag is set."""
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + offset
        (flags,) = struct.unpack("<H", data[at : at + 2])
        data = data[:at] + struct.pack("<H", flags | flag) + data[at + 2 :]
    return data


def twice():
    with pytest.warns(UserWarning):
        return zipped({entry("01_first_tape.ipynb"): WORK, entry("01_first_tape.ipynb"): b"{}"})


HOSTILE = {
    "absolute": (lambda: zipped({"/etc/01_first_tape.ipynb": WORK}), "an absolute path"),
    "drive": (lambda: zipped({r"C:\x\01_first_tape.ipynb": WORK}), "an absolute path"),
    "upwards": (lambda: zipped({"a/../../01_first_tape.ipynb": WORK}), "leads out of"),
    "upwards in Windows": (lambda: zipped({r"..\01_first_tape.ipynb": WORK}), "leads out of"),
    "link": (lambda: zipped({entry("01_first_tape.ipynb", 0o120777): b"/etc/passwd"}), "symbolic"),
    "pipe": (lambda: zipped({entry("01_first_tape.ipynb", 0o010644): b""}), "a special file"),
    "twice": (twice, "two files with the same name"),
    "encrypted": (lambda: with_flag(zipped({"01_first_tape.ipynb": WORK}), 1), "without a pass"),
    "method": (
        lambda: zipped({"01_first_tape.ipynb": WORK}, method=zipfile.ZIP_LZMA),
        "an unsupported compression",
    ),
    "bomb": (lambda: zipped({"01_first_tape.ipynb": bytes(11 << 20)}), "far more than usual"),
    "many": (lambda: zipped(dict.fromkeys(map(str, range(10_001)), b"")), "the limit is 10000"),
    "deep": (lambda: zipped({"a/" * 30 + "01_first_tape.ipynb": WORK}), "more than 20 levels deep"),
    "nested": (
        lambda: zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"x": b""})})})}),
        "archives are nested",
    ),
    "damaged": (lambda: zipped({"01_first_tape.ipynb": WORK})[:-30], "or it is damaged"),
    "no archive": (lambda: b"01_first_tape", "or it is damaged"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_one_unreadable_submission(tmp_path, make, reason):
    put(tmp_path / "in" / "ada" / "01_first_tape.ipynb", WORK)
    put(tmp_path / "in" / "eve" / "01_first_tape.zip", make())
    before = sorted(tmp_path.rglob("*"))
    said = troubles(tmp_path / "in")
    assert not [path for path in UNPACKED.rglob("*") if path.is_symlink()]
    assert said.pop("ada/01_first_tape.ipynb") == ""
    (sentence,) = said.values()
    assert reason in sentence
    assert {s for s, *_ in places(tmp_path / "in")} == {"ada", "eve"}
    assert sorted(tmp_path.rglob("*")) == before  # nothing was written here


def test_too_much_in_all_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "_MOST_BYTES", 1_000)
    put(tmp_path / "eve" / "01_first_tape.zip", zipped({"01_first_tape.ipynb": WORK}))
    (sentence,) = troubles(tmp_path).values()
    assert "unpacked archives may take up at most" in sentence


def test_archives_in_an_archive_share_its_limits(tmp_path, monkeypatch):
    inner = zipped({"01_first_tape.ipynb": WORK})
    monkeypatch.setattr(archives, "_MOST_BYTES", 2 * len(inner) + len(WORK) + 100)
    put(tmp_path / "eve" / "w.zip", zipped({"a/w.zip": inner, "b/w.zip": inner}))
    said = troubles(tmp_path)
    assert said["eve/w.zip/a/w.zip/01_first_tape.ipynb"] == ""
    assert "unpacked archives may take up at most" in said["eve/w.zip/b/w.zip"]


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (["01_first_tape.ipynb", "x" * 300 + ".ipynb"], "x" * 300 + ".ipynb"),
        (["01_first_tape.ipynb", "01_first_tape.ipynb/w.ipynb"], "01_first_tape.ipynb/w.ipynb"),
    ],
)
def test_a_name_that_no_file_can_have_takes_no_other_file_along(tmp_path, names, refused):
    put(tmp_path / "ada" / "01_first_tape.zip", zipped(dict.fromkeys(names, WORK)))
    said = troubles(tmp_path)
    assert said.pop("ada/01_first_tape.zip/01_first_tape.ipynb") == ""
    assert "its name is too long" in said[f"ada/01_first_tape.zip/{refused}"]


def test_one_damaged_file_takes_no_other_file_along(tmp_path):
    data = zipped({"01_first_tape.ipynb": WORK, "00_start_here.ipynb": b"0123456789"})
    at = data.rindex(b"PK\x03\x04") + 30 + len("00_start_here.ipynb")
    put(tmp_path / "ada.zip", data[:at] + b"\xff" + data[at + 1 :])
    assert troubles(tmp_path) == {
        "ada.zip/01_first_tape.ipynb": "",
        "ada.zip/00_start_here.ipynb": "This was not opened: it is damaged.",
    }


def test_a_full_disk_is_nobodys_damaged_archive(tmp_path, monkeypatch):
    put(tmp_path / "ada.zip", zipped({"01_first_tape.ipynb": WORK}))

    def full(path, mode):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archives.Path, "open", full)
    with pytest.raises(OSError, match="No space left"):
        find_submissions(tmp_path)


def test_in_a_download_one_entry_stops_nobody(tmp_path):
    eve = "eve_3_assignsubmission_file_"
    files = {
        f"{MOODLE}/01_first_tape.ipynb": WORK,
        f"{eve}/../../01_first_tape.ipynb": WORK,
        entry(f"{eve}/link_01_first_tape.ipynb", 0o120777): b"/etc/passwd",
        "fay_4_assignsubmission_file_/work.zip": b"no archive",
    }
    whole = put(tmp_path / "download.zip", zipped(files))
    said = troubles(whole)
    assert said.pop(f"{MOODLE}/01_first_tape.ipynb") == ""
    assert "leads out of" in said.pop(f"{eve}/01_first_tape.ipynb")
    assert "a symbolic link" in said.pop(f"{eve}/link_01_first_tape.ipynb")
    # Of what nobody can look into, the lesson is that of everything else.
    assert said == {
        "fay_4_assignsubmission_file_/work.zip": (
            "This is not a zip archive, or it is damaged. Send it again."
        )
    }


def test_a_bomb_in_a_download_takes_nothing_from_the_limit_of_the_class(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "_MOST_BYTES_OF_CLASS", 5 << 20)
    bomb = "eve_3_assignsubmission_file_/01_first_tape.ipynb"
    files = {f"{MOODLE}/01_first_tape.ipynb": WORK, bomb: bytes(11 << 20)}
    said = troubles(put(tmp_path / "download.zip", zipped(files)))
    assert said.pop(f"{MOODLE}/01_first_tape.ipynb") == "" and "far more than usual" in said.pop(
        bomb
    )


def test_a_size_that_lies_is_damage_and_not_memory(tmp_path):
    data = bytearray(zipped({"01_first_tape.ipynb": b"{" + b" " * 5_000 + b"}"}))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<I", 10)
    put(tmp_path / "eve" / "01_first_tape.zip", bytes(data))
    assert "damaged" in next(iter(troubles(tmp_path).values()))


@pytest.mark.parametrize("name", ["Zoë_01_first_tape.ipynb", "Ünal/01_first_tape.ipynb"])
def test_names_in_utf8_are_read_with_and_without_the_mark_for_it(tmp_path, name):
    data = zipped({name: WORK})
    bare = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        bare[bytes(bare).index(mark) + offset] &= ~0x08
    marked, unmarked = (
        put(tmp_path / n / "c.zip", d) for n, d in (("a", data), ("b", bytes(bare)))
    )
    assert places(marked) == places(unmarked)
    odd = bytes(bare).replace("Zoë".encode(), b"Zo\xeb_").replace("Ü".encode(), b"\x9a_")
    ((student, lesson, _),) = places(put(tmp_path / "o" / "c.zip", odd))
    assert lesson == "01" and student  # a name in an encoding that nobody knows is still a name


def test_a_class_is_graded_from_its_download(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "in"))  # notebooks may read that folder
    looks = f"with open({str(tmp_path / 'in' / 'download.zip')!r}, 'rb') as file:\n"
    looks += "    gradient_shape = (0,) if file.read() else (4, 2)"
    own = zipped({"w/01_first_tape.ipynb": notebook("01", {"01.2": looks})})
    files = {f"{MOODLE}/01_first_tape.ipynb": b"{", "eve_3_assignsubmission_file_/w.zip": own}
    whole = put(tmp_path / "in" / "download.zip", zipped(files))
    rows = grade(whole, tmp_path / "out").rows
    outcomes = {(row.student, row.exercise): row.outcome for row in rows}
    assert outcomes["eve", "01.2"] == "passed" and outcomes["Zoë Bö", "01.2"] == "unreadable"
    assert grade(whole, tmp_path / "out").run == 0
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["download.zip"]
    with pytest.raises(BadInput, match="not a zip archive, or it is damaged"):
        grade(put(tmp_path / "broken.zip", b"PK"), tmp_path / "out")
    with pytest.raises(BadInput, match="neither a folder nor a zip"):
        grade(put(tmp_path / "class.tar", b""), tmp_path / "out")


@pytest.mark.parametrize(
    ("comment", "minutes"),
    [(b"57 minutes of work", 57), (b"", None), (b"-3 minutes of work", None), (b"\xff" * 99, None)],
)
def test_the_minutes_that_were_handed_in(tmp_path, comment, minutes):
    own = zipfile.ZipInfo("01_first_tape.ipynb", NOON)
    own.comment = comment
    put(tmp_path / "in" / "ada.zip", zipped({own: WORK}))
    (one,) = find_submissions(tmp_path / "in").submissions
    assert one.minutes == minutes
