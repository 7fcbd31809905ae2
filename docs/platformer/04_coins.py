"""Step 4: a camera that follows the hero, and coins."""

import arcade

from impinge_arcade import PhysicsEnginePlatformer

TILE = 64
GRASS = ":resources:images/tiles/grassMid.png"
CRATE = ":resources:images/tiles/boxCrate_double.png"
COIN = ":resources:images/items/coinGold.png"
HERO = ":resources:images/animated_characters/female_adventurer/femaleAdventurer_idle.png"

RUN = 5  # pixels an update
JUMP = 14
GRAVITY = 0.6


class Game(arcade.View):
    """The game: a level and its hero."""

    def __init__(self):
        super().__init__(background_color=arcade.color.SKY_BLUE)
        self.walls = arcade.SpriteList()
        for column in range(40):
            self.walls.append(arcade.Sprite(GRASS, 0.5, TILE * (column + 0.5), TILE / 2))
        for column, row in [(5, 1), (9, 1), (9, 2)]:
            self.walls.append(arcade.Sprite(CRATE, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
        self.coins = arcade.SpriteList()
        for column, row in [(3, 1), (5, 3), (7, 1), (9, 4)]:
            self.coins.append(arcade.Sprite(COIN, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
        self.hero = arcade.Sprite(HERO, 0.5, 100, 200)
        self.heroes = arcade.SpriteList()
        self.heroes.append(self.hero)
        self.engine = PhysicsEnginePlatformer(self.hero, walls=self.walls, sensors=self.coins, gravity_constant=GRAVITY)
        self.camera = arcade.Camera2D()
        self.text = arcade.Text("", 10, 570, arcade.color.BLACK, 18)
        self.pressed = set()
        self.score = 0

    def on_key_press(self, key, modifiers):
        self.pressed.add(key)
        if key == arcade.key.UP and self.engine.can_jump():
            self.engine.jump(JUMP)

    def on_key_release(self, key, modifiers):
        self.pressed.discard(key)

    def on_update(self, delta_time):
        self.hero.change_x = RUN * ((arcade.key.RIGHT in self.pressed) - (arcade.key.LEFT in self.pressed))
        self.engine.update()
        for _, coin in self.engine.sensed:
            coin.remove_from_sprite_lists()
            self.score += 1
        self.camera.position = max(self.hero.center_x, 400), 300

    def on_draw(self):
        self.clear()
        with self.camera.activate():
            self.walls.draw()
            self.coins.draw()
            self.heroes.draw()
        self.text.text = f"Coins: {self.score}"
        self.text.draw()


def main():
    window = arcade.Window(800, 600, "Platformer")
    window.show_view(Game())
    arcade.run()


if __name__ == "__main__":
    main()
