"""Tests projects on another machine, which has neither Easel nor Jupyter: a real sshd whose user has
another home directory."""

import asyncio
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest
from assistant import connect
from servers import Easel, free_port, wait_until
from test_projects import bridge, contents, make_project

pytestmark = pytest.mark.skipif(not os.path.exists("/usr/sbin/sshd"), reason="there is no sshd")

HOST = "gpu"


class Machine:
    """Another machine, which ssh knows by the name HOST."""

    def __init__(self, base: pathlib.Path):
        self.base, self.port, self.home = base, free_port(), base / "home"
        self.home.mkdir(parents=True)
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", base / key], check=True)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.write("authorized", (base / "user.pub").read_text())
        self.configure()
        self.write("known_hosts", f"[127.0.0.1]:{self.port} {(base / 'host.pub').read_text()}")
        self.write("ssh_config", f"Host {HOST}\n  HostName 127.0.0.1\n  Port {self.port}\n  IdentityFile {base}/user\n  IdentitiesOnly yes\n  UserKnownHostsFile {base}/known_hosts\n")
        (base / "bin").mkdir()
        self.write("bin/ssh", f"#!/bin/sh\nexec '{shutil.which('ssh')}' -F '{base}/ssh_config' \"$@\"\n", 0o700)
        self.process = None
        self.up()

    def configure(self, variables: str = ""):
        self.write("sshd_config", f"""ListenAddress 127.0.0.1:{self.port}
HostKey {self.base}/host
AuthorizedKeysFile {self.base}/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
ForceCommand env -u XDG_DATA_HOME -u EASEL_DATA_DIR HOME='{self.home}' EASEL_PROJECT_LEASE=5m EASEL_TEST_RUN='{os.environ.get("EASEL_TEST_RUN", "")}' {variables} sh -c "$SSH_ORIGINAL_COMMAND"
""")

    def write(self, name: str, text: str, mode: int = 0o600):
        (self.base / name).write_text(text)
        (self.base / name).chmod(mode)

    def up(self):
        with open(self.base / "log", "ab") as log:
            self.process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", self.base / "sshd_config"], stderr=log)

        def answers():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", self.port)) == 0

        wait_until("sshd", answers)

    def cut(self):
        """Ends the sshd and all connections, but not the programs that those have started."""
        pids = [str(self.process.pid)]
        for pid in pids:
            pids += subprocess.run(["pgrep", "-P", pid, "^sshd"], capture_output=True, text=True).stdout.split()
        subprocess.run(["kill", "-KILL", *pids])
        self.process.wait()

    def env(self) -> dict:
        return {"PATH": f"{self.base}/bin:{os.environ['PATH']}"}

    def give_python(self, owner: str):
        """Gives the machine Easel's environment, whose installation takes long, for the Easel of that name."""
        there = Easel(self.home / f".local/share/easel/remote/{owner}-{socket.gethostname()}", {})
        there.give_python()

    def servers(self) -> list[str]:
        """Returns the processes of Jupyter servers there."""
        found = subprocess.run(["pgrep", "-f", f"{self.home}/.*serve.py"], capture_output=True, text=True)
        return found.stdout.split()


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    m = Machine(tmp_path_factory.mktemp("machine"))
    yield m
    m.cut()


@pytest.fixture(scope="module")
def project(machine):
    return make_project(machine.home / "売上 2026", "matplotlib")


def address(path: pathlib.Path) -> str:
    return f"ssh://{HOST}{path}"


@pytest.fixture(scope="module")
def easel(tmp_path_factory, machine, project):
    app = Easel.prepare(tmp_path_factory.mktemp("easel"), **machine.env())
    app.give_python()
    (app.data / "owner").write_text("elsewhere-test")
    machine.give_python("elsewhere-test")
    app.launch("--project", address(project))
    yield app
    assert app.close() == 0
    wait_until("the end of the servers there", lambda: not machine.servers())


async def create(a, *, until: float = 0, **arguments) -> dict:
    """Creates a session. While Easel's program is copied, it is told to call again. A machine that is
    off is tried for some seconds."""
    end = time.monotonic() + until
    while True:
        answer = await a.call("session_create", **arguments)
        code = answer.error["code"] if answer.failed else ""
        if code != "JUPYTER_STARTING" and (code != "JUPYTER_UNREACHABLE" or time.monotonic() > end):
            assert not answer.failed, answer.texts
            return answer.read


