"""Arcade's engine for Pymunk steps its space with the settings that it was given."""

from __future__ import annotations

import arcade

from impinge_pymunk import continuous


def test_no_sprite_of_arcades_engine_for_pymunk_passes_through_a_wall() -> None:
    engine = arcade.PymunkPhysicsEngine(gravity=(0, 0))
    wall, bullet = arcade.SpriteSolidColor(2, 400, 50, 0), arcade.SpriteSolidColor(4, 4, 0, 0)
    engine.add_sprite(wall, body_type=arcade.PymunkPhysicsEngine.STATIC, elasticity=1)
    engine.add_sprite(bullet, elasticity=1, friction=0)
    engine.set_velocity(bullet, (6000, 0))
    steps = continuous(engine)
    assert steps.space is engine.space
    engine.step(1 / 60)
    assert bullet.center_x < 49
    body = engine.get_physics_object(bullet).body
    assert body is not None
    assert body.velocity.x < 0
    steps.release()
