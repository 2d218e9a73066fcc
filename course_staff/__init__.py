"""What authors and instructors use; no student needs it."""

from pathlib import Path

from gradient_tools import tool_folders

tool_folders.add(str(Path(__file__).absolute().parent))
