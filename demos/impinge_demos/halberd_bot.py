"""The script that plays `halberd`. It reacts to the state of the game, so it works with every seed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import arcade

from impinge_demos.controls import Controls

if TYPE_CHECKING:
    from impinge_demos.halberd import Game
    from impinge_demos.halberd_fighters import Guard

__all__ = ["Bot"]

# Pixels to the middle of a guard.
SWORD, HALBERD, TOO_NEAR = 50.0, 104.0, 44.0  # reach of the sword; of the halberd; and nearer than the halberd hits
HUNTED = 260.0
CAREFUL = 130.0  # distance in pixels at which it begins to sneak


class Bot:
    """Controls that play `halberd`: sneak up on unaware guards, and strike with the weapon that reaches."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __call__(self) -> Controls:
        """Return the controls for the next frame."""
        game = self.game
        if not game.guards or game.pause:
            return Controls()
        guard = min(game.guards, key=self.priority)
        threat = next((other for other in game.guards if self.is_threat(other)), None)
        if threat is not None and not self.is_rash:
            return self.walk(threat.bearing(game.knight.place))
        if game.knight.swing is not None:
            return Controls()
        return self.fight(guard) or self.grab(guard) or self.approach(guard)

    @property
    def is_rash(self) -> bool:
        """Return whether the bot runs for the gems and keeps the halberd: from wave 2 on, until its first defeat."""
        return self.game.counts["losses"] == 0 and self.game.wave > 1

    def priority(self, guard: Guard) -> float:
        """Return the distance to a guard, less for guards that pursue."""
        return self.game.knight.distance(guard.place) - 60 * guard.pursues

    def fight(self, guard: Guard) -> Controls | None:
        """Strike if a guard is within reach. A rash bot waits until the guard is too near for the halberd."""
        knight = self.game.knight
        distance = knight.distance(guard.place)
        self.choose_weapon(guard, distance)
        reach = TOO_NEAR if self.is_rash else SWORD if knight.weapon.name == "sword" else HALBERD
        if distance < reach and self.is_clear(guard):
            return self.walk(knight.bearing(guard.place), first=True)
        return None

    def grab(self, guard: Guard) -> Controls | None:
        """Run for the nearest gem, if the bot is rash and no guard hunts it."""
        knight, gems = self.game.knight, self.game.gems
        is_hunted = guard.pursues and knight.distance(guard.place) < HUNTED
        if not self.is_rash or is_hunted or not gems:
            return None
        gem = min((gem.pose for gem in gems), key=lambda pose: knight.distance((pose.x, pose.y)))
        return self.walk(knight.bearing(self.game.ways.next_place(knight.place, (gem.x, gem.y))))

    def approach(self, guard: Guard) -> Controls:
        """Walk to a guard; if the guard is unaware, sneak up from behind."""
        knight, (x, y) = self.game.knight, guard.place
        sneaks = not guard.pursues and not self.is_rash
        if sneaks:
            x, y = x - 30 * math.cos(guard.facing), y - 30 * math.sin(guard.facing)
        place = self.game.ways.next_place(knight.place, (x, y))
        return self.walk(knight.bearing(place), second=sneaks and knight.distance(guard.place) < CAREFUL)

    def walk(self, angle: float, first: bool = False, second: bool = False) -> Controls:
        """Walk in a direction."""
        return Controls(math.cos(angle), math.sin(angle), first, second)

    def is_threat(self, guard: Guard) -> bool:
        """Return whether a guard winds up or strikes, near enough to hit."""
        swing = guard.swing
        return swing is not None and swing.phase != "recovery" and self.game.knight.distance(guard.place) < 70

    def choose_weapon(self, guard: Guard, distance: float) -> None:
        """Press Q for the right weapon: the halberd for a pursuing guard, the sword for an unaware one."""
        wanted = "halberd" if self.is_rash or (guard.pursues and distance > 75) else "sword"
        if self.game.knight.weapon.name != wanted:
            self.game.on_key_press(arcade.key.Q, 0)

    def is_clear(self, guard: Guard) -> bool:
        """Return whether no wall is between the knight and a guard."""
        return not self.game.world.along(self.game.knight.place, guard.place, mask=self.game.ways.mask)
