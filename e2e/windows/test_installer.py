"""The installer for Windows: install, upgrade while Easel runs, and uninstall."""

import os

import pytest
from servers import wait_until
from wine import PROFILE, Easel, run

SETUP = os.environ.get("EASEL_TEST_WINDOWS_SETUP", "")
FOLDER = PROFILE / "AppData/Local/Programs/Easel"
WINDOWS = "C:\\users\\root\\AppData\\Local\\Programs\\Easel"
PROGRAM = WINDOWS + "\\easel.exe"
SHORTCUT = PROFILE / "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Easel.lnk"
KEY = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\io.github.easel.Easel"

pytestmark = pytest.mark.skipif(not SETUP, reason="no installer was built")


def install():
    done = run(SETUP, "/S")
    assert done.returncode == 0, done


def uninstall(easel: Easel, *options: str) -> int:
    """Runs the uninstaller in place: otherwise, it copies itself and returns at once."""
    return run(WINDOWS + "\\uninstall.exe", "/S", *options, "_?=" + WINDOWS, **{k: easel.env[k] for k in ("EASEL_DATA_DIR", "EASEL_ROOT_DIR")}).returncode


def registered() -> bool:
    return run("reg.exe", "query", KEY).returncode == 0


def test_install_use_upgrade_uninstall(jupyter):
    install()
    assert {p.name for p in FOLDER.iterdir()} == {"easel.exe", "easel.ico", "LICENSE.txt", "licences.txt", "uninstall.exe"}
    assert SHORTCUT.exists() and registered()
    assert run(PROGRAM, "version").stdout.startswith("easel ")

    easel = Easel(PROGRAM, "installed", EASEL_JUPYTER_URL=jupyter.url, EASEL_JUPYTER_TOKEN=jupyter.token).start("--headless")
    try:
        drawn = easel.run(easel.session(), "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()")
        assert drawn["status"] == "ok" and len(drawn["images"]) == 1, drawn
        # Easel is running: the uninstaller changes nothing, and an upgrade does not disturb it.
        assert uninstall(easel) != 0
        assert (FOLDER / "easel.exe").exists() and (easel.data / "logs").exists()
        install()
        assert easel.health()["version"] and (FOLDER / "easel.exe").exists()
    finally:
        easel.kill()

    # It may take a moment until the lock of a killed program is free.
    wait_until("uninstall", lambda: uninstall(easel) == 0, 60)
    assert not (FOLDER / "easel.exe").exists() and not SHORTCUT.exists() and not registered()
    assert (easel.data / "library/library.jsonl").exists() and not (easel.data / "logs").exists()
    install()
    assert uninstall(easel, "/DATA") == 0
    assert not (easel.data / "library").exists()
    # Running in place, the uninstaller cannot delete itself.
    assert not FOLDER.exists() or {p.name for p in FOLDER.iterdir()} <= {"uninstall.exe"}
