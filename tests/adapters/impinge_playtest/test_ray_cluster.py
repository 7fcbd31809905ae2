"""The report is the same on Ray, whatever dies there. These tests need Ray, see `conftest.py`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

import impinge as im
from drawn_map import write_map
from impinge_playtest import Exploration, Level, explore, ray_cluster
from impinge_playtest.__main__ import main
from impinge_playtest.explorer import CELLS_OF_SHARD
from planted_rooms import JUMPER, busy_level, explore_busily, report_files

# The shard of a round in which a worker or a node is killed, and that round.
UNLUCKY = 2, 1
MEMORY = 100 << 20


def explored(level: Level, **options: Any) -> Exploration:
    return explore_busily(level, frames=120_000, **options)


@pytest.fixture(scope="module")
def level() -> Level:
    return busy_level()


@pytest.fixture(scope="module")
def alone(level: Level, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the report of one process."""
    found = explored(level)
    assert found.cells > 2 * CELLS_OF_SHARD  # rounds of several shards
    return report_files(found, tmp_path_factory.mktemp("alone"))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Return a cluster of two nodes with a worker each. Its head plays nothing."""
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import this file
    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY}
    made: Cluster = started(lambda: Cluster(initialize_head=True, head_node_args=head))
    for _ in range(2):
        add_node(made)
    yield made
    made.shutdown()


def add_node(cluster: Cluster) -> Any:
    return started(lambda: cluster.add_node(num_cpus=1, object_store_memory=MEMORY))


def started(start: Callable[[], Any], tries: int = 3) -> Any:
    """Start a node. Ray gives it 30 s, and a busy machine may need more."""
    for _ in range(tries - 1):
        try:
            return start()
        except Exception as error:  # Ray raises this type
            if "timed out during startup" not in str(error):
                raise
    return start()


@pytest.fixture
def on_shard(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Return a function that makes the workers call a function before the unlucky shard."""

    def install(before: Callable[[], None]) -> None:
        original, unlucky = ray_cluster.play_shard, UNLUCKY

        def play(game: Any, best: Any, shard: Any) -> Any:
            if shard.seed[1:] == unlucky:
                before()
            return original(game, best, shard)

        monkeypatch.setattr(ray_cluster, "shard_task", ray.remote(max_retries=ray_cluster.RETRIES)(play))

    return install


def is_first(marker: str) -> bool:
    """Return whether this is the first call with this file."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def test_the_report_is_the_same_on_2_and_4_workers(
    level: Level, alone: dict[str, bytes], cluster: Cluster, tmp_path: Path
) -> None:
    assert report_files(explored(level, ray=cluster.address), tmp_path / "2") == alone
    more = [add_node(cluster) for _ in range(2)]
    assert report_files(explored(level, ray=cluster.address), tmp_path / "4") == alone
    for node in more:
        cluster.remove_node(node)


def test_a_killed_worker_costs_its_shard(
    level: Level, alone: dict[str, bytes], cluster: Cluster, tmp_path: Path, on_shard: Any
) -> None:
    marker, first = str(tmp_path / "killed"), is_first

    def die() -> None:
        if first(marker):
            os.kill(os.getpid(), signal.SIGKILL)

    on_shard(die)
    assert report_files(explored(level, ray=cluster.address), tmp_path / "report") == alone
    assert Path(marker).exists()


def test_a_shard_that_always_ends_its_worker_ends_the_exploration(
    level: Level, cluster: Cluster, on_shard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "RETRIES", 1)
    on_shard(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ConnectionError, match="a shard has ended its worker 2 times"):
        explored(level, ray=cluster.address)


def test_a_killed_node_costs_its_shards(
    level: Level, alone: dict[str, bytes], cluster: Cluster, tmp_path: Path, on_shard: Any
) -> None:
    """The shard waits until its node is killed, and is then played on the other one."""
    marker = str(tmp_path / "node")
    removed: list[str] = []

    def wait_for_death() -> None:
        import ray  # in a worker

        own = ray.get_runtime_context().get_node_id()
        try:
            with open(marker, "x") as file:
                file.write(own + "\n")
        except FileExistsError:
            return  # played again
        time.sleep(600)

    def kill() -> None:
        while not removed:
            time.sleep(0.05)
            told = Path(marker).read_text() if Path(marker).exists() else ""
            for node in list(cluster.worker_nodes):
                if told.endswith("\n") and node.node_id == told.strip():
                    cluster.remove_node(node, allow_graceful=False)
                    removed.append(node.node_id)

    on_shard(wait_for_death)
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    assert report_files(explored(level, ray=cluster.address), tmp_path / "report") == alone
    killer.join()
    assert len(removed) == 1
    add_node(cluster)


def test_a_round_whose_objects_are_lost_is_put_again(
    level: Level, alone: dict[str, bytes], cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    get, calls = ray.get, []

    def loses(job: Any) -> Any:
        calls.append(job)
        if len(calls) in (3, 4):
            raise ray.exceptions.ObjectLostError(job.hex(), None, "")
        return get(job)

    monkeypatch.setattr(ray_cluster.ray, "get", loses)
    assert report_files(explored(level, ray=cluster.address), tmp_path / "report") == alone
    assert len(calls) > 4


def test_an_error_of_a_shard_is_raised_and_not_repeated(
    level: Level, cluster: Cluster, tmp_path: Path, on_shard: Any
) -> None:
    calls = tmp_path / "calls"

    def fail() -> None:
        with calls.open("a") as file:
            file.write("x")
        raise ValueError("a mistake of our own")

    on_shard(fail)
    with pytest.raises(ValueError, match="a mistake of our own"):
        explored(level, ray=cluster.address)
    assert calls.read_text() == "x"


def test_nodes_of_another_version_are_refused(level: Level, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    own = im.__version__
    monkeypatch.setattr(im, "__version__", "99")
    with pytest.raises(ValueError, match=f"all nodes must have impinge 99, got {own}"):
        explored(level, ray=cluster.address)


def test_a_connection_of_the_caller_is_used_and_kept(level: Level, cluster: Cluster) -> None:
    with ray.init(address=cluster.address, logging_level="error", log_to_driver=False):
        explore(level, JUMPER, frames=1000, ray=cluster.address)
        assert ray.is_initialized()
    assert not ray.is_initialized()


def test_the_command_starts_ray_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    options = [str(write_map(tmp_path / "map.json", floor=450)), "--frames", "60000", "--player", "20,40", "--quiet"]
    for name, where in (("here", []), ("ray", ["--ray", "local"])):
        assert main([*options, *where, "--report", str(tmp_path / name)]) == 1
    assert (tmp_path / "here" / "report.json").read_bytes() == (tmp_path / "ray" / "report.json").read_bytes()
    assert capsys.readouterr().err == ""
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert not ray.is_initialized()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "nowhere.invalid:6379"])
def test_an_address_that_does_not_answer_is_refused(level: Level, address: str) -> None:
    with pytest.raises(ConnectionError, match=f"ray must be 'local' or the address of a cluster, got '{address}'"):
        explore(level, JUMPER, frames=1000, ray=address)
    assert not ray.is_initialized()
