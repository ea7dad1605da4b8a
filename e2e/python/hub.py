"""A real JupyterHub on loopback, with its proxy, its database, and a server process for each
user."""

import contextlib
import os
import pathlib
import subprocess

from servers import clean_environment, free_port, http, stop, wait_until

# The interpreter of the hub's environment (scripts/gateway-env hub).
PYTHON = os.environ.get("EASEL_TEST_JUPYTERHUB", "")

CONFIG = """
c.JupyterHub.bind_url = {url!r}
c.JupyterHub.hub_bind_url = {inner!r}
c.ConfigurableHTTPProxy.api_url = {api!r}
c.JupyterHub.db_url = "sqlite:///hub.sqlite"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r}
# A user's server asks the hub again whose a token is, rather than five minutes later.
c.Spawner.args = ["--allow-root", "--HubOAuth.cache_max_age=1"]
c.Spawner.environment = {environment!r}
c.Spawner.start_timeout = 180
c.Spawner.http_timeout = 180
c.JupyterHub.services = [{{"name": "tests", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "tests", "services": ["tests"], "scopes": ["admin:users", "admin:servers", "tokens"],
}}]
"""


class Hub:
    """A JupyterHub with one user, whose server can be started and stopped."""

    user = "ann"

    def __init__(self, base: pathlib.Path):
        assert PYTHON, "EASEL_TEST_JUPYTERHUB names no interpreter: run the tests with make test"
        base.mkdir(parents=True, exist_ok=True)
        self.base, self.admin = base, "hub-test-" + os.urandom(8).hex()
        self.env, self.ids = clean_environment(base), {}
        # The hub finds its proxy on the PATH, and the proxy finds Node.js there.
        self.env["PATH"] = f"{pathlib.Path(PYTHON).parent}:{self.env['PATH']}"
        self.env["CONFIGPROXY_AUTH_TOKEN"] = os.urandom(16).hex()
        self.log = open(base / "hub.log", "wb")
        for _ in range(3):  # another program may take a port before the hub does
            if self.launch():
                break
        else:
            raise RuntimeError((base / "hub.log").read_text())
        assert self.api("POST", f"/users/{self.user}")[0] == 201

    def launch(self) -> bool:
        self.url, inner, api = (f"http://127.0.0.1:{free_port()}" for _ in range(3))
        environment = {k: self.env[k] for k in self.env if k.startswith(("EASEL_TEST", "LC_"))}
        environment["JUPYTERHUB_SINGLEUSER_APP"] = "jupyter_server.serverapp.ServerApp"
        (self.base / "config.py").write_text(CONFIG.format(
            url=self.url, inner=inner, api=api, token=self.admin, environment=environment,
            homes=str(self.base / "{username}"),
        ))  # fmt: skip
        self.process = subprocess.Popen(
            [PYTHON, "-m", "jupyterhub", "--config=config.py"],
            env=self.env, cwd=self.base, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip
        wait_until("the hub's start", lambda: self.process.poll() is not None or self.ready())
        return self.process.poll() is None

    def ready(self) -> bool:
        with contextlib.suppress(OSError):
            return http("GET", self.url + "/hub/api/")[0] == 200
        return False

    def api(self, method: str, path: str, body=None, token: str = ""):
        return http(method, f"{self.url}/hub/api{path}", token or self.admin, body)

    @property
    def server(self) -> str:
        """Returns the URL of the user's server, as on the hub's pages."""
        return f"{self.url}/user/{self.user}/"

    def start_server(self):
        self.api("POST", f"/users/{self.user}/servers/")
        wait_until("the user's server", self.runs)

    def stop_server(self):
        self.api("DELETE", f"/users/{self.user}/servers/")
        wait_until("the end of the user's server", lambda: not self.model()["servers"])

    def runs(self) -> bool:
        return any(s["ready"] for s in self.model()["servers"].values())

    def model(self) -> dict:
        return self.api("GET", f"/users/{self.user}")[2]

    def new_token(self, **wishes) -> str:
        """Creates a token of the user, like the hub's token page."""
        status, _, made = self.api("POST", f"/users/{self.user}/tokens", wishes)
        assert status == 201, made
        self.ids[made["token"]] = made["id"]
        return made["token"]

    def revoke(self, token: str):
        """Revokes a token, like that page, and waits until the user's server rejects it."""
        status, _, said = self.api("DELETE", f"/users/{self.user}/tokens/{self.ids[token]}")
        assert status == 204, said
        wait_until("the end of a token", lambda: http("GET", self.server + "api/kernelspecs", token)[0] != 200)

    def knows(self, token: str) -> bool:
        return self.api("GET", "/user", token=token)[0] == 200

    def close(self):
        stop(self.process, 60)
        self.log.close()
