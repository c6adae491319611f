"""The life of a cluster over REST."""

import json


def running_with(n_workers: int):
    return lambda model: model["state"] == "running" and model["n_workers"] == n_workers


async def test_life_of_a_cluster(api, until):
    code, made = await api("POST", "clusters", {"name": "life", "backend": "local", "n_workers": 1})
    assert code == 201
    assert (made["name"], made["state"], made["spec"]["n_workers"]) == ("life", "starting", 1)
    path = f"clusters/{made['id']}"

    model = await until(made["id"], running_with(1))
    assert model["scheduler_address"].startswith("gpucluster+unix://127.0.0.1/")
    assert model["dashboard_path"] == f"gpucluster/dashboard/{made['id']}/status"
    _, listed = await api("GET", "clusters")
    assert made["id"] in [cluster["id"] for cluster in listed["clusters"]]
    assert (await api("GET", "clusters/life"))[1]["id"] == made["id"]

    code, model = await api("PATCH", path, {"n_workers": 2})
    assert (code, model["wanted"]["n_workers"]) == (200, 2)
    before = await until(made["id"], running_with(2))

    code, _ = await api("POST", f"{path}/restart")
    assert code == 200
    pids = {worker["pid"] for worker in before["workers"]}
    await until(
        made["id"], lambda model: running_with(2)(model) and not pids & {worker["pid"] for worker in model["workers"]}
    )

    leaving = (await until(made["id"], running_with(2)))["workers"][0]["name"]
    code, model = await api("POST", f"{path}/workers/{leaving}/retire")
    assert (code, model["wanted"]["n_workers"]) == (200, 1)
    model = await until(made["id"], running_with(1))
    assert leaving not in [worker["name"] for worker in model["workers"]]

    code, model = await api("PATCH", path, {"adapt": {"minimum": 1, "maximum": 2}})
    assert (code, model["wanted"]["adapt"] | {"minimum": 1, "maximum": 2}) == (200, model["wanted"]["adapt"])

    code, model = await api("PATCH", path, {"idle_timeout_seconds": 1234})
    assert code == 200
    await until(made["id"], lambda model: model["idle"]["timeout_seconds"] == 1234)

    code, log = await api("GET", f"{path}/logs", lines="3")
    assert code == 200
    assert 1 <= len(log["lines"]) <= 3

    code, model = await api("DELETE", path)
    assert code == 200
    assert model["wanted"]["stopped"]
    await until(made["id"], lambda model: model["state"] == "stopped")

    code, activity = await api("GET", f"{path}/activity")
    assert code == 200
    asked = [(entry["kind"], entry["by"]) for entry in activity["entries"] if entry["by"]]
    kinds = ("create", "scale", "restart", "retire", "adapt", "idle_timeout", "stop")
    assert asked == [(kind, "JupyterLab") for kind in kinds]
    assert activity["entries"][-1]["message"] == "Stopped."
    assert (await api("GET", f"{path}/history"))[0] == 409
    assert (await api("GET", "history"))[0] == 200
    code, refused = await api("GET", "history/compare", first="never", second="seen")
    assert (code, refused["message"][:39]) == (422, "Nothing in the history is named 'never'")
    assert (await api("POST", f"{path}/workers/0/retire"))[0] == 409

    # A second stop does not remove it from the list.
    code, model = await api("DELETE", path, only="stop")
    assert (code, model["state"]) == (200, "stopped")
    code, error = await api("DELETE", path, only="nothing")
    assert (code, error["message"]) == (422, "only: must be 'stop' or 'remove', not 'nothing'.")
    # The same request removes an ended cluster from the list.
    assert (await api("DELETE", path))[0] == 200
    assert (await api("GET", path))[0] == 404


async def test_created_cluster_has_an_address(jp_fetch, jp_base_url, api):
    spec = {"name": "located", "backend": "local", "n_workers": 1}
    response = await jp_fetch("gpucluster/api/clusters", method="POST", body=json.dumps(spec))
    made = json.loads(response.body)
    assert response.headers["Location"] == f"{jp_base_url}gpucluster/api/clusters/{made['id']}"
    assert (await api("DELETE", f"clusters/{made['id']}", only="remove"))[0] == 409
    # Stopped while it is starting.
    code, model = await api("DELETE", f"clusters/{made['id']}")
    assert (code, model["wanted"]["stopped"]) == (200, True)


