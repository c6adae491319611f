"""Write the TypeScript types of the wire protocol from the Python models.

Usage: ``python .ci/protocol_types.py [--check]``. With ``--check`` nothing is written; the exit
code says whether the checked-in file is fresh.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from gpucluster.lessons.models import (
    ClassView,
    EventsNoted,
    LessonCopied,
    LessonEvents,
    LessonList,
    ProgressDeleted,
)
from gpucluster.protocol.cells import Cells
from gpucluster.protocol.errors import ErrorModel
from gpucluster.protocol.instructing import ClassAnswer, ClassClusters, NodeModel
from gpucluster.protocol.kinds import KindModel
from gpucluster.protocol.links import NewLink, SharedEvent, SharedLinks
from gpucluster.protocol.models import (
    ClusterList,
    ClusterModel,
    Event,
    HostDevices,
    LogLines,
    Notes,
    OfferedPreset,
    ProcessStopped,
    SiteFaults,
)
from gpucluster.protocol.recordings import RecordedSession, RecordingList
from gpucluster.protocol.spec import ClusterPatch, SpecBase
from gpucluster.protocol.telemetry import Activity, LargestResults, TaskFailures, TelemetryHistory
from gpucluster.protocol.verbs import Verb
from gpucluster.protocol.version import PROTOCOL_VERSION
from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import GenerateJsonSchema

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "labextension" / "src" / "protocol" / "messages.ts"
BANNER = f"""\
/*
 * Generated from the models in gpucluster.protocol. Do not edit: run
 * `python .ci/protocol_types.py` instead.
 */

/** The version of the wire protocol that these types describe. */
export const PROTOCOL_VERSION = {PROTOCOL_VERSION};

export const VERBS: readonly Verb[] = {[str(verb) for verb in Verb]};
"""


class Protocol(BaseModel):
    """What the panel imports; what these types refer to comes along."""

    # A root with one property per message: without it the generator calls each of them unreachable.
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    spec: SpecBase
    patch: ClusterPatch
    cluster: ClusterModel
    clusters: ClusterList
    event: Event
    devices: HostDevices
    node: NodeModel
    class_clusters: ClassClusters
    class_answer: ClassAnswer
    site: SiteFaults
    preset: OfferedPreset
    kind: KindModel
    log: LogLines
    notes: Notes
    process_stopped: ProcessStopped
    history: TelemetryHistory
    failures: TaskFailures
    results: LargestResults
    activity: Activity
    cells: Cells
    lessons: LessonList
    copied: LessonCopied
    answers: LessonEvents
    noted: EventsNoted
    forgotten: ProgressDeleted
    classroom: ClassView
    links: SharedLinks
    new_link: NewLink
    shared_event: SharedEvent
    recordings: RecordingList
    recorded: RecordedSession
    error: ErrorModel


class UntitledSchema(GenerateJsonSchema):
    """A schema whose fields have no titles: the generator would make a type of each."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Return whether a field gets a title of its own accord."""
        return False


def _without_titles(node: object) -> object:
    if isinstance(node, dict):
        if "$ref" in node:
            # With a description beside it, the generator makes one more type of the same shape.
            return {"$ref": node["$ref"]}
        titled = isinstance(node.get("title"), str) and "properties" not in node
        # Nor are arrays tuples, whatever their bounds.
        left_out = {"minItems", "maxItems", *(["title"] if titled else [])}
        if isinstance(node.get("description"), str):  # They are in the Python models.
            left_out.add("description")
        return {key: _without_titles(value) for key, value in node.items() if key not in left_out}
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    return node


def _named_unions(schema: dict[str, object]) -> dict[str, object]:
    definitions = schema["$defs"]
    properties = schema["properties"]
    assert isinstance(definitions, dict) and isinstance(properties, dict)
    # An alias of a union has no name in the schema; give it one, so that TypeScript has it too.
    for place, name in (("event", "Event"), ("shared_event", "SharedEvent")):
        definitions[name] = {key: value for key, value in properties[place].items() if key != "description"}
        properties[place] = {"$ref": f"#/$defs/{name}"}
    # Any kind of cluster, ours or another package's, has these fields and others.
    definitions["ClusterSpec"] = {**definitions.pop("SpecBase"), "title": "ClusterSpec", "additionalProperties": True}
    properties["spec"] = definitions["ClusterModel"]["properties"]["spec"] = {"$ref": "#/$defs/ClusterSpec"}
    # A patch is what the browser sends: what is left out is unchanged, and null is refused.
    patch = definitions["ClusterPatch"]
    patch.pop("required", None)
    for field, schema_of_field in patch["properties"].items():
        kept = [option for option in schema_of_field["anyOf"] if option != {"type": "null"}]
        # A reference with a description beside it would become a second type of the same shape.
        described = {} if "$ref" in kept[0] else {"description": schema_of_field["description"]}
        patch["properties"][field] = {**described, **kept[0]}
    return schema


def generate() -> str:
    """Return the text of the TypeScript module."""
    schema = Protocol.model_json_schema(mode="serialization", schema_generator=UntitledSchema)
    cleaned = _without_titles(_named_unions(schema))
    tools = ROOT / "node_modules" / ".bin"
    if not (tools / "json2ts").exists():
        raise SystemExit("The JavaScript packages are missing: run `make lab` first.")
    command = [
        str(tools / "json2ts"),
        "--additionalProperties=false",
        "--maxItems=-1",
        "--bannerComment",
        BANNER,
        "--style.singleQuote",
    ]
    made = subprocess.run(command, input=json.dumps(cleaned), capture_output=True, text=True, check=True, cwd=ROOT)
    # Neither the root, nor the generator's remark on each type.
    types = re.sub(r"/\*\*(?:(?!\*/).)*was referenced by(?:(?!\*/).)*\*/\n", "", made.stdout, flags=re.DOTALL)
    types = re.sub(r"export interface Protocol \{.*?\n\}\n", "", types, flags=re.DOTALL)
    pretty = [str(tools / "prettier"), "--parser", "typescript", "--stdin-filepath", str(TARGET)]
    done = subprocess.run(pretty, input=types, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def main() -> int:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is stale")
    fresh = generate()
    if parser.parse_args().check:
        if not TARGET.exists() or TARGET.read_text() != fresh:
            print(f"{TARGET.relative_to(ROOT)} is stale: run 'python .ci/protocol_types.py'", file=sys.stderr)
            return 1
        return 0
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
