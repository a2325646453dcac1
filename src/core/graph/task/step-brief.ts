import type { Json, JsonObject } from "../../base/json";
import { type Definition, nodeName, nodeOf, outputsOf, workOf } from "../definition/schema";

const TOLD = ["stage", "description", "instructions", "context_files", "config"] as const;

/**
 * What an agent is told of the step that it is to do, as its data `step`: a role that works at many steps (a reviewer, a
 * tester) learns here what is asked of it this time, and which outcomes there are.
 */
export function stepBrief(definition: Definition, step: string): JsonObject {
  const node = nodeOf(definition, step);
  const work = workOf(node);
  const brief: JsonObject = { id: step, name: nodeName(definition, step) };
  if (!node || !work) return brief;
  for (const key of TOLD) if (work[key] !== undefined) brief[key] = work[key] as Json;
  return { ...brief, outputs: [...outputsOf(node)] };
}