async def test_a_project_there(easel, machine, project, tmp_path):
    before = contents(project)
    async with bridge(easel, tmp_path, tmp_path / "log") as a:
        began = time.monotonic()
        made = await create(a, directory=address(project))
        print(f"first session: {time.monotonic() - began:.1f} s")
        assert made["directory"] == str(project) and made["server"] == f"{HOST}:{project.name}"
        assert made["environment"].startswith(f"{project.name}/.venv, Python 3."), made
        ran = (await a.run(made["session_id"], "import mypkg, sys; print(mypkg.answer, sys.prefix, open('data/sales.csv').readline().strip())")).data
        assert ran["stdout"] == f"42 {project}/.venv month,sales\n"
        ran = await a.run(made["session_id"], "import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); plt.title('there'); plt.show()")
        assert ran.data["status"] == "ok" and len(ran.data["images"]) == 1 and ran.data["images"][0]["title"] == "there", ran.data
        image = ran.data["images"][0]["resource_uri"]
        drawn = wait_until("its environment", lambda: a.rest("get_prompt_info", resource_uri=image).get("environment"), 60)
        assert drawn["name"] == f"{HOST}:{project.name}/.venv", drawn  # its paths do not say on which machine they are
        listed = [s for s in (await a.ok("session_list"))["sessions"] if s["session_id"] == made["session_id"]][0]
        assert (listed["directory"], listed["environment"]) == (made["directory"], made["environment"]), listed
        began = time.monotonic()
        await create(a, server=address(project / "data"))
        print(f"second session: {time.monotonic() - began:.1f} s")
    [record] = machine.home.glob(".local/share/easel/remote/*/jupyter/projects/*/server.json")
    assert json.loads(record.read_text())["lease"] == 300e9, "a killed run leaves it for a day"
    assert contents(project) == before


async def test_files_and_notebooks_there(easel, project, tmp_path):
    async with connect(easel) as a:
        server = (await create(a, directory=address(project)))["server"]
        for arguments in ({"path": address(project / "data/sales.csv")}, {"path": "data/sales.csv", "server": address(project)}, {"path": "data/sales.csv", "server": server}):
            assert (await a.ok("file_read", **arguments))["rows"] == [[1, 10], [2, 20]]
        assert "pyproject.toml" in {f["name"] for f in (await a.ok("file_list", path=address(project)))["contents"]}
        await a.ok("notebook_create", path=address(project / "new.ipynb"), cells=[{"cell_type": "code", "source": "import mypkg; mypkg.answer"}])
        ran = await a.ok("notebook_run_cell", path=address(project / "new.ipynb"), index=0)
        assert ran["execution"]["result"] == "42" and (project / "new.ipynb").exists()
        session = await create(a, notebook_path=address(project / "new.ipynb"))
        assert (await a.run(session["session_id"], "mypkg.answer")).data["result"] == "42"
        (project / "new.ipynb").unlink()


@pytest.mark.parametrize("code, directory, words", [
    ("VALIDATION_ERROR", "ssh://gpu", "no folder"),
    ("VALIDATION_ERROR", "ssh://gpu{}/nowhere", "On gpu, {}/nowhere does not exist"),
    ("VALIDATION_ERROR", "ssh://gpu{}/pyproject.toml", "On gpu, {}/pyproject.toml is a file"),
    ("VALIDATION_ERROR", "gpu:{}", "must be absolute"),
    ("DENIED", "ssh://gpu/etc", "has not allowed"),
    ("DENIED", "ssh://no-such-host.invalid/etc", "has not allowed"),
])  # fmt: skip
async def test_what_is_no_project_there(easel, project, code, directory, words):
    async with connect(easel) as a:
        refused = (await a.call("session_create", directory=directory.format(project))).error
        assert refused["code"] == code and words.format(project) in refused["message"] and refused["hint"], refused
        if "is a file" in words or directory.startswith("gpu:"):  # what the hint says can be used as it is
            assert address(project) in refused["hint"]


async def test_a_machine_on_which_nothing_can_be_installed(machine, project, tmp_path):
    other = Easel.prepare(tmp_path / "easel", **machine.env())
    (other.data / "jupyter").mkdir(parents=True)
    other.give_python()
    (other.data / "owner").write_text("elsewhere-full")
    there = machine.home / f".local/share/easel/remote/elsewhere-full-{socket.gethostname()}"
    there.mkdir(parents=True)
    (there / "jupyter").write_text("no directory")
    other.launch("--project", address(project))
    async with connect(other) as a:
        refused = {"code": "JUPYTER_STARTING"}
        while refused["code"] == "JUPYTER_STARTING":
            refused = (await a.call("session_create", directory=address(project))).error
        assert refused["code"] == "JUPYTER_UNREACHABLE" and refused["message"].startswith("On gpu, ") and "jupyter" in refused["message"], refused
    assert other.close() == 0


