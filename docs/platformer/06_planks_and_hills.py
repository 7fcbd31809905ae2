"""Step 6: one-way planks, a hill, and F1 for debug drawing."""

import arcade

from impinge_arcade import PhysicsEnginePlatformer, draw_debug

TILE = 64
GRASS = ":resources:images/tiles/grassMid.png"
CRATE = ":resources:images/tiles/boxCrate_double.png"
UPHILL = ":resources:images/tiles/grassHill_right.png"
DOWNHILL = ":resources:images/tiles/grassHill_left.png"
DIRT = ":resources:images/tiles/grassCenter.png"
STONE = ":resources:images/tiles/stoneMid.png"
PLANK = ":resources:images/tiles/grassHalf_mid.png"
COIN = ":resources:images/items/coinGold.png"
HERO = ":resources:images/animated_characters/female_adventurer/femaleAdventurer_idle.png"

RUN = 5  # pixels an update
JUMP = 14
GRAVITY = 0.6
START = 100, 200


class Game(arcade.View):
    """The game: a level and its hero."""

    def __init__(self):
        super().__init__(background_color=arcade.color.SKY_BLUE)
        self.walls = arcade.SpriteList()
        for column in range(40):
            if not 12 <= column < 17:  # a pit
                self.walls.append(arcade.Sprite(GRASS, 0.5, TILE * (column + 0.5), TILE / 2))
        for column, row in [(5, 1), (9, 1), (9, 2)]:
            self.walls.append(arcade.Sprite(CRATE, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
        for image, column, row in [
            (UPHILL, 26, 1),
            (DIRT, 27, 1),
            (UPHILL, 27, 2),
            (DIRT, 28, 1),
            (GRASS, 28, 2),
            (DIRT, 29, 1),
            (DOWNHILL, 29, 2),
            (DOWNHILL, 30, 1),
        ]:
            self.walls.append(arcade.Sprite(image, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
        self.planks = arcade.SpriteList()
        for column, row in [(7, 3), (8, 5), (24, 2), (24, 4)]:
            self.planks.append(arcade.Sprite(PLANK, 0.5, TILE * (column + 0.5), TILE * row))
        self.coins = arcade.SpriteList()
        for column, row in [(3, 1), (5, 3), (7, 1), (9, 4), (19, 6), (24, 5), (28, 4)]:
            self.coins.append(arcade.Sprite(COIN, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
        self.platforms = arcade.SpriteList()
        self.make_platforms()
        self.hero = arcade.Sprite(HERO, 0.5, *START)
        self.heroes = arcade.SpriteList()
        self.heroes.append(self.hero)
        self.engine = PhysicsEnginePlatformer(
            self.hero,
            self.platforms,
            walls=self.walls,
            one_way=self.planks,
            sensors=self.coins,
            gravity_constant=GRAVITY,
            max_slope_degrees=50,
            snap=8,
        )
        self.camera = arcade.Camera2D()
        self.text = arcade.Text("", 10, 570, arcade.color.BLACK, 18)
        self.pressed = set()
        self.shows_debug = False
        self.score = 0
        self.crushed = 0

    def make_platforms(self):
        ferry = arcade.Sprite(PLANK, 0.5, TILE * 13, TILE * 0.75)
        ferry.change_x = 2
        ferry.boundary_left, ferry.boundary_right = TILE * 12, TILE * 17
        lift = arcade.Sprite(PLANK, 0.5, TILE * 18.5, TILE * 2)
        lift.change_y = 3
        lift.boundary_bottom, lift.boundary_top = TILE, TILE * 6
        press = arcade.Sprite(STONE, 0.5, TILE * 22, TILE * 4)
        press.change_y = -8
        press.boundary_bottom, press.boundary_top = TILE, TILE * 5
        self.platforms.extend([ferry, lift, press])

    def on_key_press(self, key, modifiers):
        self.pressed.add(key)
        if key == arcade.key.UP and self.engine.can_jump():
            self.engine.jump(JUMP)
        if key == arcade.key.F1:
            self.shows_debug = not self.shows_debug

    def on_key_release(self, key, modifiers):
        self.pressed.discard(key)

    def on_update(self, delta_time):
        self.hero.change_x = RUN * ((arcade.key.RIGHT in self.pressed) - (arcade.key.LEFT in self.pressed))
        self.engine.update()
        for _, coin in self.engine.sensed:
            coin.remove_from_sprite_lists()
            self.score += 1
        if any(event.kind == "stuck" for event in self.engine.events):
            self.crushed += 1
            self.go_back()
        elif self.hero.top < 0:
            self.go_back()
        self.camera.position = max(self.hero.center_x, 400), 300

    def go_back(self):
        self.hero.position = START
        self.hero.velocity = 0, 0

    def on_draw(self):
        self.clear()
        with self.camera.activate():
            self.walls.draw()
            self.platforms.draw()
            self.planks.draw()
            self.coins.draw()
            self.heroes.draw()
            if self.shows_debug:
                draw_debug(self.engine)
        self.text.text = f"Coins: {self.score}   Crushed: {self.crushed}"
        self.text.draw()


def main():
    window = arcade.Window(800, 600, "Platformer")
    window.show_view(Game())
    arcade.run()


if __name__ == "__main__":
    main()
