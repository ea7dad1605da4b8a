"""Makes an apt repository with a key of its own, and uses it in clean systems."""

import os
import pathlib
import shutil
import subprocess

import pytest
from test_packages import only


@pytest.fixture
def key(tmp_path, monkeypatch):
    """A key for this test, in a gpg of its own."""
    home = tmp_path / "gpg"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    subprocess.run(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "Test <test@example.org>", "ed25519", "sign", "1d"], check=True, capture_output=True)
    listed = subprocess.run(["gpg", "--batch", "--with-colons", "--list-secret-keys"], check=True, capture_output=True, text=True).stdout
    yield next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
    subprocess.run(["gpgconf", "--kill", "all"], check=True)


def publish(repository: pathlib.Path, key: str, package: pathlib.Path) -> str:
    return subprocess.run(["scripts/dist-apt", repository, key, package], check=True, capture_output=True, text=True, env=os.environ | {"GOFLAGS": "-trimpath"}).stdout


def test_install_upgrade_remove(debian, packages, key):
    now, before = packages
    root = debian.root / "srv/apt"
    assert publish(root, key, only(before, "*.deb")).endswith(": 1 packages\n")
    sources = (root / "easel.sources").read_text()
    address = next(line for line in sources.splitlines() if line.startswith("URIs: https://"))
    (debian.root / "etc/apt/sources.list.d/easel.sources").write_text(sources.replace(address, "URIs: file:/srv/apt"))

    debian.run("apt-get", "update", "-q")
    debian.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "easel")
    assert debian.run("easel", "version").startswith("easel 0.0.9 ")
    assert publish(root, key, only(now, "*.deb")).endswith(": 2 packages\n")
    debian.run("apt-get", "update", "-q")
    debian.run("apt-get", "upgrade", "-q", "-y")
    version = debian.run("easel", "version").split()[1]
    assert version != "0.0.9" and f"-{version}-".replace("-dev", "~dev") in f"-{only(now, '*.deb').name.split('_')[1]}-"
    debian.run("apt-get", "purge", "-q", "-y", "easel")
    assert not (debian.root / "usr/bin/easel").exists()

    # A list that somebody has changed is refused, and so is another key.
    listed = root / "dists/stable/main/binary-amd64"
    for name in ("InRelease", "Release"):
        path = root / "dists/stable" / name
        path.write_text(path.read_text().replace("Origin: Easel", "Origin: Weasel"))
    (listed / "Packages").write_text((listed / "Packages").read_text().replace("Package: easel", "Package: weasel"))
    shutil.rmtree(debian.root / "var/lib/apt/lists")
    said = debian.run("apt-get", "update", "-q", "--error-on=any", code=100)
    assert "/srv/apt" in said and ("BADSIG" in said or "signature" in said.lower()), said
