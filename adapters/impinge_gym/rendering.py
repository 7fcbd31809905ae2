"""Pictures of copies, drawn by Arcade without a screen: the shapes of the bodies, in flat colours."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from impinge.shapes.solids import Solid
from impinge_gym.game import Game
from impinge_gym.headless import arcade_without_screen
from impinge_gym.level import AREA_LAYER, DEADLY_LAYER, Area

__all__ = ["Painter"]

Colour: TypeAlias = tuple[int, int, int]
Points: TypeAlias = NDArray[np.float64]

SKY: Final[Colour] = (186, 224, 242)
WALL: Final[Colour] = (84, 92, 112)
ONE_WAY: Final[Colour] = (150, 112, 72)
MOVER: Final[Colour] = (196, 120, 40)
CRATE: Final[Colour] = (160, 130, 90)
COIN: Final[Colour] = (240, 190, 30)
EXIT: Final[Colour] = (40, 150, 80)
DEADLY: Final[Colour] = (200, 40, 40)
PLAYER: Final[Colour] = (40, 80, 190)
# Corners of a rounded piece.
CORNERS: Final = 24


class Painter:
    """Draws copies of a game.

    Parameters
    ----------
    game
        The game.
    width
        Width of a picture in pixels. Its height follows from the bounds of the level.
    """

    def __init__(self, game: Game, width: int) -> None:
        self.arcade = arcade = arcade_without_screen()
        try:
            window = arcade.get_window()
        except RuntimeError:
            window = arcade.Window(64, 64, "impinge_gym", visible=False)
        self.game, self.window = game, window
        left, bottom, right, top = game.level.bounds
        margin = game.level.tile
        height = max(1, round(width * (top - bottom + 2 * margin) / (right - left)))
        self.size = width, height
        self.buffer = window.ctx.framebuffer(color_attachments=[window.ctx.texture(self.size, components=3)])
        self.camera = arcade.Camera2D(
            viewport=arcade.LBWH(0, 0, width, height),
            projection=arcade.LRBT(left, right, bottom - margin, top + margin),
            position=(0, 0),
            render_target=self.buffer,
        )
        self.still = arcade.shape_list.ShapeElementList()
        self.moving: list[tuple[int, Solid, Colour]] = []
        self._sort_bodies()

    def paint(self, number: int) -> NDArray[np.uint8]:
        """Return the picture of a copy, an array of shape (height, width, 3)."""
        arcade, game = self.arcade, self.game
        poses = game.fleet.poses([row for row, _, _ in self.moving], [number])[0]
        with self.camera.activate():
            self.buffer.clear(color=(*SKY, 255))
            self.still.draw()
            for area, is_gone in zip(game.level.coins, game.collected[number], strict=True):
                if not is_gone:
                    for outline in _area_outlines(area):
                        arcade.draw_polygon_filled(outline.tolist(), COIN)
            for (_, shape, colour), pose in zip(self.moving, poses, strict=True):
                for outline in outlines(shape, *pose):
                    arcade.draw_polygon_filled(outline.tolist(), colour)
        data = self.buffer.read(components=3)
        width, height = self.size
        return np.frombuffer(data, np.uint8).reshape(height, width, 3)[::-1].copy()

    def _sort_bodies(self) -> None:
        """Take up the bodies that never move, and those that may move, the player last."""
        level, still = self.game.level, []
        player = level.world.body(level.player)
        for body in level.world:
            if body.layer & (AREA_LAYER | DEADLY_LAYER) or body is player:
                continue
            if body.index in level.tracks:
                self.moving.append((body.index, body.shape, MOVER))
            elif body.might <= player.might:
                self.moving.append((body.index, body.shape, CRATE))
            else:
                pose = body.pose
                colour = ONE_WAY if body.passable else WALL
                still += [(outline, colour) for outline in outlines(body.shape, pose.x, pose.y, pose.angle)]
        for areas, colour in ((level.exits, EXIT), (level.deadly, DEADLY)):
            still += [(outline, colour) for area in areas for outline in _area_outlines(area)]
        self.moving.append((level.player, player.shape, PLAYER))
        for outline, colour in still:
            self.still.append(self.arcade.shape_list.create_polygon(outline.tolist(), colour))


def outlines(shape: Solid, x: float, y: float, angle: float) -> list[Points]:
    """Return the outline of each convex piece of a shape at a pose, an array of points each.

    Rounded pieces are drawn by their support points (Ericson, "Real-Time Collision Detection", 2005, section 9.5).
    """
    turns = np.arange(CORNERS) * (2.0 * np.pi / CORNERS)
    ways = np.column_stack((np.cos(turns), np.sin(turns)))
    cosine, sine = np.cos(angle), np.sin(angle)
    found = []
    for points, radius in shape.pieces:
        corners = np.array(points)
        if radius > 0.0:
            corners = corners[(ways @ corners.T).argmax(axis=1)] + radius * ways
        found.append(corners @ np.array(((cosine, sine), (-sine, cosine))) + (x, y))
    return found


def _area_outlines(area: Area) -> list[Points]:
    shape, pose = area
    return outlines(shape, pose.x, pose.y, pose.angle)
