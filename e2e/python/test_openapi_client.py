"""Tests a client that openapi-python-client generates from the served document. All of its
modules must be importable, and it must work."""

import importlib
import json
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(sys.executable).parent


@pytest.fixture(scope="module")
def generated(easel, tmp_path_factory):
    """Generates the package."""
    base = tmp_path_factory.mktemp("generated")
    document = base / "openapi.json"
    document.write_text(json.dumps(easel.request("GET", "/api/v1/openapi.json")[2]))
    done = subprocess.run(
        [SCRIPTS / "openapi-python-client", "generate", "--path", document, "--output-path", base / "easel_client", "--meta", "none", "--fail-on-warning"],
        env=os.environ | {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"}, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(base))
    yield importlib.import_module("easel_client")
    sys.path.remove(str(base))


def test_every_module_of_it_can_be_imported(generated):
    names = [m.name for m in pkgutil.walk_packages(generated.__path__, "easel_client.")]
    for name in names:
        importlib.import_module(name)
    assert len(names) > 200


def test_it_runs_code(generated, easel):
    from easel_client.api.generic import run_tool
    from easel_client.api.jupyter import execute_code, get_variables, session_create
    from easel_client.models import AnyParameters, ExecuteCodeParameters, Execution, ExecutionStatus, Problem, ProblemCode, RunToolTool

    with generated.AuthenticatedClient(base_url=easel.url, token=easel.token, timeout=180) as client:
        session = session_create.sync(client=client)  # the body is optional
        code = "import matplotlib.pyplot as plt\nprint('generated')\nplt.plot([1, 2]); plt.show()\n6 * 7"
        ran = execute_code.sync(client=client, body=ExecuteCodeParameters(session_id=session.session_id, code=code))
        assert isinstance(ran, Execution)
        assert (ran.status, ran.stdout, ran.result) == (ExecutionStatus.OK, "generated\n", "42")
        assert ran.images[0].mime_type == "image/png" and ran.created_at.tzinfo

        problem = get_variables.sync(client=client, session_id="00000000-0000-4000-8000-000000000000")
        assert isinstance(problem, Problem) and problem.code is ProblemCode.KERNEL_NOT_FOUND

        body = AnyParameters.from_dict({"session_id": session.session_id})
        assert run_tool.sync(RunToolTool.SESSION_DELETE, client=client, body=body).success
