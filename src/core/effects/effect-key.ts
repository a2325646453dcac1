import { effectWorkflowId, projectOf, projectPrefix } from "../base/ids";

/**
 * The keys by which tools make their effects exactly-once (effects reference, section 3).
 *
 *   an effect                         `<mission>~<effect id>~<scope>/<n>`, in the run that was started `<mission>~<effect id>~<n>`
 *   an effect that missions share     `<project:>effect~<effect id>~<n>`
 *   the undoing of an effect          `<key>~undo`
 *   a call without an effect          `<mission>~~<scope>/<turn>.<call>`
 *
 * `mission` is the workflow id of what a user started, `n` is the number among equal effects. An effect id has 43
 * characters without "~", and no part after it contains "~" or, but for its separators, "/": two different effects
 * never have one key.
 */

interface EffectPlace {
  mission: string;
  id: string;
  lane: string;
  n: number;
}

/** One part of a scope: names come from models and users. */
export const scopePart = (name: string): string =>
  name.replace(/[%~/@\s]/gu, (char) => `%${(char.codePointAt(0) as number).toString(16).padStart(4, "0")}`);

/** A scope inside another one. */
export const scopeIn = (scope: string, part: string): string => (scope === "" ? part : `${scope}/${part}`);

/** Whether a scope is another one, or inside it. */
export const isWithinScope = (scope: string, outer: string): boolean =>
  scope === outer || scope.startsWith(`${outer}/`);

/** Whether two scopes are of one place: work there that was sent back has a later scope. */
export const isSamePlace = (scope: string, other: string): boolean => withoutVisit(scope) === withoutVisit(other);

const withoutVisit = (scope: string): string => scope.replace(/@\d+$/, "");

/** The task of a plan, or the step of a graph, that a scope belongs to, as scopes spell it: its first part. */
export const placeOfScope = (scope: string): string => withoutVisit(scope.split("/")[0] as string);

/** The key of an effect that only its mission knows (effects reference, section 3). */
export const effectKey = ({ mission, id, lane: scope, n }: EffectPlace): string =>
  `${mission}~${id}~${scopeIn(scope, `${n}`)}`;

/**
 * The key of an effect that the missions of a project share (effects reference, section 10).
 *
 * @param mission one of them
 */
export const sharedKey = (mission: string, id: string, n: number): string =>
  `${projectPrefix(projectOf(mission))}effect~${id}~${n}`;

/** The workflow that guards the effect with this key, and its number there; undefined for the key of one mission. */
export function guardOfKey(key: string): { workflow_id: string; n: number } | undefined {
  const place = readEffectKey(key);
  const prefix = place && /^((?:[a-z0-9][a-z0-9-]*:)?)effect$/.exec(place.mission)?.[1];
  if (place === undefined || prefix === undefined || place.lane !== "") return undefined;
  const project = prefix === "" ? null : prefix.slice(0, -1);
  return { workflow_id: effectWorkflowId(place.id, project), n: place.n };
}

/** The key of the undoing of an effect. */
export const undoKey = (key: string): string => `${key}~undo`;

/** The key of a call without an effect. */
export const readKey = (mission: string, scope: string, place: string): string =>
  `${mission}~~${scopeIn(scope, place)}`;

const EFFECT_KEY = /^(.*)~([A-Za-z0-9_-]{43})~((?:[^~]*\/)?)(\d+)$/s;

/** The parts of the key of an effect; undefined for any other key. */
export function readEffectKey(key: string): EffectPlace | undefined {
  const found = EFFECT_KEY.exec(key);
  if (found === null) return undefined;
  const [, mission, id, scope, n] = found as unknown as [string, string, string, string, string];
  return { mission, id, lane: scope.slice(0, -1), n: Number(n) };
}
