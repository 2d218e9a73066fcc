"""The roster of a class: who is in it, by a name, an id or an e-mail address."""

import csv
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Member", "Roster", "RosterError", "read_roster"]

# How learning systems head their columns, as they are compared: lower-case letters alone.
_COLUMNS = {
    "name": ("name", "student", "fullname", "studentname"),
    "first": ("firstname", "givenname"),
    "last": ("lastname", "surname", "familyname"),
    "id": ("id", "idnumber", "studentid", "sisuserid", "sisloginid", "username", "login"),
    "email": ("email", "emailaddress", "mail"),
    "group": ("group", "groups", "section"),
}


class RosterError(Exception):
    """The roster cannot be read, or two lines of it name one student; the message says where."""


@dataclass(frozen=True)
class Member:
    """One student of a class, as the roster has it; ``cells`` is its whole line."""

    name: str
    id: str = ""
    email: str = ""
    group: str = ""
    cells: tuple[str, ...] = ()

    def answers_to(self) -> set[str]:
        """Return the names, as they are compared, by which submissions may call this student."""
        words = self.name.replace(",", " ").split()
        turned = " ".join([*words[-1:], *words[:-1]])  # as Canvas names its files: lovelaceada
        names = (self.name, turned, self.id, self.email, self.email.partition("@")[0])
        return {_plain(name) for name in names} - {""}


class Roster:
    """The members of a class in their order, and which of them a submission's name means.

    Parameters
    ----------
    members : iterable of Member
        In the order of the file.
    header : sequence of str
        What the file calls its columns.

    Raises
    ------
    RosterError
        If two members have an id or an e-mail address in common.
    """

    def __init__(self, members: Iterable[Member], header: Sequence[str] = ()):
        self.members, self.header = list(members), list(header)
        for field in ("id", "email"):
            seen: dict[str, Member] = {}
            for member in self.members:
                value = _plain(getattr(member, field))
                if value and value in seen:
                    raise RosterError(
                        f"{seen[value].name} and {member.name} have the same {field}, "
                        f"{getattr(member, field)}. Give each student a line of his own."
                    )
                seen[value] = member
        self._by_name: dict[str, list[Member]] = {}
        for member in self.members:
            for name in member.answers_to():
                self._by_name.setdefault(name, []).append(member)

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
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RosterError(f"{path} is not UTF-8. Export it once more as CSV, UTF-8.") from None
    except OSError as error:
        raise RosterError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        dialect = csv.Sniffer().sniff(text.partition("\n")[0], ",;\t")
    except csv.Error:  # one column
        dialect = csv.excel
    header, *lines = [*csv.reader(text.splitlines(), dialect=dialect)] or [[]]
    columns = _columns_of(header)
    if "name" not in columns and not {"first", "last"} <= columns.keys():
        raise RosterError(
            f"{path} names no students: its first line should hold the columns name, id, email and "
            f"group, and holds {', '.join(header) or 'nothing'}."
        )
    members = (_member(line, columns, len(header)) for line in lines)
    return Roster((member for member in members if member.name), header)


def _columns_of(header: Sequence[str]) -> dict[str, int]:
    """Return, for each of our columns, its place in the file."""
    found: dict[str, int] = {}
    plain = [re.sub(r"[^a-z]", "", name.lower()) for name in header]
    for column, names in _COLUMNS.items():
        for name in names:
            if name in plain:
                found.setdefault(column, plain.index(name))
    return found


def _member(line: Sequence[str], columns: dict[str, int], width: int) -> Member:
    cells = tuple([*line, *[""] * width][:width])
    by_name = {column: cells[place].strip() for column, place in columns.items()}
    name = by_name.get("name") or f"{by_name.get('first', '')} {by_name.get('last', '')}".strip()
    id_, email, group = (by_name.get(column, "") for column in ("id", "email", "group"))
    return Member(name, id_, email, group, cells)


def _plain(name: str) -> str:
    """Return a name as names are compared: without case, accents' encoding, blanks and signs.

    >>> _plain("Zoë Å.") == _plain("zoë-å")
    True
    """
    return re.sub(r"[^\w@.]|_|\.$", "", unicodedata.normalize("NFC", name).casefold()).strip(".")
