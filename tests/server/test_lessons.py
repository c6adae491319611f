"""Lessons over REST: the list, copies, resets, reported answers, deleting progress, the class."""

import stat

import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.learner_progress import FILE_NAME, load, record, share
from gpucluster.lessons.server import folder as lesson_folder
from gpucluster.lessons.study.bank.files import all_questions

SLUG = "06-kmeans"


@pytest.fixture
def folder(jp_root_dir):
    return jp_root_dir / "gpucluster-lessons"


def lesson_of(answer, lesson="06"):
    return next(one for one in answer["lessons"] if one["id"] == lesson)


def exercise_of(answer, exercise):
    return next(one for one in lesson_of(answer)["exercises"] if one["id"] == exercise)


class TestList:
    async def test_before_anything_was_done(self, api, folder):
        code, answer = await api("GET", "lessons")
        assert code == 200
        assert answer["folder"] == "gpucluster-lessons"
        lesson = lesson_of(answer)
        known = find_lesson("06")
        assert (lesson["title"], lesson["minutes"], lesson["needs"]) == (known.title, known.minutes, known.needs)
        assert [one["id"] for one in lesson["exercises"]] == [one.id for one in known.exercises]
        assert lesson["notebook"] is None
        assert {one["state"] for one in lesson["exercises"]} == {"new"}
        assert answer["next"]["link"] == answer["lessons"][0]["id"]
        assert answer["progress"]["exists"] is False
        assert answer["progress"]["exercises"]["done"] == 0
        assert answer["has_class"] is False
        assert not folder.exists()

    async def test_list_shows_the_kernels_progress(self, api, folder):
        folder.mkdir()
        record({"kind": "check", "exercise": "06.2", "state": "passed"}, folder)
        record({"kind": "hint", "exercise": "06.3", "number": 2}, folder)
        record({"kind": "check", "exercise": "06.3", "state": "failed", "failed": ["The sums add up"]}, folder)
        _, answer = await api("GET", "lessons")
        assert exercise_of(answer, "06.2")["state"] == "passed"
        third = exercise_of(answer, "06.3")
        assert (third["state"], third["attempts"], third["hints"]) == ("failed", 1, 2)
        assert answer["next"]["link"].startswith("06.")
        assert answer["progress"]["exists"] is True
        assert answer["progress"]["exercises"]["done"] == 1

    async def test_list_is_read_again_only_after_a_change(self, api, folder, monkeypatch):
        made = []
        monkeypatch.setattr(lesson_folder, "advice_for", lambda progress: made.append(progress) or [])
        folder.mkdir()
        answers = [await api("GET", "lessons") for _ in range(3)]
        assert answers[0] == answers[1] == answers[2]
        assert len(made) == 1
        record({"kind": "check", "exercise": "06.2", "state": "passed"}, folder)
        _, answer = await api("GET", "lessons")
        assert exercise_of(answer, "06.2")["state"] == "passed"
        assert len(made) == 2

    async def test_next_step_continues_from_progress(self, api, folder):
        folder.mkdir()
        for exercise in find_lesson("06").exercises[:-1]:
            record({"kind": "check", "exercise": exercise.id, "state": "passed"}, folder)
        last = find_lesson("06").exercises[-1]
        record({"kind": "check", "exercise": last.id, "state": "failed", "failed": ["It is *sorted*"]}, folder)
        _, answer = await api("GET", "lessons")
        assert answer["next"]["link"] == last.id
        assert answer["next"]["why"] == "Its last check failed: It is *sorted*."

    async def test_damaged_progress_is_reported_and_kept(self, api, folder):
        folder.mkdir()
        (folder / FILE_NAME).write_text("{broken")
        code, answer = await api("GET", "lessons")
        assert code == 200
        assert "is corrupted" in answer["progress"]["message"]
        assert lesson_of(answer)["exercises"]
        code, refusal = await api(
            "POST", "lessons/events", {"events": [{"kind": "card", "id": "06.c1", "known": True}]}
        )
        assert (code, refusal["code"]) == (409, "progress_unreadable")
        assert (folder / FILE_NAME).read_text() == "{broken"


