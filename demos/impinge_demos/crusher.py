"""A platformer whose walls push the player: blocks shove you, an elevator holds on to you, a press crushes you.

`python -m impinge_demos crusher` starts it. Pictures and sounds are Kenney's (kenney.nl); Arcade brings them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple, TypeVar

import arcade

from impinge import Side
from impinge_arcade import PushEngine, SpriteEvent, draw_debug
from impinge_demos.controls import Controls
from impinge_demos.crusher_bot import Bot
from impinge_demos.demo import HEIGHT, INK, PAPER, SPARK, WIDTH, Demo, text

S = TypeVar("S", bound=arcade.Sprite)

TILE = 48  # pixels
SCALE = TILE / 128  # Kenney's tiles are 128 pixels wide

# + grass, # stone, = one-way platform, o coin, F flag, @ player, the rest is scenery. The HUD covers the top row.
LEVEL = """
.....................
.....................
.....................
.....................
.....................
......o......o.o..o..
.....===...########..
..o........#.....t...
.===.......#........o
......o....#.........
.....===...#.........
b@......g..#.......mF
+++++++++..++++++++++
""".strip().splitlines()

TILES = ":resources:images/tiles/"
ITEMS = ":resources:images/items/"
PLAYER = ":resources:images/animated_characters/female_adventurer/femaleAdventurer_"
CANNON = ":resources:images/topdown_tanks/tankRed_barrel3.png"
LASER = ":resources:images/space_shooter/laserBlue01.png"

# Speeds are pixels a frame, and a frame is 1/60 s.
WALK = 4.0
JUMP = 12.0
GRAVITY = 0.6
BULLET = 3000.0  # three times the window's width
RELOAD = 8  # frames from shot to shot
COIN, GOAL = 10, 100  # points
FADE = 24  # frames in which a bullet's trace fades

WALL_X = 18.5 * TILE  # left edge of the wall that is one pixel wide
SKY = arcade.types.Color(186, 224, 242)
ROOM = arcade.types.Color(44, 50, 66)
HILL = arcade.types.Color(170, 212, 190)
CLOUD = arcade.types.Color(236, 246, 251)
HURT = arcade.types.Color(255, 120, 120)

HILLS = [(90, 48, 420, 260), (380, 48, 460, 170)]  # ellipses: x, y, width, height
CLOUDS = [
    (70, 520, 110, 36),
    (115, 534, 90, 40),
    (430, 470, 120, 38),
    (390, 458, 90, 30),
    (900, 470, 120, 40),
]


class Thing(NamedTuple):
    """A feature to try out. Its name is drawn beside it; the HUD shows its line while the player is near."""

    name: str
    x: float
    y: float
    line: str


BLOCK = "Block: it goes where it goes. In its way you are pushed, on its top you are carried."
ONE_WAY = "One-way platform, passable=LEFT|RIGHT|BOTTOM: jump up through it, and stand on it."
ELEVATOR = "Elevator, sticky=TOP: it holds you on the way down too, until you jump or walk off."
PRESS = "Press: between it and the floor you are stuck. Then the level starts again."
WALL = "A wall of one pixel against bullets of 3,000 pixels a frame: behind it you are safe."
THINGS = [
    Thing("block", 5.5 * TILE, 0.5 * TILE, BLOCK),
    Thing("block", 0.5 * TILE, 5.5 * TILE, BLOCK),
    Thing("one-way platform", 6.5 * TILE, 2.3 * TILE, ONE_WAY),
    Thing("one-way platform", 6.5 * TILE, 6.3 * TILE, ONE_WAY),
    Thing("elevator, sticky", 10.0 * TILE, 7.6 * TILE, ELEVATOR),
    Thing("press", 17.0 * TILE, 10.0 * TILE, PRESS),
    Thing("1-pixel wall", 19.7 * TILE, 5.5 * TILE, WALL),
]


class Leg(NamedTuple):
    """A part of a timetable: a number of frames at one speed."""

    frames: int
    change_x: float
    change_y: float


class Mover(arcade.Sprite):
    """A wall that repeats a timetable and that nothing stops.

    `start` is the frame of the timetable to begin with.
    """

    def __init__(self, image: str, scale: float | tuple[float, float], timetable: list[Leg], start: int) -> None:
        super().__init__(image, scale)
        self.legs = [leg for leg in timetable for _ in range(leg.frames)]
        self.step = start % len(self.legs)

    def stand_at(self, left: float, top: float) -> None:
        """Place the wall where the timetable has brought it, if it started with this top left corner."""
        past = self.legs[: self.step]
        self.left = left + sum(leg.change_x for leg in past)
        self.top = top + sum(leg.change_y for leg in past)

    def set_speed(self) -> None:
        """Set the speed of the next frame. The engine moves the wall."""
        _, self.change_x, self.change_y = self.legs[self.step]
        self.step = (self.step + 1) % len(self.legs)


class Player(arcade.Sprite):
    """The player's sprite: textures and hit box. The game and the engine move it."""

    def __init__(self) -> None:
        names = ["idle", "jump", "fall", *(f"walk{number}" for number in range(8))]
        self.rightward = {name: arcade.load_texture(f"{PLAYER}{name}.png") for name in names}
        self.leftward = {name: texture.flip_left_right() for name, texture in self.rightward.items()}
        self.facing = self.rightward
        super().__init__(self.facing["idle"], scale=0.5)
        # One hit box for all textures. With one for each texture, the swinging arms would reach into walls.
        corners = [(-32, -64), (32, -64), (32, 42), (-32, 42)]
        self.hit_box = arcade.hitbox.HitBox(corners, self.position, self.scale)

    def show(self, controls: Controls, grounded: bool) -> None:
        """Show the texture for what the player does."""
        if controls.x:
            self.facing = self.rightward if controls.x > 0 else self.leftward
        if not grounded:
            name = "jump" if self.change_y > 0 else "fall"
        elif controls.x:
            name = f"walk{int(self.center_x // 8) % 8}"
        else:
            name = "idle"
        self.texture = self.facing[name]


