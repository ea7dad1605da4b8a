"""Validates the OpenAPI document with another validator than the Go tests, and checks calls of
the real Easel against it."""

import pytest
from openapi_schema_validator import OAS30Validator
from openapi_spec_validator import OpenAPIV30SpecValidator

PLAIN = {"get", "post"}


@pytest.fixture(scope="module")
def document(easel):
    status, headers, doc = easel.request("GET", "/api/v1/openapi.json")
    assert status == 200 and headers.get_content_type() == "application/json"
    return doc


def test_it_is_valid(document):
    assert document["openapi"].startswith("3.0.")
    assert [str(e) for e in OpenAPIV30SpecValidator(document).iter_errors()] == []


def test_every_reference_leads_somewhere_and_everything_is_referred_to(document):
    found = set()

    def walk(node):
        if isinstance(node, dict):
            if isinstance(ref := node.get("$ref"), str):
                target = document
                for part in ref.removeprefix("#/").split("/"):
                    target = target[part]
                found.add(ref)
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(document)
    found |= set(document["components"]["schemas"]["Event"]["discriminator"]["mapping"].values())
    kept = {f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in document["components"][kind]}
    assert kept - found == set()


def component(document, schema) -> dict:
    return document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]


def parameters(document, tool: str) -> dict:
    body = document["paths"][f"/api/execute/{tool}"]["post"]["requestBody"]
    return component(document, body["content"]["application/json"]["schema"])


def test_limits_and_enums_stand_in_it(document):
    p = parameters(document, "execute_code")
    assert "additionalProperties" not in p and p["required"] == ["session_id", "code"]
    assert p["properties"]["code"]["maxLength"] == 1_000_000
    assert (p["properties"]["wait"]["minimum"], p["properties"]["wait"]["maximum"], p["properties"]["wait"]["default"]) == (0, 50, 45)
    assert p["properties"]["images"]["enum"] == ["inline", "link", "none", None]  # null means omitted
    assert p["properties"]["images"]["nullable"] is True and "nullable" not in p["properties"]["code"]


def test_results_and_errors_have_enums(document):
    schemas = document["components"]["schemas"]
    assert schemas["Execution"]["properties"]["status"]["enum"][:4] == ["queued", "awaiting_approval", "awaiting_input", "running"]
    assert schemas["Session"]["properties"]["owner"]["enum"] == ["easel", "other"]
    assert {"VALIDATION_ERROR", "KERNEL_NOT_FOUND", "DENIED"} <= set(schemas["Problem"]["properties"]["code"]["enum"])
    assert "KERNEL_DIED" in schemas["ExecutionError"]["properties"]["code"]["enum"]
    assert schemas["NotebookCell"]["properties"]["cell_type"]["enum"] == ["code", "markdown", "raw"]
    documents = {name: document["paths"][f"/api/resources/{name}"]["get"]["responses"]["200"] for name in ("settings", "history", "state")}
    for name, response in documents.items():
        assert len(component(document, response["content"]["application/json"]["schema"])["properties"]) > 0, name


