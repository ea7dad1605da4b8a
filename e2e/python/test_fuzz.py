"""Fuzzes the REST API with Schemathesis, which knows only Easel's OpenAPI document. It sends
valid and invalid requests to every operation, and checks every answer against the
document."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from servers import Easel, Jupyter, clean_environment

# How many random requests an operation gets. make fuzz sends more. At night, each limit of its
# parameters is covered before them.
EXAMPLES = int(os.environ.get("EASEL_FUZZ_EXAMPLES", "2"))
COVERED = EXAMPLES > 2 or bool(os.environ.get("EASEL_TEST_NIGHTLY"))
# The fuzzer cannot test an endless stream; e2e/events_test.go does.
ENDLESS = "/api/events"


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """An Easel and a Jupyter server for the fuzzer only, because it creates and deletes."""
    server = Jupyter(tmp_path_factory.mktemp("fuzzed-jupyter"))
    app = Easel.start(tmp_path_factory.mktemp("fuzzed-easel"), jupyter=server)
    yield app
    app.close()
    server.close()


def real_values(easel: Easel) -> dict[str, list[str]]:
    """Returns names of existing things. With only random names, all answers would be 404."""
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\nx = 1"
    sessions = [easel.execute("session_create")[2]["session_id"] for _ in range(2)]
    ran = easel.execute("execute_code", session_id=sessions[0], code=code)[2]
    easel.execute("notebook_create", path="a.ipynb", cells=[{"cell_type": "code", "source": "1"}])
    image = ran["images"][0]
    return {
        "sessions": sessions,
        "executions": [ran["execution_id"]],
        "images": [image["resource_uri"], "latest", "selected"],
        "notebooks": ["a.ipynb"],
        "variables": ["x", "plt"],
        "files": [f"{image['image_id']}.png"],
    }


CONFIG = """
# Errors that are not ours: the Jupyter server's, the kernel's, the disk's.
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "501", "502", "503", "504", "507"]
# What fits its schema may still name what is not there, or not be possible now.
positive_data_acceptance.expected-statuses = ["2xx", "4xx", "501", "502", "503", "504", "507"]
# Too large to be looked at is refused, too.
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "413", "415", "422", "5xx"]

[parameters]
"body.session_id" = {{ dictionary = "sessions", probability = 0.5 }}
"query.session_id" = {{ dictionary = "sessions", probability = 0.5 }}
"path.session_id" = {{ dictionary = "sessions", probability = 0.7 }}
"path.image" = {{ dictionary = "files", probability = 0.7 }}
"query.execution_id" = {{ dictionary = "executions", probability = 0.7 }}
"query.resource_uri" = {{ dictionary = "images", probability = 0.5 }}
"query.variable_name" = {{ dictionary = "variables", probability = 0.7 }}

# path is a notebook's for these, a picture's for the others.
[[operations]]
include-path-regex = "notebook_"
parameters = {{ "body.path" = {{ dictionary = "notebooks", probability = 0.5 }}, "query.path" = {{ dictionary = "notebooks", probability = 0.5 }} }}

[[operations]]
include-path-regex = "(open_folder|select_file|set_|show_image|prompt_info)"
parameters = {{ "body.path" = {{ dictionary = "images", probability = 0.5 }}, "query.path" = {{ dictionary = "images", probability = 0.5 }} }}

# Any tool, some of which start a kernel.
[[operations]]
include-path-regex = "^/tools/.+/execute"
phases = {{ coverage = {{ enabled = false }} }}
generation = {{ max-examples = {tools} }}

# Each of these starts a kernel, which takes a second of a core.
[[operations]]
include-path-regex = "session_(create|restart)|check_reproducibility"
phases = {{ coverage = {{ enabled = false }} }}
generation = {{ max-examples = {kernels} }}

[dictionaries]
{dictionaries}
"""


def test_every_operation_keeps_to_the_document(fuzzed, tmp_path):
    values = real_values(fuzzed)
    config = tmp_path / "schemathesis.toml"
    dictionaries = "\n".join(f"{k} = {{ values = {json.dumps(v)} }}" for k, v in values.items())
    config.write_text(CONFIG.format(dictionaries=dictionaries, tools=3 * EXAMPLES, kernels=max(1, EXAMPLES // 2)))
    scripts = pathlib.Path(sys.executable).parent
    done = subprocess.run(
        [scripts / "schemathesis", "--config-file", config, "run", fuzzed.url + "/api/v1/openapi.json",
         "--header", f"Authorization: Bearer {fuzzed.token}", "--exclude-path", ENDLESS, "--seed", "20261121",
         "--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing" if COVERED else "examples,fuzzing", "--request-timeout", "300", "--no-color", "--no-shrink",
         "--generation-database", "none", "--suppress-health-check", "all"],
        env=clean_environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    said = "\n".join(line[:400] for line in (done.stdout + done.stderr).splitlines())  # otherwise it shows megabytes
    (tmp_path / "said.txt").write_text(said)
    assert done.returncode == 0, said
    # It must not pass because it tested nothing.
    document = fuzzed.request("GET", "/api/v1/openapi.json")[2]
    operations = sum(len(item) for path, item in document["paths"].items() if path != ENDLESS)
    assert f"Tested: {operations}" in said, said
    generated = int(re.search(r"(\d+) generated", said)[1])
    assert generated > (1000 if COVERED else operations), said
    # Easel must not have logged an internal error.
    log = (fuzzed.data.parent / "easel.log").read_text() + "".join(p.read_text() for p in fuzzed.data.rglob("*.log"))
    assert "INTERNAL_ERROR" not in log and "panic" not in log
