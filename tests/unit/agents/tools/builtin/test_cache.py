"""Kept files: found again by what they depend on, whole or not at all, and deleted when nobody uses them."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agents.tools.builtin.cache import UNUSED_SECONDS, Cache, cache_of, key_of, source_of
from agents.tools.local_context import LocalContext


def writing(text: str, calls: list[str]) -> Callable[[Path], None]:
    """A build that writes a text and is counted."""

    def build(path: Path) -> None:
        calls.append(text)
        path.write_text(text)

    return build


def test_is_built_once(tmp_path: Path) -> None:
    """The second call finds the file of the first."""
    cache, calls = Cache(tmp_path / "deep" / "cache"), list[str]()
    assert cache.file("k", writing("one", calls)).read_text() == "one"
    assert cache.file("k", writing("two", calls)).read_text() == "one"
    assert calls == ["one"]
    assert (tmp_path / "deep" / "cache").stat().st_mode & 0o077 == 0


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """Half a file is never found."""

    def build(path: Path) -> None:
        path.write_text("half")
        raise ValueError("broken")

    cache = Cache(tmp_path)
    with pytest.raises(ValueError, match="broken"):
        cache.file("k", build)
    assert list(tmp_path.iterdir()) == []
    assert cache.file("k", writing("whole", [])).read_text() == "whole"


def test_what_nobody_uses_is_deleted(tmp_path: Path) -> None:
    """When something new is kept; use makes young again."""
    cache = Cache(tmp_path)
    old = time.time() - UNUSED_SECONDS - 60
    for key in ("unused", "used"):
        os.utime(cache.file(key, writing(key, [])), (old, old))
    cache.file("used", writing("again", []))
    cache.file("new", writing("new", []))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "used"]


def test_two_at_once_get_the_same(tmp_path: Path) -> None:
    """Whoever comes second replaces the file by an equal one."""
    cache = Cache(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(cache.file, ["k"] * 16, [writing("x" * 10_000, [])] * 16))
    assert [path.read_text() for path in found] == ["x" * 10_000] * 16


def test_a_key_differs_with_every_part(tmp_path: Path) -> None:
    """Kind, texts, their order and their borders, and the contents of files; not a file's name."""
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    one.write_bytes(b"abc")
    same.write_bytes(b"abc")
    other.write_bytes(b"abd")
    assert key_of("t", one, "x") == key_of("t", same, "x")
    keys = [key_of("t", one), key_of("t", other), key_of("u", one), key_of("t", "a", "b"), key_of("t", "b", "a")]
    keys += [key_of("t", "ab"), key_of("t", "ab", ""), key_of("t", "\ud800")]
    assert len(set(keys)) == len(keys)


def test_a_change_of_the_code_changes_its_source(tmp_path: Path) -> None:
    """What older code has computed is not taken for the result of newer code."""
    (tmp_path / "a.py").write_text("x = 1")
    before = source_of(tmp_path)
    (tmp_path / "a.py").write_text("x = 2")
    assert source_of(tmp_path) != before


def test_the_cache_is_the_installations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one, a private folder among the temporary files; not one that others may write into."""
    set_one = cache_of(LocalContext(settings={"cache": str(tmp_path / "c")}))
    assert set_one.file("k", writing("x", [])) == tmp_path / "c" / "k"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = cache_of(LocalContext()).file("k", writing("x", []))
    assert own == tmp_path / f"remit-cache-{os.getuid()}" / "k"
    own.parent.chmod(0o777)
    other = cache_of(LocalContext()).file("k", writing("x", []))
    assert other.parent != own.parent
    assert other.parent.stat().st_mode & 0o077 == 0
