"""Impinge for Arcade: sprites in, exact pushes out."""

from impinge_arcade.attaching import Attachment, attach
from impinge_arcade.debug import draw_debug
from impinge_arcade.engine import PushEngine, SpriteEvent

__all__ = ["Attachment", "PushEngine", "SpriteEvent", "attach", "draw_debug"]
