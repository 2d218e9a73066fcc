"""The roster of a class: who is in it, by a name, an id or an e-mail address."""

import csv
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Member", "Roster", "RosterError", "read_roster", "text_of_table"]

# How learning systems head their columns, as they are compared: lower-case letters alone.
_COLUMNS = {
    "name": ("name", "student", "fullname", "studentname"),
    "first": ("firstname", "givenname"),
    "last": ("lastname", "surname", "familyname"),
    "id": (
        *("id", "idnumber", "studentid", "sisuserid", "sisloginid", "username", "login"),
        "identifier",  # of Moodle's grading worksheet
    ),
    "email": ("email", "emailaddress", "mail"),
    "group": ("group", "groups", "section"),
}

# How a file begins that says in which encoding it is.
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class RosterError(Exception):
    """The roster cannot be read, or two lines of it name one student; the message says where."""


@dataclass(frozen=True)
class Member:
    """One student of a class, as the roster has it.

    ``ids`` are all that a learning system knows, and ``id`` is the first of them.
    """

    name: str
    id: str = ""
    email: str = ""
    group: str = ""
    ids: tuple[str, ...] = ()

    def answers_to(self) -> set[str]:
        """Return the names, as they are compared, by which submissions may call this student."""
        words = self.name.replace(",", " ").split()
        turned = " ".join([*words[-1:], *words[:-1]])  # as Canvas names its files: lovelaceada
        names = {self.name, turned, self.id, *self.ids, self.email, self.email.partition("@")[0]}
        # As namesakes are told apart: Kim (4711).
        own_ids = {*self.ids, self.id, self.email} - {""}
        names |= {f"{name} {own}" for name in (self.name, turned) for own in own_ids}
        return {_plain(name) for name in names} - {""}


class Roster:
    """The members of a class in their order, and which of them a submission's name means.

    Parameters
    ----------
    members : iterable of Member
        In the order of the file.
    header : sequence of str
        What the file calls its columns.
    lines : sequence of tuple
        The cells of each line of the file, and whose it is; nobody's are such as Canvas's line of
        possible points.
    encoding, delimiter : str
        How the file is written.

    Raises
    ------
    RosterError
        If two members have an id or an e-mail address in common.
    """

    def __init__(
        self,
        members: Iterable[Member],
        header: Sequence[str] = (),
        lines: Sequence[tuple[tuple[str, ...], Member | None]] = (),
        encoding: str = "utf-8",
        delimiter: str = ",",
    ):
        self.members, self.header, self.lines = list(members), list(header), list(lines)
        self.encoding, self.delimiter = encoding, delimiter
        for field in ("id", "email"):
            seen: dict[str, Member] = {}
            for member in self.members:
                value = _plain(getattr(member, field))
                if value and value in seen:
                    raise RosterError(
                        f"{seen[value].name} and {member.name} have the same {field}, "
                        f"{getattr(member, field)}. Keep one line for each student, or correct the "
                        "value."
                    )
                seen[value] = member
        self._by_name: dict[str, list[Member]] = {}
        for member in self.members:
            for name in member.answers_to():
                self._by_name.setdefault(name, []).append(member)

    def why_unknown(self, student: str) -> str:
        """Say why a submission's name means nobody, and what to do; nothing if it means somebody.

        A learning system's number may stand behind a name that several students have.
        """
        if self.member(student) is not None:
            return ""
        namesakes = self.may_be(student)
        if not namesakes:
            has_logins = "login" in (name.strip().lower() for name in self.header)
            what = (
                "write it into that student's field in the column `login`"
                if has_logins
                else "add a `login` column to the roster"
            )
            return f"Not on the roster: {student}. If this is a student's login, {what}."
        several = ", ".join(f"{m.name} ({m.id or m.email or 'without an id'})" for m in namesakes)
        any_of = "any of these students on the roster:" if len(namesakes) > 1 else "this student:"
        return (
            f"{student} may be {any_of} {several}. In Moodle's downloads, a number follows the "
            "name. Add an `Identifier` column to the roster, and write these students' numbers "
            "into it. Or use Moodle's grading worksheet, which contains the numbers, as the "
            "roster. Then grade again."
        )

    def may_be(self, student: str) -> list[Member]:
        """Return whom a submission's name may mean, also if that is more than one student."""
        name = re.sub(r" \([^()]*\)$", "", student)
        return self._by_name.get(_plain(student)) or self._by_name.get(_plain(name), [])

    def name_of(self, member: Member) -> str:
        """Return the name of a student, with the id where several have this name: Kim (4711)."""
        several = len(self._by_name[_plain(member.name)]) > 1
        own = next(filter(None, (member.id, *member.ids, member.email)), "")
        return f"{member.name} ({own})" if several and own else member.name

    def known_as(self, student: str) -> str:
        """Return the roster's name for a submission's; the same name where it means nobody."""
        member = self.member(student)
        name = self.name_of(member) if member else student
        return name if self.member(name) is member else student

    def member(self, student: str) -> Member | None:
        """Return whom a submission's name means; None for nobody, or more than one."""
        found = self._by_name.get(_plain(student), [])
        return found[0] if len(found) == 1 else None


