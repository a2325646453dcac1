import { type Failure, failed } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { ToolSpec } from "./tool";

/** The masks that replace secrets (docs/security.md, "Secrets"), and calls that must not be made with them. */

/** The longest name that a mask shows. */
const MAX_NAME_CHARS = 60;
const MASK = /\[secret ([A-Za-z0-9_.-]{1,60})\]/g;
/** Words or numbers, as people write them in brackets: `[secret santa]`, `[secret Agent-7]`. A mask never shows such a name. */
const WORDS = /^(?:[A-Z]?[a-z]*|\d+)(?:-(?:[A-Z]?[a-z]*|\d+))*$/;

/** The mask of a secret: `[secret STRIPE_KEY]`. A name that people could write in brackets is marked: `[secret env.password]`. */
export function maskOf(name: string): string {
  const printable = printableName(name);
  return `[secret ${WORDS.test(printable) ? `env.${printable}`.slice(0, MAX_NAME_CHARS) : printable}]`;
}

/** The name of a secret as masks show it. */
export const printableName = (name: string): string => name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, MAX_NAME_CHARS);

/**
 * Why a call must not be made: an argument contains a mask in place of its secret, and the tool has an effect. null if
 * it may be made.
 *
 * @returns reason `tool_error`, details `{tool, code: "secret_in_arguments", secret}`
 */
export function maskedArguments({ name, effect }: Pick<ToolSpec, "name" | "effect">, args: JsonObject): Failure | null {
  if (effect === "read") return null;
  const secret = maskedIn(args);
  if (secret === null) return null;
  return failed(
    "tool_error",
    `the call was not made: its arguments contain ${maskOf(secret)} in place of a value that nobody may see. Give the name of the secret without brackets, and let the tool read the value; or leave it out.`,
    { tool: name, code: "secret_in_arguments", secret },
  ).fail;
}

/** The name in the first mask, in keys too. No list of names decides: another worker, with other secrets, may have masked. */
function maskedIn(json: Json): string | null {
  if (typeof json === "string") return nameIn(json);
  if (typeof json !== "object" || json === null) return null;
  for (const [key, item] of Object.entries(json)) {
    const found = maskedIn(key) ?? maskedIn(item as Json);
    if (found !== null) return found;
  }
  return null;
}

function nameIn(text: string): string | null {
  for (const [, name = ""] of text.matchAll(MASK)) if (!WORDS.test(name)) return name;
  return null;
}
