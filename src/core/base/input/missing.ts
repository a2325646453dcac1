import type { JsonObject } from "../json";

/**
 * A configuration error: a call needs something that the worker does not have. The worker reports the missing part; the run
 * waits for a worker that has it. Nothing of the call has happened, so it may be made again, whatever its effect.
 */
export interface Missing {
  kind: "tool" | "model" | "listener" | "key";
  /** The names of what is missing: `charge_card`. */
  name: string;
  /** What is missing, in a few words: `tool charge_card is on no worker`. */
  text: string;
  /** Where it was looked for, and what to do. */
  help: string;
  /** For a model: the class of its error. */
  class?: string;
  /** How long the run waits before the call fails, in milliseconds: a setting of the worker. */
  wait_ms: number;
}

/** Tools, or a listener, that a worker does not have. */
export function missingNames(
  kind: "tool" | "listener",
  names: readonly string[],
  available: readonly string[],
): Pick<Missing, "kind" | "name" | "text" | "help"> {
  const name = names.join(", ");
  const there = available.length === 0 ? `no ${kind}s` : `the ${kind}s ${available.join(", ")}`;
  const setting = kind === "tool" ? "tools, mcp or http" : "onChunk";
  return {
    kind,
    name,
    text: names.length === 1 ? `${kind} ${name} is on no worker` : `${kind}s ${name} are on no worker`,
    help: `The worker that was asked has ${there}. Start a worker whose navigator.config has it (${setting}), or correct the name and start the run again.`,
  };
}

/** The missing thing as the details of a failure. */
export const missingDetails = ({ wait_ms: _, ...missing }: Missing): JsonObject => ({ ...missing });