async def test_code_runs_on_while_the_connection_is_broken(easel, machine, project, tmp_path):
    gate, done = tmp_path / "gate", tmp_path / "done"
    async with connect(easel) as a:
        made = await create(a, directory=address(project))
        code = f"import os, time\nwhile not os.path.exists('{gate}'): time.sleep(0.01)\nkept = 7\nopen('{done}', 'w').close()\nkept"
        begun = await a.ok("execute_code", session_id=made["session_id"], code=code, wait=0)
        machine.cut()
        gate.touch()
        wait_until("the end of the code", done.exists)
        machine.up()
        ended = begun
        while ended["status"] in ("queued", "running"):
            ended = await a.ok("get_execution", execution_id=begun["execution_id"], wait=20)
        assert (ended["status"], ended.get("result"), ended.get("truncated")) == ("ok", "7", None), ended


async def test_kernels_there_survive_a_crash_of_easel(easel, machine, project):
    async with connect(easel) as a:
        made = await create(a, directory=address(project))
        await a.run(made["session_id"], "kept = 8")
        quiet, go = project / "quiet", project / "go"
        # Easel says every 15 s what has arrived. Then nothing can have been lost with it: QUIET in easel_sent.py.
        code = f"import pathlib, time; print('begun', flush=True); time.sleep(18); pathlib.Path({str(quiet)!r}).touch()\n"
        code += f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(.01)\nprint('end')"
        e = (await a.run(made["session_id"], code, wait=0)).data
        wait_until("the kernel to have been quiet", quiet.exists)
    easel.process.kill()
    easel.process.wait()
    easel.launch("--project", address(project))
    async with connect(easel) as a:
        wait_until("the session", lambda: made["session_id"] in {s["session_id"] for s in easel.request("GET", "/api/info/session_list")[2]["sessions"]}, 120)
        go.touch()
        async with asyncio.timeout(120):
            while (e := (await a.call("get_execution", execution_id=e["execution_id"], wait=30)).data)["status"] == "running":
                pass
        assert (e["status"], e["stdout"], e.get("truncated")) == ("ok", "begun\nend\n", None), e
        assert (await a.run(made["session_id"], "kept")).data["result"] == "8"
    for file in (quiet, go):
        file.unlink()


async def failed_creation(a, project) -> dict:
    """Returns the error of a session on a machine that cannot be reached, which comes soon."""
    began = time.monotonic()
    error = (await a.call("session_create", directory=address(project))).error
    assert error["code"] == "JUPYTER_UNREACHABLE" and time.monotonic() - began < 20, error
    return error


async def test_a_machine_that_is_off(easel, machine, project):
    async with connect(easel) as a:
        await create(a, directory=address(project))
        machine.cut()
        while "sshd" not in (refused := await failed_creation(a, project))["message"]:
            assert "is being opened again" in refused["message"] and refused["hint"] == "Call again in a few seconds.", refused
        assert refused["hint"].startswith("Ask the user"), refused
        machine.up()
        await create(a, until=60, directory=address(project))


@pytest.mark.nightly
async def test_two_easels_in_one_project(easel, machine, project, tmp_path):
    """They have servers of their own: what ends with one does not concern the other."""
    other = Easel.prepare(tmp_path / "easel", **machine.env())
    other.give_python()
    (other.data / "owner").write_text("elsewhere-other")
    machine.give_python("elsewhere-other")
    other.launch("--project", address(project))
    async with connect(easel) as a:
        made = await create(a, directory=address(project))
        await a.run(made["session_id"], "kept = 9")
        async with connect(other) as b:
            theirs = await create(b, directory=address(project))
            assert (await b.run(theirs["session_id"], "kept")).data["error"]["type"] == "NameError"
            assert len(machine.servers()) == 2
        assert other.close() == 0
        assert len(machine.servers()) == 1
        assert (await a.run(made["session_id"], "kept")).data["result"] == "9"


@pytest.mark.nightly
async def test_a_machine_where_home_cannot_be_written(easel, machine, project):
    """Easel's program and its data are then in a directory for temporary files."""
    caches = machine.home / ".cache"
    caches.mkdir(exist_ok=True)
    moved = caches.rename(machine.home / "moved")
    caches.write_text("no directory")
    machine.cut()
    machine.up()
    fallback = pathlib.Path(f"/var/tmp/easel-{os.geteuid()}")
    try:
        async with connect(easel) as a:
            found = await a.call("session_create", directory=address(project / "nowhere"))
            while found.error["code"] in ("JUPYTER_STARTING", "JUPYTER_UNREACHABLE"):
                time.sleep(1)
                found = await a.call("session_create", directory=address(project / "nowhere"))
            assert "does not exist" in found.error["message"]
        assert list(fallback.glob("agent-*"))
    finally:
        caches.unlink()
        moved.rename(caches)
        shutil.rmtree(fallback, ignore_errors=True)
        machine.cut()
        machine.up()
        async with connect(easel) as a:
            await create(a, until=60, directory=address(project))
