import { NavigatorError } from "../../core/base/navigator-error";

/**
 * The rights of a token's sender (approvals reference, section 1). Each request needs some scopes, and no scope
 * contains another one.
 */
export const SCOPES = {
  metrics: "read the metrics of Prometheus",
  read: "read missions, tasks, plans, costs and the inbox",
  start: "start missions, tasks and plans, and load graphs",
  act: "pause, end and repeat work, and move tasks",
  decide: "answer reviews that name the service, and record decisions",
  decode: "read and write encrypted payloads of the namespace",
} as const;
/** One right of a token. */
export type Scope = keyof typeof SCOPES;

/** All of them, in their order. */
export const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]];
/** Those of a service's token that names none: the narrowest. */
export const DEFAULT_SCOPES: readonly Scope[] = ["metrics"];

/**
 * Refuses a request whose token lacks a scope.
 *
 * @param given those of the token; undefined: the caller is a person, or the user of the machine, and has all
 * @param what the request: `POST /api/graphs`
 * @throws NavigatorError `forbidden`
 */
export function checkScopes(needed: readonly Scope[], given: readonly Scope[] | undefined, what: string): void {
  const missing = given === undefined ? [] : needed.filter((scope) => !given.includes(scope));
  if (missing.length === 0) return;
  throw new NavigatorError("forbidden", `The token may not ${what}: it lacks the scope ${missing.join(", ")}.`, {
    hint: `Make another token: navigator token create NAME --service ${needed.map((scope) => `--scope ${scope}`).join(" ")}`,
    details: { needed: [...needed], scopes: [...(given ?? [])] },
  });
}