async def test_second_cluster_of_a_name_is_refused(api, running_cluster):
    code, error = await api("POST", "clusters", {"name": "shared", "backend": "local"})
    assert (code, error["code"]) == (409, "name_taken")
    assert "shared" in error["message"]
    _, listed = await api("GET", "clusters")
    assert [cluster["name"] for cluster in listed["clusters"]].count("shared") == 1


async def test_notes_come_before_creation(api, running_cluster):
    _, before = await api("GET", "clusters")
    spec = {"backend": "local", "n_workers": 200, "memory_limit": "100 MB"}
    code, answer = await api("POST", "notes", spec)
    assert (code, [note.split(" run on ")[0] for note in answer["notes"]]) == (200, ["200 threads"])
    demand = answer["demand"]
    assert (demand["n_workers"], demand["threads_per_worker"], demand["memory_limit_bytes"]) == (200, 1, 100_000_000)
    assert demand["machine_memory_bytes"] > 100_000_000
    # A refused spec is no failed request, which would be an error in the browser's console.
    refused = {**spec, "memory_limit": "900 TiB"}
    code, answer = await api("POST", "notes", refused)
    assert (code, answer["notes"], answer["demand"]) == (200, [], None)
    code, error = await api("POST", "clusters", refused)
    assert (code, error["code"]) == (422, "invalid_request")
    assert answer["fields"] == error["fields"]
    assert [fault["field"] for fault in error["fields"]] == ["memory_limit"]
    code, answer = await api("POST", "notes", {"backend": "existing", "address": "tcp://127.0.0.1:9"})
    fault = {"field": "address", "message": "nothing is listening on port 9 of 127.0.0.1"}
    assert (code, answer["notes"], answer["fields"]) == (200, [], [fault])
    code, answer = await api("POST", "clusters/shared/notes", {"n_workers": 200})
    assert code == 200
    assert any(note.startswith("200 threads run on ") for note in answer["notes"])
    code, answer = await api("POST", "clusters/shared/notes", {"n_workers": "many"})
    assert (code, [fault["field"] for fault in answer["fields"]]) == (200, ["n_workers"])
    assert (await api("POST", "notes", raw=b""))[0] == 422
    assert (await api("GET", "notes"))[0] == 405
    assert (await api("GET", "clusters"))[1] == before


async def test_unknown_cluster(api):
    requests = [
        *(("GET", path, None) for path in
          ("", "/activity", "/history", "/failures", "/results", "/logs", "/script")),
        ("PATCH", "", {"n_workers": 1}), ("PATCH", "", {"n_workers": "abc"}), ("DELETE", "", None),
        ("POST", "/notes", {"n_workers": 1}), ("POST", "/restart", {}), ("POST", "/workers/0/retire", {}),
        ("POST", "/recording", {}), ("DELETE", "/recording", None),
        ("POST", "/results/release", {"name": "x", "group": "x", "kernel": "k"}),
    ]  # fmt: skip
    for cluster in ("no-such-cluster", "..%2f..", "0" * 300, "%00", "a%20b"):
        for method, path, body in requests:
            code, error = await api(method, f"clusters/{cluster}{path}", body)
            assert code == 404, (cluster, method, path)
            assert error["code"] in {"cluster_not_found", "not_found"}, (cluster, method, path)
            assert error["message"].endswith("."), (cluster, method, path)


async def test_unknown_worker(api, running_cluster):
    for worker in ("no-such-worker", "..%2f..", "0" * 300, "%00", "a%20b", "%2e%2e", "é"):
        code, error = await api("POST", f"clusters/shared/workers/{worker}/retire")
        assert code == 404, (worker, error)
        assert error["code"] in {"worker_not_found", "not_found"}, worker
        assert (await api("GET", "clusters/shared"))[1]["wanted"]["n_workers"] == 1, worker


async def test_unknown_address_and_method(api):
    code, error = await api("GET", "nothing/here")
    assert (code, error["code"]) == (404, "not_found")
    code, error = await api("PUT", "clusters", {})
    assert (code, error["code"]) == (405, "method_not_allowed")
    assert "PUT" in error["message"]


async def test_polling_the_list_is_no_activity(api, jp_serverapp):
    jp_serverapp.web_app.settings.pop("api_last_activity", None)
    assert (await api("GET", "clusters"))[0] == 200
    assert "api_last_activity" not in jp_serverapp.web_app.settings
    assert (await api("GET", "schema"))[0] == 200
    assert "api_last_activity" in jp_serverapp.web_app.settings
