import { firstTryOf, isOfMission } from "../../base/ids";
import { isObject } from "../../base/is-object";
import type { HeaderLine, LinkLine } from "./format";
import { keptOf } from "./known-review";
import type { ParsedExport } from "./parse-export";

/** Whether the workflows of an export belong together: only their links show it, the header is no part of a chain. */

/**
 * Why what a link asks is about a call of another mission; null if it is not. A run asks in the name of the mission
 * that it belongs to, which is above it, or whose retry is. An export may begin below that: the id of a run begins with the id
 * of the workflow that started it.
 */
export function missionProblem(
  { workflow, link: { kind, body }, value }: LinkLine,
  { mission, workflows }: HeaderLine,
): string | null {
  const sealed = kind === "review" ? keptOf(body, value)?.sealed : undefined;
  if (!isObject(sealed) || typeof sealed.mission !== "string") return null;
  const of = sealed.mission;
  const isTry = (id: string) => isOfMission(id, of) && firstTryOf(id) === firstTryOf(of);
  if ((isOfMission(mission, of) && !isTry(mission)) || above(workflow, workflows).some(isTry)) return null;
  return `Review "${String(body.id)}" is about a call of the mission "${of}", and not of "${workflow}".`;
}

/** A workflow and those that started it. Each stands after the one that started it, in a list that nobody changed. */
function above(workflow: string, workflows: HeaderLine["workflows"]): string[] {
  const found: string[] = [];
  let at: string | null = workflow;
  for (const { id, parent } of [...workflows].reverse())
    if (id === at) {
      found.push(id);
      at = parent;
    }
  return found;
}

/** A workflow that has links, and that no link of its parent names. */
export interface UnnamedChild {
  id: string;
  parent: string;
  /** Both are completed, and the parent has a chain: it would have named it. */
  isRefused: boolean;
}

/**
 * Links that a run has not reported, because it failed early, was cancelled or still runs; or links that somebody
 * added.
 */
export function unnamedChildren({ header: { workflows }, links }: ParsedExport): UnnamedChild[] {
  const named = new Set(
    links.flatMap(({ line: { workflow, link } }) =>
      link.kind === "child" ? [pair(workflow, String(link.body.workflow_id))] : [],
    ),
  );
  const chains = new Set(links.map(({ line }) => line.workflow));
  const completed = new Set(workflows.flatMap(({ id, status }) => (status === "completed" ? [id] : [])));
  return workflows.flatMap(({ id, parent }) => {
    if (parent === null || !chains.has(id) || named.has(pair(parent, id))) return [];
    const isRefused = chains.has(parent) && completed.has(parent) && completed.has(id);
    return [{ id, parent, isRefused }];
  });
}

const pair = (parent: string, child: string): string => JSON.stringify([parent, child]);
