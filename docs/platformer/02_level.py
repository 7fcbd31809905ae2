"""Step 2: a level, and a hero."""

import arcade

TILE = 64
GRASS = ":resources:images/tiles/grassMid.png"
CRATE = ":resources:images/tiles/boxCrate_double.png"
HERO = ":resources:images/animated_characters/female_adventurer/femaleAdventurer_idle.png"


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