def read_roster(path: Path) -> Roster:
    """Return the roster that a CSV file holds, such as Moodle, Canvas or Blackboard export.

    The first line names the columns: ``name``, or ``first name`` and ``last name``, and any of
    ``id``, ``e-mail`` and ``group``; others are left alone.

    Raises
    ------
    RosterError
        If the file cannot be read, names no students, or names one twice.
    """
    text, encoding = text_of_table(path)
    try:
        dialect = csv.Sniffer().sniff(text.partition("\n")[0], ",;\t")
    except csv.Error:  # one column
        dialect = csv.excel
    header, *lines = [*csv.reader(text.splitlines(), dialect=dialect)] or [[]]
    columns = _columns_of(header)
    if "name" not in columns and not {"first", "last"} <= columns.keys():
        raise RosterError(
            f"{path} lists no students. Its first line should contain the columns name, id, email, "
            f"and group, but it contains {', '.join(header) or 'nothing'}."
        )
    cells = [tuple([*line, *[""] * len(header)][: len(header)]) for line in lines]
    owned = [(line, _member(line, columns, _ids_in(header))) for line in cells]
    members = [member for _, member in owned if member is not None]
    return Roster(members, header, owned, encoding, dialect.delimiter)


def text_of_table(path: Path) -> tuple[str, str]:
    """Return the text of a CSV file and its encoding, UTF-8 or UTF-16.

    Raises
    ------
    RosterError
        If the file cannot be read, or has another encoding.
    """
    try:
        data = path.read_bytes()
        encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        raise RosterError(
            f"{path} is neither UTF-8 nor UTF-16. In Excel, save it as CSV UTF-8."
        ) from None
    except OSError as error:
        raise RosterError(
            f"{path} cannot be read: {error.strerror}. Check its path and permissions."
        ) from None


def _columns_of(header: Sequence[str]) -> dict[str, int]:
    """Return, for each of our columns, its place in the file."""
    found: dict[str, int] = {}
    plain = [re.sub(r"[^a-z]", "", name.lower()) for name in header]
    for column, names in _COLUMNS.items():
        for name in names:
            if name in plain:
                found.setdefault(column, plain.index(name))
    return found


def _ids_in(header: Sequence[str]) -> list[int]:
    """Return the places of all columns that hold an id."""
    plain = [re.sub(r"[^a-z]", "", name.lower()) for name in header]
    return [place for place, name in enumerate(plain) if name in _COLUMNS["id"]]


def _member(cells: tuple[str, ...], columns: dict[str, int], id_places: list[int]) -> Member | None:
    """Return the student of a line; None for a line that is no student's."""
    by_name = {column: cells[place].strip() for column, place in columns.items()}
    name = by_name.get("name") or f"{by_name.get('first', '')} {by_name.get('last', '')}".strip()
    if not name or name.lower().startswith("points possible"):
        return None
    id_, email, group = (by_name.get(column, "") for column in ("id", "email", "group"))
    # Moodle's grading worksheet writes "Participant 110".
    ids = tuple(cells[place].strip().removeprefix("Participant ") for place in id_places)
    return Member(name, id_.removeprefix("Participant "), email, group, ids)


def _plain(name: str) -> str:
    """Return a name as names are compared: without case, accents' encoding, blanks and signs.

    >>> _plain("Zoë Å.") == _plain("zoë-å")
    True
    """
    return re.sub(r"[^\w@.]|_|\.$", "", unicodedata.normalize("NFC", name).casefold()).strip(".")