class TestCopies:
    async def test_copy_keeps_the_learners_work(self, api, folder):
        code, answer = await api("POST", "lessons/copy")
        assert code == 200
        path = f"gpucluster-lessons/{SLUG}/{SLUG}.ipynb"
        assert path in answer["written"]
        (folder / SLUG / f"{SLUG}.ipynb").write_text("mine")
        _, again = await api("POST", "lessons/copy")
        assert again["written"] == []
        assert (folder / SLUG / f"{SLUG}.ipynb").read_text() == "mine"
        _, listed = await api("GET", "lessons")
        assert lesson_of(listed)["notebook"] == path

    async def test_reset_keeps_a_backup(self, api, folder):
        await api("POST", "lessons/copy")
        (folder / SLUG / f"{SLUG}.ipynb").write_text("mine")
        code, answer = await api("POST", "lessons/06/reset")
        assert code == 200
        assert answer["written"] == [f"gpucluster-lessons/{SLUG}/{SLUG}.ipynb"]
        assert answer["backup"].startswith(f"gpucluster-lessons/{SLUG}.backup-")
        backup = folder.parent / answer["backup"] / f"{SLUG}.ipynb"
        assert backup.read_text() == "mine"

    async def test_recall(self, api, folder):
        code, answer = await api("POST", "lessons/06/recall")
        if find_lesson("06").recall_notebook.is_file():
            assert (code, answer["written"]) == (200, [f"gpucluster-lessons/{SLUG}/{SLUG}-recall.ipynb"])
            assert (folder / SLUG / f"{SLUG}-recall.ipynb").is_file()
        else:
            assert (code, answer["code"]) == (404, "lesson_not_found")

    @pytest.mark.parametrize("action", ["reset", "recall"])
    @pytest.mark.parametrize(
        "lesson",
        ["99", "..", "%2e%2e", "..%2f..%2fetc", "06-kmeans%2f..", "%00", "06.backup", "%F0%9F%98%80", "~", "a" * 400],
    )
    async def test_wrong_name_changes_no_file(self, api, folder, lesson, action):
        code, answer = await api("POST", f"lessons/{lesson}/{action}")
        assert code in {400, 404}, answer
        assert answer["message"].endswith(".")
        assert not folder.exists()

    async def test_impossible_folder_is_refused(self, api, folder):
        folder.write_text("a file")
        code, answer = await api("POST", "lessons/copy")
        assert (code, answer["code"]) == (409, "lesson_folder")
        assert "cannot be copied" in answer["message"]


class TestEvents:
    async def test_reported_answers_are_stored(self, api, folder):
        events = [
            {"kind": "question", "id": "06.q1", "right": False},
            {"kind": "question", "id": "06.q1", "right": True},
            {"kind": "card", "id": "06.c1", "known": True},
            {"kind": "card", "id": "hook.1", "known": False},
            {"kind": "exam", "answers": {"06.q2": True, "03.q4": False}},
            {"kind": "parsons", "exercise": "06.1", "right": False, "failed": ["Line B comes too early"]},
        ]
        code, answer = await api("POST", "lessons/events", {"events": events})
        assert (code, answer["noted"]) == (200, 6)
        progress = load(folder)
        assert (progress.questions["06.q1"].answered, progress.questions["06.q1"].right) == (2, 1)
        assert progress.exams[0].wrong == ["03.q4"]
        assert progress.exercises["06.1"].last_failed == ["Line B comes too early"]
        assert answer["due"] == {card: progress.cards[card].due_on.isoformat() for card in ("06.c1", "hook.1")}
        assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "events"),
            ([], ""),
            ({"events": []}, "events"),
            ({"events": [{"kind": "check", "exercise": "06.2", "state": "passed"}]}, "events.0.kind"),
            ({"events": [{"id": "06.q1"}]}, "events.0.kind"),
            ({"events": [{"kind": "question", "id": "06.q1", "right": "yes"}]}, "events.0.question.right"),
            ({"events": [{"kind": "question", "id": "../../x", "right": True}]}, "events.0.question.id"),
            ({"events": [{"kind": "card", "id": "<script>", "known": True}]}, "events.0.card.id"),
            ({"events": [{"kind": "card", "id": "06.c1"}]}, "events.0.card.known"),
            ({"events": [{"kind": "exam", "answers": {}}]}, "events.0.exam.answers"),
            ({"events": [{"kind": "parsons", "exercise": "06.1", "right": True, "at": 1}]}, "events.0.parsons.at"),
            ({"events": [{"kind": "card", "id": "06.c1", "known": True}] * 101}, "events"),
            ({"events": [{"kind": "parsons", "exercise": "06.2", "right": True}]}, "events.0.parsons.exercise"),
            ({"events": [{"kind": "parsons", "exercise": "99.1", "right": True}]}, "events.0.parsons.exercise"),
            ({"events": [{"kind": "question", "id": "06.q999", "right": True}]}, "events.0.question.id"),
            ({"events": [{"kind": "question", "id": "٠٦.q١", "right": True}]}, "events.0.question.id"),
            ({"events": [{"kind": "card", "id": "hook.99", "known": True}]}, "events.0.card.id"),
            ({"events": [{"kind": "exam", "answers": {"06.q1": True, "06.q999": True}}]}, "events.0.exam.answers"),
            ({"events": [{"kind": "card", "id": card, "known": True} for card in ("06.c1", "?")]}, "events.1.card.id"),
            ({"events": [{"kind": "exam", "answers": {f"06.q{n}": True for n in range(1, 202)}}]},
             "events.0.exam.answers"),
        ],
    )  # fmt: skip
    async def test_bad_report_names_the_field_and_is_not_stored(self, api, folder, body, field):
        code, answer = await api("POST", "lessons/events", body)
        assert (code, answer["code"]) == (422, "invalid_request")
        assert field in {one["field"] for one in answer["fields"]}
        assert not folder.exists()

    @pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"null", b"[" * 100_000])
    async def test_broken_json(self, api, folder, raw):
        code, answer = await api("POST", "lessons/events", raw=raw)
        assert code == 422
        assert answer["message"].endswith(".")
        assert not folder.exists()

    async def test_an_exam_of_all_questions_is_written_down(self, api, folder):
        answers = {question.id: True for question in all_questions()}
        code, _ = await api("POST", "lessons/events", {"events": [{"kind": "exam", "answers": answers}]})
        assert code == 200
        assert load(folder).exams[0].total == len(answers)

    async def test_large_report_is_refused(self, api, folder):
        code, answer = await api("POST", "lessons/events", raw=b" " * (2**20 + 1))
        assert (code, "cluster" in answer["message"]) == (422, False)
        assert "exceeds the limit of 1 MiB" in answer["message"]


