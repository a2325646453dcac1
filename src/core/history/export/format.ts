import type { Json, JsonObject } from "../../base/json";
import { canonicalJson } from "../../effects/canonical-json";
import type { ChainLink } from "../../effects/chain/link";
import { textDigest } from "../../effects/effect-id";
import type { EndState } from "../read/facts";

/**
 * An exported ledger (approvals reference, section 6): JSON Lines, each in RFC 8785 canonical form, so that every byte
 * has a meaning. Each line has the digest of the line before.
 */

/** The first line: whose ledger it is. */
export interface HeaderLine {
  line: "ledger";
  format: 1;
  /** The workflow id of what was exported. */
  mission: string;
  /** Ms since 1970, by the clock of the exporting machine. */
  made_at: number;
  /** The people of the project as the exporting process knew them; null: none. */
  people: JsonObject | null;
  /** The workflow itself, then those below it. */
  workflows: ExportedWorkflow[];
}

/** One workflow of the tree. */
export interface ExportedWorkflow {
  id: string;
  /** Who started it; null: the first one. */
  parent: string | null;
  type: string;
  /** How many runs it took: more than one if it continued as new. */
  runs: number;
  /** The budget of it and everything below it; null: it has no limit. */
  budget: JsonObject | null;
  status: "running" | EndState;
}

/** A link, with the values for which its digests stand. */
export interface LinkLine {
  line: "link";
  before: string;
  workflow: string;
  link: ChainLink;
  value?: JsonObject;
  /** Of an effect that was begun: where it was asked for. */
  asked?: AskedIn;
}

/** The turn that asked for an effect, as far as the chain does not name it. */
export interface AskedIn {
  /** From 2 on: the run was woken by a decision. */
  invocation: number;
  /** What the model calls of the turn cost, US dollars; absent: not known. */
  turn_cost?: number;
}

/** The end of a chain at one moment, and its signature; null: the worker had no key. */
export interface HeadLine {
  line: "head";
  before: string;
  workflow: string;
  head: { seq: number; hash: string; at: number; final: boolean };
  signature: string | null;
}

/** The last line. */
export interface EndLine {
  line: "end";
  before: string;
  /** The number of lines, this one included. */
  lines: number;
  links: number;
  /** Where the chain of each workflow with links ends. */
  ends: { workflow: string; seq: number; hash: string }[];
}

/** A line of an exported ledger. */
export type LedgerLine = HeaderLine | LinkLine | HeadLine | EndLine;

/** Which fields a line has, and which of them may be absent. */
export const LINE_FIELDS: { [kind in LedgerLine["line"]]: { all: string[]; optional?: string[] } } = {
  ledger: { all: ["line", "format", "mission", "made_at", "people", "workflows"] },
  link: { all: ["line", "before", "workflow", "link", "value", "asked"], optional: ["value", "asked"] },
  head: { all: ["line", "before", "workflow", "head", "signature"] },
  end: { all: ["line", "before", "lines", "links", "ends"] },
};

type Unlinked<T> = T extends { before: string } ? Omit<T, "before"> : T;

/** The text of an exported ledger: each line gets the digest of the one before. */
export function ledgerText(lines: readonly Unlinked<LedgerLine>[]): string {
  let text = "";
  let before: string | undefined;
  for (const line of lines) {
    const written = canonicalJson({ ...line, ...(before === undefined ? {} : { before }) } as unknown as Json);
    before = textDigest(written);
    text += `${written}\n`;
  }
  return text;
}