class Hit(NamedTuple):
    """The place where a bullet was stopped, and the frame."""

    x: float
    y: float
    frame: int


def sprites(*members: S) -> arcade.SpriteList[S]:
    """Make a sprite list."""
    made: arcade.SpriteList[S] = arcade.SpriteList()
    made.extend(members)
    return made


class Game(Demo):
    """The level and its rules."""

    title = "Crusher: walls that push"
    keys = "arrows or WASD walk, space jumps"
    background = SKY
    sounds: ClassVar = {
        "jump": "jump1",
        "bullet": "laser1",
        "push": "hit5",
        "coin": "coin1",
        "crush": "hurt1",
        "goal": "upgrade1",
    }

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.life = self.pushes = self.crushes = self.goals = self.fired = self.through = 0
        self.hits: deque[Hit] = deque(maxlen=24)
        self.signs = Signs()
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that play the game."""
        return Bot(self)

    def setup(self) -> None:
        """Start the level. The seed varies the speeds and starting positions of the moving walls."""
        self.life += 1
        self.pause = 0  # frames until the level starts again
        self.message = ""
        self.pushing: set[arcade.BasicSprite] = set()
        self.player = Player()
        self.players = sprites(self.player)
        self.bullets: list[arcade.Sprite] = []  # not drawn: each flies for less than a frame
        self.build_level()
        self.build_movers()

        # The whole collision setup. The rest of this file is movement and drawing.
        self.engine = PushEngine(mighty=self.walls, shapes="bounds", stop_on_contact=True)
        self.engine.add([self.player, self.bullets], might=0)
        self.engine.add(self.blocks, might=1)
        self.engine.add(self.press, might=1)
        self.engine.add(self.elevator, might=1, sticky=Side.TOP)
        self.engine.add(self.one_way, might=1, passable=Side.LEFT | Side.RIGHT | Side.BOTTOM)

    def build_level(self) -> None:
        """Make the static sprites."""
        self.walls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.one_way: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.coins: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.flags: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.scenery: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        kinds = {
            "+": (f"{TILES}grassMid.png", self.walls),
            "#": (f"{TILES}stoneMid.png", self.walls),
            "=": (f"{TILES}bridgeB.png", self.one_way),
            "o": (f"{ITEMS}coinGold.png", self.coins),
            "F": (f"{ITEMS}flagGreen1.png", self.flags),
            "b": (f"{TILES}bush.png", self.scenery),
            "g": (f"{TILES}grass_sprout.png", self.scenery),
            "m": (f"{TILES}mushroomRed.png", self.scenery),
            "t": (f"{TILES}torch1.png", self.scenery),
        }
        for row, line in enumerate(reversed(LEVEL)):
            for column, letter in enumerate(line):
                x, y = (column + 0.5) * TILE, (row + 0.5) * TILE
                if letter == "@":
                    self.player.center_x, self.player.bottom = x, row * TILE
                elif letter in kinds:
                    image, members = kinds[letter]
                    members.append(arcade.Sprite(image, SCALE, x, y))
        pixel_wall = arcade.SpriteSolidColor(1, 5 * TILE, WALL_X + 0.5, 3.5 * TILE, arcade.color.WHITE)
        edges = [
            arcade.SpriteSolidColor(TILE, 3 * HEIGHT, -TILE / 2, HEIGHT / 2),
            arcade.SpriteSolidColor(TILE, 3 * HEIGHT, WIDTH + TILE / 2, HEIGHT / 2),
            arcade.SpriteSolidColor(WIDTH, TILE, WIDTH / 2, -TILE / 2),
        ]
        self.walls.extend([pixel_wall, *edges])

    def build_movers(self) -> None:
        """Make the moving sprites."""
        start = self.random.randrange(1000)
        crate, stone = f"{TILES}boxCrate_double.png", f"{TILES}brickGrey.png"
        self.block = Mover(crate, SCALE, self.there_and_back(4 * TILE, 0, [64, 96, 128]), start)
        self.block.stand_at(3 * TILE, 2 * TILE)
        high = Mover(crate, SCALE, self.there_and_back(2 * TILE, 0, [48, 64, 96]), start)
        high.stand_at(1 * TILE, 6 * TILE)
        self.blocks = sprites(self.block, high)

        up, down = self.there_and_back(0, 6 * TILE, [64, 72])
        timetable = [Leg(40, 0, 0), up, Leg(30, 0, 0), down]
        self.elevator = Mover(f"{TILES}planetHalf.png", (2 * SCALE, SCALE), timetable, start)
        self.elevator.stand_at(9 * TILE, TILE)

        timetable = [Leg(self.random.randint(60, 90), 0, 0), Leg(6, 0, -24), Leg(20, 0, 0), Leg(48, 0, 3)]
        self.press = Mover(stone, 2 * SCALE, timetable, start)
        self.press.stand_at(14 * TILE, 12 * TILE)

        self.cannon = Mover(CANNON, (3.0, 2.0), self.there_and_back(0, 2 * TILE, [48, 64, 96]), start)
        self.cannon.stand_at(12 * TILE, 3.4 * TILE)
        self.cannon.angle = 90
        self.movers = sprites(*self.blocks, self.elevator, self.press, self.cannon)

    def there_and_back(self, way_x: float, way_y: float, frames: list[int]) -> list[Leg]:
        """Return a timetable there and back, with one of several durations chosen at random."""
        chosen = self.random.choice(frames)
        return [Leg(chosen, way_x / chosen, way_y / chosen), Leg(chosen, -way_x / chosen, -way_y / chosen)]

    def play(self, controls: Controls) -> None:
        """Play a frame."""
        if self.pause:
            self.pause -= 1
            if not self.pause:
                self.setup()
            return
        self.steer(controls)
        for mover in self.movers:
            mover.set_speed()
        self.cannon.update()
        if self.frame % RELOAD == 0:
            self.shoot()
        self.react(self.engine.update())
        self.collect()
        self.player.show(controls, self.grounded)

    @property
    def grounded(self) -> bool:
        """Return whether the player stands on something."""
        return Side.BOTTOM in self.engine.blocked(self.player)

    def steer(self, controls: Controls) -> None:
        """Set the player's velocity for this frame."""
        self.player.change_x = WALK * controls.x
        self.player.change_y -= GRAVITY
        if (controls.first or controls.y > 0) and self.grounded:
            self.player.change_y = JUMP
            self.play_sound("jump")

    def shoot(self) -> None:
        """Fire a bullet: a weak sprite like the player, only faster."""
        bullet = arcade.Sprite(LASER, 0.5)
        bullet.left, bullet.center_y = self.cannon.right, self.cannon.center_y
        bullet.change_x = BULLET
        self.bullets.append(bullet)
        self.fired += 1
        self.play_sound("bullet", 0.15)  # quiet: there are seven in a second

    def react(self, events: Iterable[SpriteEvent]) -> None:
        """React to the engine's events of this frame. Every bullet has finished its flight."""
        pushing = set()
        for event in events:
            if event.weak is not self.player:
                self.hits.append(Hit(event.weak.right, event.weak.center_y, self.frame))
            elif event.kind == "stuck" and not self.pause:
                self.crushes += 1
                self.player.color = HURT
                self.start_again("Crushed!", "crush")
            elif event.speed > 0:
                pushing.add(event.mighty)
        if begun := pushing - self.pushing:  # a push counts when it begins
            self.pushes += len(begun)
            self.play_sound("push", 0.5)
        self.pushing = pushing

        self.through += sum(bullet.left > WALL_X for bullet in self.bullets)
        self.bullets.clear()

    def collect(self) -> None:
        """Collect the coins and the flag that the player touches."""
        for coin in arcade.check_for_collision_with_list(self.player, self.coins):
            coin.remove_from_sprite_lists()
            self.earn(COIN)
            self.play_sound("coin")
        if not self.pause and arcade.check_for_collision_with_list(self.player, self.flags):
            self.goals += 1
            self.earn(GOAL)
            self.start_again("Safe behind one pixel!", "goal")

    def start_again(self, message: str, sound: str) -> None:
        """Start the level again after a pause in which the player sees the reason."""
        self.message = message
        self.pause = 45
        self.play_sound(sound)

    def draw(self) -> None:
        """Draw the frame."""
        self.draw_backdrop()
        for members in (self.scenery, self.flags, self.coins, self.one_way, self.movers, self.walls):
            members.draw()
        self.players.draw()
        self.draw_hits()
        self.signs.draw(self)

    def draw_debug(self) -> None:
        """Draw the boxes that the engine sees."""
        draw_debug(self.engine)

    def draw_backdrop(self) -> None:
        """Draw the background: hills, clouds, the dark rooms, the rod that the press hangs from."""
        for ellipse in HILLS:
            arcade.draw_ellipse_filled(*ellipse, HILL)
        for ellipse in CLOUDS:
            arcade.draw_ellipse_filled(*ellipse, CLOUD)
        arcade.draw_lrbt_rectangle_filled(12 * TILE, WIDTH, TILE, 6 * TILE, ROOM)
        arcade.draw_lrbt_rectangle_filled(9 * TILE, 11 * TILE, 0, TILE, ROOM)
        rod = self.press.center_x
        arcade.draw_lrbt_rectangle_filled(rod - 10, rod + 10, self.press.top, HEIGHT, arcade.color.SLATE_GRAY)

    def draw_hits(self) -> None:
        """Draw the traces of the bullets, which fly for less than a frame, and marks where they hit."""
        for hit in self.hits:
            glow = 1 - (self.frame - hit.frame) / FADE
            if glow > 0:
                arcade.draw_line(self.cannon.right, hit.y, hit.x, hit.y, SPARK.replace(a=int(255 * glow)), 3)
                arcade.draw_circle_filled(hit.x, hit.y, 9 * glow, arcade.color.WHITE)
        arcade.draw_points([(hit.x - 2, hit.y) for hit in self.hits], SPARK, 4)

    def shows(self) -> str:
        """Return the line that explains the nearest feature."""
        return min(THINGS, key=lambda thing: distance(thing, self.player)).line

    def scores(self) -> str:
        """Return the line with points, coins and counts of pushes and crushes."""
        total = sum(row.count("o") for row in LEVEL)
        return (
            f"Score {self.score}, best {self.best}      Coins {total - len(self.coins)} of {total}      "
            f"Home {self.goals}      Pushed {self.pushes}      Crushed {self.crushes}"
        )

    def summary(self) -> str:
        """Return a line that sums up the game."""
        return (
            f"{self.frame} frames, {self.pushes} pushes, {self.crushes} crushes, {self.goals} goals, "
            f"{self.fired} bullets, {self.through} through the wall"
        )

    def state(self) -> dict[str, Any]:
        """Return all positions, hits and counts."""
        return {
            "places": [sprite.position for sprite in (self.player, *self.movers, *self.coins)],
            "hits": list(self.hits),
            "counts": [self.score, self.pushes, self.crushes, self.goals, self.fired, self.through, self.life],
        }


class Signs:
    """The texts in the level."""

    def __init__(self) -> None:
        self.names = [text(thing.x, thing.y, 10, PAPER, "center", thing.name) for thing in THINGS]
        self.shots = text(15.5 * TILE, 2.0 * TILE, 14, SPARK, "center")
        self.speed = text(15.5 * TILE, 1.6 * TILE, 10, PAPER, "center", "3,000 pixels a frame, at a wall of 1 pixel")

    def draw(self, game: Game) -> None:
        """Draw the texts."""
        self.shots.text = f"{game.fired} bullets, {game.through} through"
        for name in self.names:
            left, right, bottom, top = name.left - 5, name.right + 5, name.bottom - 1, name.top
            arcade.draw_lrbt_rectangle_filled(left, right, bottom, top, INK.replace(a=150))
            name.draw()
        self.shots.draw()
        self.speed.draw()


def distance(thing: Thing, player: Player) -> float:
    """Return the distance from the player to a feature."""
    return arcade.math.get_distance(thing.x, thing.y, player.center_x, player.center_y)