async def test_deleted_progress_leaves_the_notebooks(api, folder):
    await api("POST", "lessons/copy")
    await api("POST", "lessons/events", {"events": [{"kind": "card", "id": "06.c1", "known": True}]})
    code, answer = await api("DELETE", "lessons/progress")
    assert (code, answer) == (200, {"deleted": True})
    assert not (folder / FILE_NAME).exists()
    assert (folder / SLUG / f"{SLUG}.ipynb").is_file()
    assert (await api("DELETE", "lessons/progress"))[1] == {"deleted": False}


class TestElsewhere:
    """A folder outside of Jupyter's root is shown, but cannot be opened."""

    @pytest.fixture
    def extension_config(self, tmp_path):
        return {"standby": False, "lessons_folder": str(tmp_path / "outside")}

    async def test_folders_outside_the_root_are_not_offered(self, api, tmp_path):
        await api("POST", "lessons/copy")
        assert (tmp_path / "outside" / SLUG / f"{SLUG}.ipynb").is_file()
        _, answer = await api("GET", "lessons")
        assert lesson_of(answer)["notebook"] is None
        assert answer["folder"] == str(tmp_path / "outside")


async def test_missing_class_explains_the_setup(api, tmp_path):
    for chosen in ({}, {"folder": str(tmp_path)}):  # The browser cannot choose one.
        code, answer = await api("GET", "lessons/class", **chosen)
        assert (code, answer["code"]) == (404, "no_class")
        assert "class_folder" in answer["message"]


class TestInstructor:
    """A server with the folder of a class in its configuration."""

    @pytest.fixture
    def extension_config(self, tmp_path):
        return {"standby": False, "class_folder": str(tmp_path / "class")}

    async def test_class_shows_positions_and_failures(self, api, tmp_path):
        for name in ("class", "ada"):
            (tmp_path / name).mkdir()
        share(tmp_path / "class", "Ada", tmp_path / "ada")
        record({"kind": "check", "exercise": "06.3", "state": "failed", "failed": ["It adds up"]}, tmp_path / "ada")
        (tmp_path / "class" / "notes.json").write_text("{}")
        code, view = await api("GET", "lessons/class")
        assert code == 200
        learners = [(one["name"], one["exercise"], one["failing"]) for one in view["learners"]]
        assert learners == [("Ada", "06.3", "It adds up")]
        assert view["exercises"][0]["failing"] == [{"property": "It adds up", "learners": 1}]
        assert "notes.json was skipped" in view["problems"][0]
        assert (await api("GET", "lessons"))[1]["has_class"] is True

    async def test_missing_folder_is_refused(self, api):
        code, answer = await api("GET", "lessons/class")
        assert code == 422
        assert "cannot be read" in answer["message"]
