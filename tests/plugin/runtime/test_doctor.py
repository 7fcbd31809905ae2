"""The doctor's report about simulated machines, and a run on the machine of the tests."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from impinge.runtime import doctor
from impinge.runtime.doctor import Context, Finding, Kernels, Machine, Watching

EVERYTHING = {
    "numpy": "2.1.0",
    "pluggy": "1.5.0",
    "arcade": "3.3.3",
    "pyglet": "2.1.5",
    "pymunk": "6.9.0",
    "numba-cuda": "0.30.4",
}

HEALTHY = Machine(
    platform="linux",
    environ={"DISPLAY": ":0"},
    installed=EVERYTHING.get,
    loads=lambda library: True,
    display_answers=lambda display: True,
    open_window=lambda environ: Context("4.6", "A graphics card"),
    try_watching=lambda environ: Watching(works=True),
    kernels=lambda: Kernels("native", "/impinge/kernels/_native.so"),
    cuda=lambda: ("", ""),
)
SERVER = replace(HEALTHY, environ={})


def without(*distributions: str) -> Callable[[str], str | None]:
    return {name: version for name, version in EVERYTHING.items() if name not in distributions}.get


def with_version(distribution: str, version: str) -> Callable[[str], str | None]:
    return (EVERYTHING | {distribution: version}).get


def problems(findings: list[Finding]) -> list[str]:
    return [finding.problem for finding in findings if finding.problem]


def only_problem(findings: list[Finding]) -> Finding:
    (finding,) = [finding for finding in findings if finding.problem]
    return finding


def values(findings: list[Finding]) -> dict[str, str]:
    return {finding.label: finding.value for finding in findings}


def test_a_healthy_machine_has_no_problems() -> None:
    for _, findings in doctor.examine(HEALTHY):
        assert problems(findings) == []


def test_every_problem_comes_with_a_remedy() -> None:
    sick = Machine(
        platform="linux",
        environ={
            "DISPLAY": ":0",
        },
        installed={"arcade": "2.6.17", "pymunk": "5.0"}.get,
        loads=lambda library: False,
        display_answers=lambda display: False,
        open_window=lambda environ: Context(error="no"),
        try_watching=lambda environ: Watching(works=False),
        kernels=lambda: Kernels("python"),
        cuda=lambda: ("", ""),
    )
    found = [finding for _, findings in doctor.examine(sick) for finding in findings if finding.problem]
    assert len(found) == 8
    assert all(finding.remedy for finding in found)


class TestVersions:
    def test_name_everything_that_takes_part(self) -> None:
        labels = [finding.label for finding in doctor.check_versions(HEALTHY)]
        assert labels == [
            "python",
            "platform",
            "impinge",
            "numpy",
            "pluggy",
            "arcade",
            "pyglet",
            "pymunk",
            "numba-cuda",
        ]

    def test_a_missing_optional_package_is_no_problem_and_names_its_extra(self) -> None:
        findings = doctor.check_versions(replace(HEALTHY, installed=without("arcade", "pyglet", "pymunk")))
        assert problems(findings) == []
        assert values(findings)["arcade"] == 'not installed: pip install "impinge[arcade]"'
        assert values(findings)["pymunk"] == 'not installed: pip install "impinge[pymunk]"'

    def test_a_missing_needed_package_is_a_problem(self) -> None:
        finding = only_problem(doctor.check_versions(replace(HEALTHY, installed=without("pluggy"))))
        assert finding.remedy == "pip install pluggy"

    @pytest.mark.parametrize(
        ("distribution", "version"),
        [("arcade", "2.6.17"), ("arcade", "4.0.0"), ("pymunk", "8.0"), ("numba-cuda", "0.31.0")],
    )
    def test_a_release_outside_the_supported_range_is_a_problem(self, distribution: str, version: str) -> None:
        machine = replace(HEALTHY, installed=with_version(distribution, version))
        assert version in only_problem(doctor.check_versions(machine)).problem

    @pytest.mark.parametrize(
        ("distribution", "version"),
        [("arcade", "3.3"), ("arcade", "3.10.1"), ("arcade", "3.4rc1"), ("pymunk", "7.2.0")],
    )
    def test_a_release_inside_the_supported_range_is_none(self, distribution: str, version: str) -> None:
        machine = replace(HEALTHY, installed=with_version(distribution, version))
        assert problems(doctor.check_versions(machine)) == []

    def test_the_supported_ranges_are_those_of_the_distribution(self) -> None:
        project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"]
        for name, (first, end) in doctor.SUPPORTED.items():
            extra = doctor.EXTRAS[name].removeprefix("impinge[").removesuffix("]")
            assert any(re.fullmatch(rf"{name}(\[\w+\])?>={first},<{end}", needed) for needed in extras[extra])


class TestDisplay:
    def test_a_display_that_answers_is_fine(self) -> None:
        assert values(doctor.check_display(HEALTHY)) == {"DISPLAY": ":0, a server answers"}

    def test_a_display_that_does_not_answer_is_a_problem(self) -> None:
        machine = replace(HEALTHY, display_answers=lambda display: False)
        assert ":0" in only_problem(doctor.check_display(machine)).problem

    def test_a_dead_display_does_not_matter_to_who_draws_without_a_screen(self) -> None:
        machine = replace(
            HEALTHY,
            environ={"DISPLAY": ":0", "ARCADE_HEADLESS": "True"},
            display_answers=lambda display: False,
        )
        assert problems(doctor.check_display(machine)) == []

    def test_a_dead_display_does_not_matter_without_arcade(self) -> None:
        machine = replace(HEALTHY, installed=without("arcade"), display_answers=lambda display: False)
        assert problems(doctor.check_display(machine)) == []

    def test_no_display_at_all_is_a_server_and_fine(self) -> None:
        assert problems(doctor.check_display(SERVER)) == []

    def test_wayland_without_x_is_a_problem(self) -> None:
        machine = replace(HEALTHY, environ={"WAYLAND_DISPLAY": "wayland-0"})
        assert "apt-get install xwayland" in only_problem(doctor.check_display(machine)).remedy

    @pytest.mark.parametrize("value", ["False", "0", "no"])
    def test_headless_switched_off_by_a_word_is_switched_on(self, value: str) -> None:
        machine = replace(SERVER, environ={"ARCADE_HEADLESS": value})
        assert "switches headless drawing on" in only_problem(doctor.check_display(machine)).problem

    @pytest.mark.parametrize("platform", ["win32", "darwin"])
    def test_other_systems_bring_their_own(self, platform: str) -> None:
        assert problems(doctor.check_display(replace(SERVER, platform=platform))) == []

    def test_a_server_is_found_by_its_socket(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            number = server.getsockname()[1] - 6000
            assert Machine().display_answers(f"127.0.0.1:{number}.0")
        assert not Machine().display_answers(f"127.0.0.1:{number}.0")

    @pytest.mark.parametrize("display", ["", "nonsense", ":", ":x"])
    def test_what_is_no_display_does_not_answer(self, display: str) -> None:
        assert not Machine().display_answers(display)


class TestOpenGL:
    def test_is_tried_without_a_screen_and_in_a_window(self) -> None:
        tried: list[Mapping[str, str]] = []

        def open_window(environ: Mapping[str, str]) -> Context:
            tried.append(environ)
            return Context("4.6", "A graphics card")

        findings = doctor.check_opengl(replace(HEALTHY, open_window=open_window))
        assert values(findings)["headless context"] == "OpenGL 4.6, A graphics card"
        assert values(findings)["window context"] == "OpenGL 4.6, A graphics card"
        assert tried == [{"DISPLAY": ":0", "ARCADE_HEADLESS": "True"}, {"DISPLAY": ":0"}]

    def test_is_not_tried_in_a_window_without_a_screen(self) -> None:
        assert "window context" not in values(doctor.check_opengl(SERVER))

    @pytest.mark.parametrize("platform", ["win32", "darwin"])
    def test_is_tried_in_a_window_only_where_there_is_no_egl(self, platform: str) -> None:
        labels = values(doctor.check_opengl(replace(SERVER, platform=platform))).keys()
        assert labels == {"window context"}

    def test_a_bare_server_is_told_the_packages(self) -> None:
        findings = doctor.check_opengl(replace(SERVER, loads=lambda library: False))
        finding = only_problem(findings)
        assert finding.remedy.startswith("apt-get install libegl1 libgl1 libfontconfig1 libfreetype6 ")
        assert values(findings)["context"] == "not tried: libraries are missing"

    def test_a_machine_with_a_screen_is_told_what_a_window_needs(self) -> None:
        machine = replace(HEALTHY, loads=lambda library: library != "libXrender.so.1")
        assert only_problem(doctor.check_opengl(machine)).remedy.startswith("apt-get install libxrender1 ")

    def test_who_draws_without_a_screen_needs_nothing_for_windows(self) -> None:
        machine = replace(
            HEALTHY,
            environ={"DISPLAY": ":0", "ARCADE_HEADLESS": "True"},
            loads=lambda library: library != "libXrender.so.1",
        )
        findings = doctor.check_opengl(machine)
        assert problems(findings) == []
        assert "window context" not in values(findings)

    def test_without_arcade_nothing_is_tried_and_nothing_is_wrong(self) -> None:
        machine = replace(SERVER, installed=without("arcade"), loads=lambda library: False)
        findings = doctor.check_opengl(machine)
        assert problems(findings) == []
        assert values(findings)["context"] == "not tried: arcade is not installed"

    def test_a_context_that_cannot_be_made_is_a_problem(self) -> None:
        machine = replace(SERVER, open_window=lambda environ: Context(error="no matching config"))
        finding = only_problem(doctor.check_opengl(machine))
        assert "no matching config" in finding.problem
        assert finding.remedy.startswith("apt-get install libgl1-mesa-dri ")

    @pytest.mark.parametrize(
        ("program", "context"),
        [
            (
                "print('hello'); print('context\\t4.5\\tllvmpipe (256 bits)')",
                Context("4.5", "llvmpipe (256 bits)"),
            ),
            (
                "raise ImportError('Library \"GL\" not found.')",
                Context(error='ImportError: Library "GL" not found.'),
            ),
            ("import os; os._exit(3)", Context(error="the process ended with code 3")),
            ("import time; time.sleep(60)", Context(error="no answer within 1 s")),
        ],
        ids=["drawn", "failed", "died", "hung"],
    )
    def test_however_the_process_ends_there_is_an_answer(
        self, monkeypatch: pytest.MonkeyPatch, program: str, context: Context
    ) -> None:
        monkeypatch.setattr(doctor, "_OPEN_WINDOW", program)
        monkeypatch.setattr(doctor, "CONTEXT_TIMEOUT", 1.0)
        assert Machine().open_window(Machine().environ) == context


class TestSpriteLists:
    def test_that_tell_of_changes_are_no_problem(self) -> None:
        (finding,) = doctor.check_lists(HEALTHY)
        assert finding == Finding("sprite lists", "tell what changes in them")

    def test_that_do_not_are_read_through_each_time(self) -> None:
        machine = replace(HEALTHY, try_watching=lambda environ: Watching(works=False))
        finding = only_problem(doctor.check_lists(machine))
        assert finding.value == "are read through each time: slower, as correct"
        assert "arcade 3.3.3" in finding.problem

    @pytest.mark.parametrize(("platform", "is_headless"), [("linux", True), ("win32", False), ("darwin", False)])
    def test_are_tried_without_a_screen_where_arcade_can(self, platform: str, is_headless: bool) -> None:
        tried = []

        def try_watching(environ: Mapping[str, str]) -> Watching:
            tried.append("ARCADE_HEADLESS" in environ)
            return Watching(works=True)

        doctor.check_lists(replace(SERVER, platform=platform, try_watching=try_watching))
        assert tried == [is_headless]

    def test_that_cannot_be_tried_are_no_problem_of_their_own(self) -> None:
        machine = replace(HEALTHY, try_watching=lambda environ: Watching(error="no libfontconfig"))
        assert doctor.check_lists(machine) == [Finding("sprite lists", "not tried: no libfontconfig")]
        machine = replace(HEALTHY, installed=without("arcade"))
        assert doctor.check_lists(machine) == [Finding("sprite lists", "not tried: arcade is not installed")]


class TestCuda:
    def test_a_gpu_can_be_used(self) -> None:
        assert values(doctor.check_cuda(HEALTHY)) == {"cuda": "can be used"}

    def test_a_missing_gpu_is_no_problem_and_has_a_remedy(self) -> None:
        (finding,) = doctor.check_cuda(replace(HEALTHY, cuda=lambda: ("no CUDA device", "install the driver")))
        assert finding == Finding("cuda", "not usable: no CUDA device; install the driver")


class TestKernels:
    def test_that_are_compiled_ahead_are_told_by_their_module(self) -> None:
        assert values(doctor.check_kernels(HEALTHY)) == {"native module": "/impinge/kernels/_native.so"}

    def test_that_numba_compiles_are_no_problem(self) -> None:
        (finding,) = doctor.check_kernels(replace(HEALTHY, kernels=lambda: Kernels("jit")))
        assert (finding.label, finding.problem) == ("Numba", "")

    def test_that_are_plain_python_are_too_slow_for_a_game(self) -> None:
        finding = only_problem(doctor.check_kernels(replace(HEALTHY, kernels=lambda: Kernels("python"))))
        assert "IMPINGE_KERNELS" in finding.remedy

    def test_of_this_machine_are_run_by_something(self) -> None:
        kernels = Machine().kernels()
        assert kernels.mode in ("native", "jit", "python")
        assert (kernels.module is not None) == (kernels.mode == "native")

    @pytest.mark.parametrize(
        ("name", "value"), [("NUMBA_DISABLE_JIT", "1"), ("NUMBA_OPT", "0"), ("NUMBA_BOUNDSCHECK", "1")]
    )
    def test_that_numba_compiles_are_slowed_by_some_of_its_settings(self, name: str, value: str) -> None:
        machine = replace(SERVER, environ={name: value}, kernels=lambda: Kernels("jit"))
        finding = only_problem(doctor.check_kernels(machine))
        assert f"{name}={value}" in finding.problem
        assert finding.remedy == f"take {name} out of the environment"
        assert problems(doctor.check_kernels(replace(machine, kernels=HEALTHY.kernels))) == []

    @pytest.mark.parametrize(
        ("name", "value"), [("NUMBA_DISABLE_JIT", "0"), ("NUMBA_OPT", "3"), ("NUMBA_BOUNDSCHECK", "")]
    )
    def test_that_numba_compiles_are_not_slowed_by_others(self, name: str, value: str) -> None:
        machine = replace(SERVER, environ={name: value}, kernels=lambda: Kernels("jit"))
        assert Finding(name, value) in doctor.check_kernels(machine)


def test_a_check_that_fails_is_a_finding() -> None:
    def check(machine: Machine) -> list[Finding]:
        raise OSError("disk on fire")

    ((heading, findings),) = doctor.examine(SERVER, {"Disks": check})
    assert heading == "Disks"
    assert only_problem(findings).problem == "the check itself failed: OSError: disk on fire"


def test_the_doctor_imports_no_engine() -> None:
    program = "import sys, impinge.runtime.doctor; print(sorted({'arcade', 'pyglet', 'pymunk'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
