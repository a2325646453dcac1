import { cutBytes } from "../../base/bytes";
import type { Json, JsonObject } from "../../base/json";
import { linesOf } from "../../base/one-line";
import { cutText } from "../../base/whole-characters";
import { prettyText } from "../definition/plain-text";
import type { PlanTask } from "../definition/plan";

/** The prompts of a plan's agents (plan reference, sections 4.2, 4.3 and 4.6). All of it is literal text. */

const UPSTREAM_BYTES = 5000;
const MISSION_CHARS = 1000;
const GATE_RESULT_CHARS = 2000;

const sections = (...parts: (string | null)[]): string => parts.filter((part) => part).join("\n\n");

/**
 * @param input the task's input, its templates filled
 * @param feedback why the previous attempt was not accepted
 */
export function taskPrompt(
  task: PlanTask,
  agentPrompt: string,
  input: Json,
  depends: JsonObject,
  feedback: string | null,
): string {
  const text = prettyText(input);
  const assignment =
    agentPrompt.trim() === ""
      ? text.trim() || `Do the task "${task.id}".`
      : sections(agentPrompt, `Task: ${text}`, "Before you return a result, check that it answers this task.");
  return sections(assignment, feedback === null ? null : feedbackSection(feedback), upstreamSection(depends));
}

const feedbackSection = (diagnosis: string): string =>
  sections(
    "## System Feedback",
    "Your last result was checked and not accepted:",
    linesOf(diagnosis)
      .map((line) => `> ${line}`)
      .join("\n"),
    "Do the task again so that this does not apply to the new result.",
  );

/** A result under its heading. A heading inside of it would look like the result of another task. */
const resultText = (value: Json): string => prettyText(value).replace(HEADING, "$&\\");
const HEADING = /(?:^|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029])[^\S\n\r]{0,3}(?=#)/g;

function upstreamSection(depends: JsonObject): string | null {
  const ids = Object.keys(depends).sort();
  if (ids.length === 0) return null;
  const results = ids.map((id) => `### ${id}\n${cutBytes(resultText(depends[id] as Json), UPSTREAM_BYTES)}`);
  return sections("## Upstream Results", ...results);
}

const GATE_ROLE = "You bring the results of several pieces of work together in one short summary.";

/** Writes the prompt of a synthesis gate, which compresses the results before it. */
export function gatePrompt(task: PlanTask, agentPrompt: string, depends: JsonObject): string {
  const results = Object.keys(depends)
    .sort()
    .map((id) => `### ${id}\n${resultText(depends[id] as Json)}`);
  return sections(
    agentPrompt.trim() === "" ? GATE_ROLE : agentPrompt,
    `## Your Task\n${prettyText(task.input)}`,
    [
      "Compress the results below:",
      "- keep the key facts, and every number that matters;",
      "- repeat nothing;",
      "- be much shorter than what you read;",
      "- give it a structure that the next steps can use.",
    ].join("\n"),
    results.length === 0 ? null : sections("## Previous Results", ...results),
    "Answer with a compact JSON summary.",
  );
}

export const QUALITY_GATE_SIGNATURE =
  "{sufficient :bool, missing [:string], evidence [{field :string, found :bool, source :string}]}";

/** Writes the prompt of a quality gate, which decides whether a task has enough data. */
export function qualityGatePrompt(task: PlanTask, input: Json, depends: JsonObject, mission: string | null): string {
  const results = Object.keys(depends)
    .sort()
    .map((id) => `### ${id}\n${cutText(resultText(depends[id] as Json), GATE_RESULT_CHARS)}`);
  return sections(
    "Decide whether the data that is there is enough for a task to be done. Do not do the task.",
    mission === null ? null : `## Mission\n${cutText(mission, MISSION_CHARS)}`,
    `## Task ${task.id}\n${prettyText(input)}`,
    task.signature === null ? null : `It must give: ${task.signature}`,
    results.length === 0 ? "## Available Data\nNone." : sections("## Available Data", ...results),
    [
      "List in `evidence` every data point that the task needs, as {field, found, source}: `source` names the result in which it",
      "stands, and is empty where `found` is false. Name in `missing` what was not found. `sufficient` is true only when",
      "nothing is missing.",
    ].join("\n"),
  );
}
