"""Files from which an exploration goes on after its process has ended. Loading one runs no code from it."""

from __future__ import annotations

import json
import os
import struct
import time
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

import impinge as im

__all__ = ["DAMAGES", "Arrays", "Checkpoint"]

Arrays = dict[str, NDArray[Any]]

# Errors of reading a damaged file, or a file of another program.
DAMAGES = (
    zipfile.BadZipFile, zlib.error, ArithmeticError, AttributeError, EOFError, LookupError, NotImplementedError,
    RecursionError, RuntimeError, TypeError, ValueError, struct.error, tokenize.TokenError, SyntaxError,
)  # fmt: skip
# Limit of the arrays in a file. 200,000 cells take some 100 MB.
MOST_BYTES = 1 << 31
# Seconds between two checkpoints.
INTERVAL = 60.0
HEADER = "header"
FORMAT = "impinge_playtest checkpoint"
VERSION = 1


class Checkpoint:
    """A file with the state of an exploration after a round.

    Parameters
    ----------
    path
        The file. Its folder is made.
    subject
        What is played, by the names of the arguments that say so. Only a file of the same subject is loaded.

    Raises
    ------
    OSError
        If the file cannot be written.
    """

    def __init__(self, path: Path, subject: dict[str, Any]) -> None:
        self.path, self._subject = path, subject
        self._part = path.with_name(path.name + ".part")
        if path.is_dir():
            raise IsADirectoryError(f"checkpoint must be a file, got the folder {path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._part.open("wb"):
            pass  # a mistake in the path shows now, not after a minute
        self._part.unlink()
        self._saved = time.monotonic()

    def save_in_time(self, state: Callable[[], Arrays]) -> None:
        """Write a state, if the last one was written long ago."""
        if time.monotonic() - self._saved >= INTERVAL:
            self.save(state())

    def save(self, state: Arrays) -> None:
        """Write a state to a new file, which then replaces the former one: a whole file is always there."""
        header = {"format": FORMAT, "version": VERSION, "subject": self._subject}
        text = np.frombuffer(json.dumps(header).encode(), np.uint8)
        with self._part.open("wb") as file:
            np.savez(file, allow_pickle=False, **{HEADER: text}, **state)
            file.flush()
            os.fsync(file.fileno())
        self._part.replace(self.path)
        self._saved = time.monotonic()

    def load(self, restore: Callable[[Arrays], None]) -> None:
        """Call a function with the state in the file.

        Raises
        ------
        impinge.SnapshotError
            If the file is no checkpoint, is damaged, or needs too much memory.
        ValueError
            If the file is of another subject; the message names the argument.
        OSError
            If the file cannot be read.
        """
        try:
            with self.path.open("rb") as opened:
                _check_size(opened)
                with np.load(opened, allow_pickle=False) as file:
                    state: Arrays = dict(file)
            header = json.loads(state.pop(HEADER).tobytes())
            kind, version, subject = header["format"], header["version"], header["subject"]
        except DAMAGES as error:
            raise self._refusal(error) from None
        if (kind, version) != (FORMAT, VERSION):
            raise im.SnapshotError(f"checkpoint must be of version {VERSION}, got {self.path} of version {version!r}")
        for name, own in self._subject.items():
            if subject.get(name) != own:
                raise ValueError(f"{name} must be {subject.get(name)!r}, as in the checkpoint {self.path}, got {own!r}")
        try:
            restore(state)
        except DAMAGES as error:
            raise self._refusal(error) from None

    def _refusal(self, error: Exception) -> im.SnapshotError:
        return im.SnapshotError(f"checkpoint must be a whole file of impinge_playtest, got {self.path}: {error}")


def _check_size(file: BinaryIO) -> None:
    """Raise a ValueError if the unpacked arrays are too large: a small file may hold many zeros."""
    with zipfile.ZipFile(file) as archive:
        size = sum(each.file_size for each in archive.infolist())
    if size > MOST_BYTES:
        raise ValueError(f"it holds {size} bytes, and may hold {MOST_BYTES}")
    file.seek(0)
