"""What stands in the notebooks that were handed in: each is parsed once."""

from ..intake.files import UnreadableFile
from ..intake.submissions import Submission, read_data
from ..sandbox.cells import Cell, read_cells

__all__ = ["Contents"]


class Contents:
    """The code cells of submissions, which are looked at for several reasons.

    Parameters
    ----------
    megabytes : int
        The most that a notebook may have.
    """

    def __init__(self, megabytes: int):
        self._megabytes = megabytes
        self._cells: dict[str, list[Cell]] = {}
        self._reasons: dict[str, str] = {}  # why there are none; an exception would keep the file

    def cells(self, one: Submission) -> list[Cell]:
        """Return the code cells of one.

        Raises
        ------
        UnreadableFile
            If there are none to read; its verdicts say so.
        """
        if one.place in self._reasons:
            raise UnreadableFile(self._reasons[one.place])
        if one.place not in self._cells:
            try:
                self._cells[one.place] = read_cells(read_data(one, self._megabytes))
            except Exception as error:
                self._reasons[one.place] = str(error)[:300]
                raise UnreadableFile(self._reasons[one.place]) from None
        return self._cells[one.place]
