import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { plainText, textsOf } from "./plain-text";
import { DEFAULT_AGENT, DIRECT_AGENT, type OnFailure, type PlanTask, type TaskType } from "./plan";

/** A task as found in the document. */
export interface WrittenTask {
  item: Json;
  path: string;
  /** The dependencies of the phase around it; null = it is in no phase. */
  phase_depends_on: Json;
  /** The name of its entry. */
  key?: string;
}

/** The possible names of each field; the first that exists counts (plan reference, section 1.3). */
const NAMES = {
  id: ["id", "step_id", "name"],
  agent: ["agent", "worker", "assigned_to"],
  input: ["input", "query", "action", "description"],
  depends_on: ["depends_on", "requires", "after", "dependencies"],
  type: ["type"],
  output: ["output"],
  signature: ["signature", "output_signature"],
  verification: ["verification"],
  on_verification_failure: ["on_verification_failure"],
  on_failure: ["on_failure"],
  max_retries: ["max_retries", "retries"],
  critical: ["critical"],
  quality_gate: ["quality_gate"],
};
type Field = keyof typeof NAMES;

/** @param position 1-based: the id of a task that has none */
export function parsePlanTask({ item, path, phase_depends_on }: WrittenTask, position: number): ReadTask {
  const raw: JsonObject = isObject(item) ? item : { input: item };
  const keys: { [field: string]: string } = {};
  const given = (field: Field): Json => {
    const key = NAMES[field].find((name) => Object.hasOwn(raw, name) && raw[name] !== null);
    if (key === undefined) return null;
    keys[field] = key;
    return raw[key] as Json;
  };
  const named = (field: Field, fallback: string) => plainText(given(field) ?? "") || fallback;
  const agent = named("agent", DEFAULT_AGENT);
  const task: PlanTask = {
    id: named("id", `task_${position}`),
    agent,
    input: given("input") ?? "",
    depends_on: [...textsOf(given("depends_on")), ...textsOf(phase_depends_on)],
    type: typeOf(given("type"), agent),
    output: outputOf(given("output")),
    signature: optionalText(given("signature")),
    verification: optionalText(given("verification")),
    on_verification_failure: onFailure(given("on_verification_failure"), "replan"),
    on_failure: given("on_failure") === "undo" ? "undo" : onFailure(given("on_failure"), "stop"),
    max_retries: retriesOf(given("max_retries")),
    critical: ![false, "false"].includes(given("critical") as string),
    quality_gate: flagOf(given("quality_gate")),
  };
  return { task, source: { path, keys } };
}

/** The place of a task in the document, and the names of its fields there. */
export interface TaskSource {
  path: string;
  keys: { [field: string]: string };
}

interface ReadTask {
  task: PlanTask;
  source: TaskSource;
}

const GATES = ["synthesis_gate", "gate", "synthesis", "compress", "summarize"];
const REVIEWS = ["human_review", "review", "approval"];

function typeOf(given: Json, agent: string): TaskType {
  if (GATES.includes(given as string)) return "synthesis_gate";
  if (REVIEWS.includes(given as string)) return "human_review";
  return agent === DIRECT_AGENT ? "direct" : "task";
}

function outputOf(given: Json): PlanTask["output"] {
  if (given === "ptc_lisp") return "ptc_lisp";
  return given === "text" || given === "json" ? "text" : null;
}

/** A value that is not a text is kept as one, so that the check can report it. */
const optionalText = (given: Json): string | null => {
  const text = given === null ? "" : plainText(given);
  return text.trim() === "" ? null : text;
};

const KNOWN: readonly OnFailure[] = ["stop", "skip", "retry", "replan"];

function onFailure(given: Json, fallback: OnFailure): OnFailure {
  if (given === null) return fallback;
  return KNOWN.find((word) => word === given) ?? "stop";
}

/** The maximum that anyone can mean: a plan that retries forever is not a plan. */
const MAX_RETRIES = 100;

function retriesOf(given: Json): number {
  if (typeof given !== "number" || !(given >= 0)) return 1;
  return Math.min(Math.floor(given), MAX_RETRIES);
}

function flagOf(given: Json): boolean | null {
  if (given === true || given === "true") return true;
  return given === false || given === "false" ? false : null;
}
