"""Settings: what is unknown or wrong stops the start with a sentence that says what to do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from service.environment import SettingsError, load
from service.settings import Settings, unit, variable

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("THREADLINE_")]:
        monkeypatch.delenv(name)


def test_defaults_need_no_environment() -> None:
    settings = load()
    assert settings.database_url == "sqlite:///threadline-data/threadline.db"
    assert settings.database_file == Path("threadline-data/threadline.db")
    assert (settings.host, settings.port) == ("127.0.0.1", 8470)


def test_overrides_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADLINE_PORT", "9000")
    assert load().port == 9000
    assert load(port=9001, host=None).port == 9001


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_works(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("THREADLINE_DATABASE_URL", f"{scheme}://user:secret@host/name")
    settings = load()
    assert settings.database_url == "postgresql+psycopg://user:secret@host/name"
    assert settings.database_file is None
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("THREADLINE_PROT", "1", "did you mean THREADLINE_PORT?"),
        ("THREADLINE_QQQQ", "1", "`threadline config` lists them all"),
        ("THREADLINE_PORT", "high", "THREADLINE_PORT is wrong: input should be a valid integer"),
        ("THREADLINE_PORT", "70000", "(port: 0 to 65535); set it right or unset it"),
        ("THREADLINE_LOG_LEVEL", "loud", "debug, info, warning, error"),
        ("THREADLINE_INSECURE", "perhaps", "THREADLINE_INSECURE is wrong"),
        ("THREADLINE_REQUEST_RATE", "nan", "finite"),
        ("THREADLINE_DATABASE_URL", "mysql://host/name", "must begin with sqlite:/// (and a path) or postgresql://"),
        ("THREADLINE_DATABASE_URL", "file", "must begin with sqlite:///"),
        ("THREADLINE_DATABASE_URL_FILE", "missing", "names a file that cannot be read"),
    ],
)
def test_what_is_wrong_is_said(monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=re.escape(sentence)) as caught:
        load()
    assert len(value) < 6 or value not in str(caught.value), "values may be secrets"


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://u:p@h/n\n")
    monkeypatch.setenv("THREADLINE_DATABASE_URL_FILE", str(file))
    assert load().database_url == "postgresql+psycopg://u:p@h/n"
    monkeypatch.setenv("THREADLINE_DATABASE_URL", "sqlite:///x")
    with pytest.raises(SettingsError, match="both set"):
        load()


def test_an_empty_value_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADLINE_PORT", "")
    assert load().port == 8470


def test_every_setting_has_a_unit_and_a_sentence() -> None:
    for name, field in Settings.model_fields.items():
        assert unit(name), name
        assert (field.description or "").endswith("."), name


def _config(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "service", "config", *words]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_config_shows_values_and_origins_and_masks_secrets() -> None:
    done = _config(THREADLINE_DATABASE_URL="postgresql://me:hunter2@db.example/threads", THREADLINE_PORT="9000")
    assert done.returncode == 0, done.stderr
    assert "hunter2" not in done.stdout
    assert re.search(
        r"THREADLINE_DATABASE_URL\s+postgresql\+psycopg://me:\*\*\*@db.example/threads\s+environment", done.stdout
    )
    assert re.search(r"THREADLINE_PORT\s+9000\s+environment", done.stdout)
    assert re.search(r"THREADLINE_HOST\s+127.0.0.1\s+default", done.stdout)


def test_the_table_of_the_docs_is_current() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert _config("--markdown").stdout.strip() in page, "paste the output of `./run threadline config --markdown`"
    assert all(variable(name) in page for name in Settings.model_fields)
