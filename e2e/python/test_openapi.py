"""The OpenAPI document before a second validator, which shares nothing with the one
that the Go tests use; and each example of it before the real Easel."""

import pytest
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
    kept = {f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in document["components"][kind]}
    assert kept - found == set()


def test_limits_and_enums_stand_in_it(document):
    run = document["paths"]["/api/execute/execute_code"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    p = document["components"]["schemas"][run["$ref"].rsplit("/", 1)[1]]
    assert "additionalProperties" not in p and p["required"] == ["session_id", "code"]
    assert p["properties"]["code"]["maxLength"] == 1_000_000
    assert (p["properties"]["wait"]["minimum"], p["properties"]["wait"]["maximum"], p["properties"]["wait"]["default"]) == (0, 50, 45)
    assert p["properties"]["images"]["enum"] == ["inline", "link", "none", None]  # null stands for absent
    assert p["properties"]["images"]["nullable"] is True and "nullable" not in p["properties"]["code"]


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
            if op.get("security") != []:  # wants the token
                assert "401" in op["responses"], path
    assert len(ids) == len(set(ids)) > 90
