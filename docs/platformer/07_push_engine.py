"""Step 7: the same world on PushEngine: slopes, ladders, platforms that move and turn, a conveyor, and crates."""

import arcade

from impinge import Side
from impinge_arcade import Jump, Ladders, PushEngine, Walker, WallSlide

TILE = 64
GRASS = ":resources:images/tiles/grassMid.png"
UPHILL = ":resources:images/tiles/grassHill_right.png"
STONE = ":resources:images/tiles/stoneMid.png"
CRATE = ":resources:images/tiles/boxCrate_double.png"
PLANK = ":resources:images/tiles/grassHalf_mid.png"
BELT = ":resources:images/tiles/bridgeB.png"
LADDER = ":resources:images/items/ladderMid.png"
COIN = ":resources:images/items/coinGold.png"
HERO = ":resources:images/animated_characters/female_adventurer/femaleAdventurer_idle.png"

RUN = 5  # pixels an update
GRAVITY = 0.6
START = 100, 200


def row_of(image, places):
    """Return a list of sprites at columns and rows of tiles."""
    sprites = arcade.SpriteList()
    for column, row in places:
        sprites.append(arcade.Sprite(image, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
    return sprites


class Game(arcade.View):
    """The game: a level and its hero."""

    def __init__(self):
        super().__init__(background_color=arcade.color.SKY_BLUE)
        self.walls = row_of(GRASS, [(column, 0) for column in range(40) if not 12 <= column < 17])
        self.walls.extend([*row_of(UPHILL, [(20, 1)]), *row_of(STONE, [(21, 1), *((25, row) for row in range(1, 5))])])
        self.ladders = row_of(LADDER, [(24, row) for row in range(1, 5)])
        self.crates = row_of(CRATE, [(5, 1), (9, 1)])
        self.belts = row_of(BELT, [(column, 0.75) for column in range(29, 34)])
        self.lifts, self.wheels = row_of(PLANK, [(13, 0.25)]), row_of(PLANK, [(7, 3)])
        self.lifts[0].change_x, self.lifts[0].boundary_left, self.lifts[0].boundary_right = 2, TILE * 12, TILE * 17
        self.wheels[0].change_angle = 0.5  # degrees an update, clockwise
        self.coins = row_of(COIN, [(3, 1), (7, 4.5), (14, 3), (24, 6), (31, 2)])
        self.hero = arcade.Sprite(HERO, 0.5, *START)
        self.heroes = arcade.SpriteList()
        self.heroes.append(self.hero)

        self.engine = PushEngine(weak=self.heroes)
        self.engine.add(self.crates, might=1)
        self.engine.add([self.walls, self.wheels], might=2)
        self.engine.add(self.lifts, might=2, sticky=Side.TOP)
        self.engine.add(self.belts, might=2, surface_speed=2)
        self.engine.add(self.coins, response="sensor")
        self.engine.on("begin", self.hero, self.coins, self.take)
        self.engine.on("touch", self.hero, self.crates, self.push)
        self.engine.on("stuck", self.hero, None, lambda hero, wall, event: self.go_back())

        self.climb = Ladders(self.ladders)
        self.jump = Jump(14, coyote=5, buffer=5, times=2, cut=0.5)
        abilities = self.climb, self.jump, WallSlide(2)
        self.walker = Walker(self.engine, self.hero, *abilities, gravity=GRAVITY, max_slope_degrees=50, snap=8)
        for crate in self.crates:
            Walker(self.engine, crate, gravity=GRAVITY)
        self.camera = arcade.Camera2D()
        self.pressed = set()
        self.score = 0

    def take(self, hero, coin, event):
        coin.kill()
        self.score += 1

    def push(self, hero, crate, event):
        if event.side in (Side.LEFT, Side.RIGHT):
            crate.change_x = hero.change_x / 2

    def go_back(self):
        self.hero.position, self.hero.velocity = START, (0, 0)

    def on_key_press(self, key, modifiers):
        self.pressed.add(key)
        if key == arcade.key.SPACE:
            self.jump.press()

    def on_key_release(self, key, modifiers):
        self.pressed.discard(key)
        if key == arcade.key.SPACE:
            self.jump.release()

    def on_update(self, delta_time):
        keys = self.pressed
        self.walker.run(RUN * ((arcade.key.RIGHT in keys) - (arcade.key.LEFT in keys)))
        self.climb.speed = 3 * ((arcade.key.UP in keys) - (arcade.key.DOWN in keys))
        self.engine.update()
        for crate in self.crates:
            crate.change_x = 0 if crate not in self.touched() else crate.change_x
        if self.hero.top < 0:
            self.go_back()
        self.camera.position = max(self.hero.center_x, 400), 300

    def touched(self):
        return {event.mighty for event in self.engine.events if event.weak is self.hero}

    def on_draw(self):
        self.clear()
        with self.camera.activate():
            for sprites in (self.walls, self.ladders, self.belts, self.lifts, self.wheels, self.crates, self.coins):
                sprites.draw()
            self.heroes.draw()


if __name__ == "__main__":
    window = arcade.Window(800, 600, "Platformer")
    window.show_view(Game())
    arcade.run()
