"""Properties that are computed once."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["cached_property"]

T = TypeVar("T")

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property[T]):  # noqa: N801  the name that it stands in for
        """A `functools.cached_property` without a lock.

        Before Python 3.12 that one holds a lock for all objects of a class. In a process that was forked meanwhile by
        another thread, it stayed locked for ever. Here two threads may both compute a value, and one is kept.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Return the value, which hides this property from then on."""
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))
