import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { parseSignature } from "../signature/parse";

/** The part of a run's input that defines its journal. */
export interface JournalInput {
  agent: { journaling?: boolean | undefined; signature?: string | undefined };
  context: JsonObject;
  journal: Json;
}

/**
 * The journal and the data of a run. The journal may also be inside the context: it is taken from there if none was
 * given, unless the agent's signature declares `journal` as data (agent reference, section 10.1).
 */
export function givenJournal({ agent, context, journal }: JournalInput): {
  journal: Json;
  data: JsonObject;
  fromContext: boolean;
} {
  // Inputs come over the wire: a missing option is undefined there.
  const given = journal ?? null;
  const { journal: inContext, ...data } = context;
  const taken =
    given === null && isObject(inContext) && agent.journaling !== false && !declaresJournal(agent.signature);
  return taken
    ? { journal: inContext, data, fromContext: true }
    : { journal: given, data: context, fromContext: false };
}

/**
 * The journal of a run whose caller named none: null if the context has one, so that it is taken from there, else an
 * empty one. A saved journal in the context is the original's way of running a mission again. It is for the application
 * only: a context from anybody else is data, and the journal is set (docs/security.md).
 */
export const defaultJournal = (input: Omit<JournalInput, "journal">): JsonObject | null =>
  givenJournal({ ...input, journal: null }).fromContext ? null : {};

const declaresJournal = (signature: string | undefined): boolean =>
  signature !== undefined && parseSignature(signature).parameters.some((field) => field.name === "journal");