def test_each_event_has_a_schema_of_its_data(document):
    event = component(document, document["paths"]["/api/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]["schema"])
    of = {name: component(document, {"$ref": ref})["properties"]["data"] for name, ref in event["discriminator"]["mapping"].items()}
    assert of["image.added"]["$ref"].endswith("/Image") and of["execution.ended"]["$ref"].endswith("/Execution")
    assert of["selection.changed"]["items"]["$ref"].endswith("/File") and of["settings.changed"]["$ref"].endswith("/Settings")
    assert "reset" in of and len(of) == 13


# By tool: the rule in its description, a body, additions that are not enough, and additions that are.
EITHER = {
    "select_file": ("path or paths", {}, [{}, {"path": None}, {"paths": []}], [{"path": "latest"}, {"paths": ["latest"], "path": None}]),
    "set_tags": ("add or remove", {"path": "latest"}, [{}, {"add": [], "remove": None}], [{"add": ["a"]}, {"remove": ["a"], "add": []}]),
    "session_connect": ("notebook_path or kernel_id", {}, [{}, {"kernel_id": ""}], [{"kernel_id": "k"}, {"notebook_path": "a.ipynb", "kernel_id": ""}]),
    "navigate_image": ("either direction or index", {}, [{}, {"direction": "next", "index": 0}], [{"direction": "next", "index": None}, {"index": 0}]),
    "notebook_delete_cell": ("cell_id or index", {"path": "a.ipynb"}, [{}, {"index": None}], [{"cell_id": "c"}, {"index": 0}]),
    "notebook_edit_cell": ("cell_id or index", {"path": "a.ipynb", "source": ""}, [{}, {"cell_id": ""}], [{"cell_id": "c"}, {"index": 0}]),
    "notebook_move_cell": ("cell_id or index", {"path": "a.ipynb", "to": 0}, [{}], [{"cell_id": "c"}, {"index": 0}]),
    "notebook_run_cell": ("cell_id or index", {"path": "a.ipynb"}, [{}], [{"cell_id": "c"}, {"index": 0}]),
}  # fmt: skip


@pytest.mark.parametrize("tool", EITHER)
def test_rules_over_several_parameters_are_those_of_the_server(document, easel, tool):
    rule, base, too_little, enough = EITHER[tool]
    operation = document["paths"][f"/api/execute/{tool}"]["post"]
    assert f"Give {rule}." in operation["description"] and operation["requestBody"]["required"] is True
    validator = OAS30Validator(parameters(document, tool))
    for bodies, right in ((too_little, False), (enough, True)):
        for extra in bodies:
            assert validator.is_valid(base | extra) is right, extra
            status, _, answer = easel.execute(tool, **base | extra)
            assert (status == 400) is not right, answer


def test_a_body_is_optional_where_no_parameter_is_required(document, easel):
    optional = {path for path, item in document["paths"].items() if (body := item.get("post", {}).get("requestBody")) and not body["required"]}
    assert {"/api/execute/session_create", "/api/execute/clear_tag_filter", "/tools/{tool}/execute"} <= optional
    assert easel.request("POST", "/api/execute/clear_tag_filter")[0] == 200
    assert easel.request("POST", "/tools/session_list/execute")[0] == 200
    assert easel.request("POST", "/api/execute/execute_code")[0] == 400


def test_the_root_folder_has_a_path(document, easel):
    [path] = [p for p in document["paths"]["/api/info/file_list"]["get"]["parameters"] if p["name"] == "path"]
    assert path["schema"]["default"] == "/"
    status, _, listed = easel.request("GET", "/api/info/file_list?path=/")
    assert (status, listed["path"]) == (200, "/")


def test_every_operation_tells_a_model_what_it_does(document):
    ids = []
    for path, item in document["paths"].items():
        for method, op in item.items():
            assert method in PLAIN, path
            ids.append(op["operationId"])
            assert len(op["description"]) > 10 and op["summary"] and op["tags"], path
            assert "200" in op["responses"] and "500" in op["responses"], path
            for parameter in op.get("parameters", []):
                assert parameter["description"] and parameter["schema"], path
            if body := op.get("requestBody"):
                assert "example" in body["content"]["application/json"], path
            if op.get("security") != []:  # it requires the token
                assert "401" in op["responses"], path
            for status, response in op["responses"].items():
                if status >= "4" and status != "416":  # an error, whose codes are explained
                    response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
                    assert response["description"] and component(document, response["content"]["application/problem+json"]["schema"]), path
    assert len(ids) == len(set(ids))


def test_each_tool_has_one_operation_and_all_share_one(document, easel):
    tools = {t["name"]: t for t in easel.request("GET", "/tools")[2]["tools"]}
    documented = {op["operationId"]: path for path, item in document["paths"].items() for op in item.values()}
    assert {name: documented.get(name) for name in tools} == {name: t["path"] for name, t in tools.items()}
    [parameter] = document["paths"]["/tools/{tool}/execute"]["post"]["parameters"]
    assert set(parameter["schema"]["enum"]) == set(tools)
    assert len(documented) < len(tools) + 12
    assert not [name for name in document["components"]["schemas"] if name[-1].isdigit()]  # two types with the same name
