"""The message if only the distribution is installed, without what the course needs."""

__all__ = ["missing_in_words"]


def missing_in_words(what: str, error: ModuleNotFoundError) -> str:
    """Say which package ``what`` needs and lacks, and the command that installs all of them."""
    return (
        f"{what} needs the package {error.name}, which is not installed: it comes with the "
        '"course" extra. To install what the course needs, run this with the same Python:\n    '
        'python -m pip install "hands-on-gradienttape[course]"'
    )
