"""The report of an exploration: a folder with a page, a picture, numbers, and a replay for each route and finding."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from impinge_playtest.explorer import Exploration
from impinge_playtest.findings import KINDS, Finding, Route
from impinge_playtest.picture import HEAT, draw, route_colour
from impinge_playtest.replay import runs_of, save_replay

__all__ = ["write_report"]


def write_report(exploration: Exploration, folder: Path) -> None:
    """Write a report.

    Parameters
    ----------
    exploration
        What was found.
    folder
        Where to: it and its parents are made. It gets `index.html`, `level.png`, `report.json`, `level.json`, and
        `replays` with a file for each route and each finding that has inputs. Replays of former reports are removed.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    replays = folder / "replays"
    replays.mkdir(parents=True, exist_ok=True)
    for former in replays.glob("*.json"):
        former.unlink()
    (folder / "level.json").write_text(exploration.level.dumps() + "\n", encoding="utf-8")
    for name, inputs in _replays(exploration):
        save_replay(replays / file_name(name), exploration.moves, inputs, name)
    (folder / "report.json").write_text(json.dumps(_numbers(exploration), indent=1) + "\n", encoding="utf-8")
    draw(exploration, folder / "level.png")
    (folder / "index.html").write_text(_page(exploration), encoding="utf-8")


def file_name(name: str) -> str:
    """Return the name of the replay of a route or a finding."""
    return "".join(letter if letter.isalnum() else "-" for letter in name) + ".json"


def _replays(exploration: Exploration) -> list[tuple[str, tuple[int, ...]]]:
    routes = [(route.name, route.inputs) for route in exploration.routes]
    return routes + [(finding.name, finding.inputs) for finding in exploration.findings if finding.inputs]


def _numbers(exploration: Exploration) -> dict[str, object]:
    """Return what `report.json` holds: nothing that depends on the machine or on the number of workers."""
    names = exploration.moves.names

    def told(inputs: tuple[int, ...]) -> list[list[object]]:
        return [[names[number], frames] for number, frames in runs_of(inputs)]

    return {
        "level": exploration.level.name,
        "moves": exploration.moves.settings(),
        "seed": exploration.seed,
        "frames": exploration.frames,
        "rounds": exploration.rounds,
        "cells": exploration.cells,
        "places": len(exploration.places),
        "goals": [
            {"name": route.name, "frames": route.frames, "inputs": told(route.inputs)} for route in exploration.routes
        ],
        "findings": [
            {
                "kind": finding.kind,
                "name": finding.name,
                "x": finding.x,
                "y": finding.y,
                "detail": finding.detail,
                "inputs": told(finding.inputs),
            }
            for finding in exploration.findings
        ],
        "unconfirmed": exploration.unconfirmed,
    }


STYLE = """
body { margin: 2rem auto; max-width: 1800px; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1c2030 }
img { max-width: 100%; border-radius: 6px } table { border-collapse: collapse; margin: 1rem 0 }
td, th { padding: .3rem .9rem; text-align: left; border-bottom: 1px solid #d4d8e0; vertical-align: top }
td:first-child, td:last-child { white-space: nowrap }
.bad { color: #c01030; font-weight: 600 } .good { color: #107040 } small { color: #5a6274 } code { font-size: 90% }
.swatch { display: inline-block; width: 1.6em; height: .35em; margin-right: .5em; vertical-align: middle }
.heat { display: inline-block; width: 14em; height: .8em; border-radius: 3px; vertical-align: middle }
"""


def _page(exploration: Exploration) -> str:
    """Return the page that shows it all."""
    level, findings = exploration.level, exploration.findings
    total = len(level.goals) + len(level.coins)
    stops = ", ".join("rgb({}, {}, {})".format(*colour) for colour in HEAT)
    latest = int(exploration.first.max())
    summary = (
        f"{len(exploration.routes)} of {total} goals and coins reached; {len(findings)} findings. "
        f"{exploration.frames:,} frames were played, and {exploration.cells:,} cells at "
        f"{len(exploration.places):,} places were reached. Seed {exploration.seed}."
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Playtest of {escape(level.name)}</title><style>{STYLE}</style></head>
<body><h1>Playtest of {escape(level.name)}</h1>
<p class="{"bad" if findings else "good"}">{escape(summary)}</p>
<img src="level.png" alt="The level: reached places, routes and findings">
<p><small>Fewest frames until a place is reached: 0 <span class="heat" style="background: linear-gradient(to right,
{stops})"></span> {latest}. Orange: moving bodies, and the ways of their middles. Brown: ladders and one-way platforms.
Circles: findings.</small></p>
<h2>Findings</h2>{_findings(exploration, findings)}
<h2>Shortest routes found</h2>{_routes(exploration)}
<p><small><code>python -m impinge_playtest replay replays/NAME.json --record NAME.gif</code> shows a replay. The same
numbers are in <a href="report.json">report.json</a>.</small></p>
</body></html>
"""


def _findings(exploration: Exploration, findings: tuple[Finding, ...]) -> str:
    if not findings:
        return '<p class="good">None.</p>'
    kinds = dict.fromkeys(finding.kind for finding in findings)
    means = "".join(f"<br>{kind}: {KINDS[kind]}" for kind in kinds)
    rows = "".join(
        f"<tr><td class=bad>{escape(each.name)}</td><td>{each.kind}</td><td>{each.x:.0f}, {each.y:.0f}</td>"
        f"<td>{len(each.inputs) or ''}</td><td>{escape(each.detail)}</td><td>{_link(each.name, each.inputs)}</td></tr>"
        for each in findings
    )
    head = "<tr><th>name<th>kind<th>x, y<th>frames<th>detail<th>replay</tr>"
    return f"<table>{head}{rows}</table><p><small>{means.removeprefix('<br>')}</small></p>"


def _routes(exploration: Exploration) -> str:
    def row(number: int, route: Route) -> str:
        swatch = "rgb({}, {}, {})".format(*route_colour(number))
        keys = ", ".join(f"{exploration.moves.names[key]} {frames}" for key, frames in runs_of(route.inputs))
        link = _link(route.name, route.inputs)
        return (
            f'<tr><td><span class="swatch" style="background: {swatch}"></span>{escape(route.name)}</td>'
            f"<td>{route.frames}</td><td><small>{escape(keys)}</small></td><td>{link}</td></tr>"
        )

    rows = "".join(row(number, route) for number, route in enumerate(exploration.routes))
    return f"<table><tr><th>goal<th>frames<th>inputs, and for how many frames<th>replay</tr>{rows}</table>"


def _link(name: str, inputs: tuple[int, ...]) -> str:
    file = file_name(name)
    return f'<a href="replays/{escape(file)}">{escape(file)}</a>' if inputs else ""
