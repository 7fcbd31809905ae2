"""Step 1: a window."""

import arcade


class Game(arcade.View):
    """The game: only sky so far."""

    def __init__(self):
        super().__init__(background_color=arcade.color.SKY_BLUE)

    def on_draw(self):
        self.clear()


def main():
    window = arcade.Window(800, 600, "Platformer")
    window.show_view(Game())
    arcade.run()


if __name__ == "__main__":
    main()
