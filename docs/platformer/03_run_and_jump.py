"""Step 3: the hero falls, runs and jumps."""

import arcade

from impinge_arcade import PhysicsEnginePlatformer

TILE = 64
GRASS = ":resources:images/tiles/grassMid.png"
CRATE = ":resources:images/tiles/boxCrate_double.png"
HERO = ":resources:images/animated_characters/female_adventurer/femaleAdventurer_idle.png"

RUN = 5  # pixels an update
JUMP = 14
GRAVITY = 0.6


class Game(arcade.View):
    """The game: a level and its hero."""

    def __init__(self):
        super().__init__(background_color=arcade.color.SKY_BLUE)
        self.walls = arcade.SpriteList()
        for column in range(20):
            self.walls.append(arcade.Sprite(GRASS, 0.5, TILE * (column + 0.5), TILE / 2))
        for column, row in [(5, 1), (9, 1), (9, 2)]:
            self.walls.append(arcade.Sprite(CRATE, 0.5, TILE * (column + 0.5), TILE * (row + 0.5)))
        self.hero = arcade.Sprite(HERO, 0.5, 100, 200)
        self.heroes = arcade.SpriteList()
        self.heroes.append(self.hero)
        self.engine = PhysicsEnginePlatformer(self.hero, walls=self.walls, gravity_constant=GRAVITY)
        self.pressed = set()

    def on_key_press(self, key, modifiers):
        self.pressed.add(key)
        if key == arcade.key.UP and self.engine.can_jump():
            self.engine.jump(JUMP)

    def on_key_release(self, key, modifiers):
        self.pressed.discard(key)

    def on_update(self, delta_time):
        self.hero.change_x = RUN * ((arcade.key.RIGHT in self.pressed) - (arcade.key.LEFT in self.pressed))
        self.engine.update()

    def on_draw(self):
        self.clear()
        self.walls.draw()
        self.heroes.draw()


def main():
    window = arcade.Window(800, 600, "Platformer")
    window.show_view(Game())
    arcade.run()


if __name__ == "__main__":
    main()
