"""Writing a module so that it runs and cannot be read.

A judge holds the right answer and knows the mistakes. A student's ``check`` needs the judge,
without a network, on any Python of the course; but whoever searches for a name, or opens the file,
must not find the answer in it. So the module's source is compressed and written in letters that
say nothing.

That keeps an answer from being *read*. It does not keep it from somebody who undoes the
compression, which takes two lines of Python: what runs on a student's machine can be taken apart
there. Grades do not depend on it, because instructors judge with their own copy.
"""

from base64 import b85encode
from bz2 import compress

__all__ = ["sealed_module"]

_WIDTH = 96

_MODULE = '''\
"""{docstring}

How answers are judged stands below in a form that runs and is not meant to be read.
"""

from base64 import b85decode as _decode
from bz2 import decompress as _decompress

_SEALED = """
{sealed}
"""

exec(compile(_decompress(_decode("".join(_SEALED.split()))), __name__, "exec", dont_inherit=True))
'''


def sealed_module(source: str, docstring: str) -> str:
    """Return a module that does what ``source`` does.

    Parameters
    ----------
    source : str
        The text of a Python module.
    docstring : str
        One line for whoever opens the file; the docstring of ``source`` may say too much.

    Notes
    -----
    Source and not bytecode, which each version of Python writes in its own form. bz2 and not zlib,
    whose implementations compress differently: the same source gives the same letters everywhere.
    """
    letters = b85encode(compress(source.encode("utf-8"))).decode("ascii")
    sealed = "\n".join(letters[i : i + _WIDTH] for i in range(0, len(letters), _WIDTH))
    return _MODULE.format(docstring=docstring, sealed=sealed)
