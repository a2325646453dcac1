import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import { spellingOf } from "./spelling";

/** Who acts (approvals reference, section 1): the same shape on every surface. */

const SURFACES = ["cli", "mcp", "http", "page", "signal", "library"] as const;
const KINDS = ["person", "agent", "service", "timer"] as const;

/** The surface through which somebody acts: cli, mcp, http, page, signal or library. */
export const Via = onFirstUse(() => z.enum(SURFACES, `must be one of ${SURFACES.join(", ")}`));
/** A surface. */
export type Via = (typeof SURFACES)[number];

/** What somebody is: person, agent, service or timer. */
export const PrincipalKind = onFirstUse(() => z.enum(KINDS, `must be one of ${KINDS.join(", ")}`));
/** The kind of a principal. */
export type PrincipalKind = (typeof KINDS)[number];

/** The person or program that acts. Only an authenticated one is `verified`; without that, `id` is a name that was given. */
export interface Principal {
  id: string;
  kind: PrincipalKind;
  verified: boolean;
  via: Via;
}

/** Names of the system. Nobody may act under one of them. */
const RESERVED: readonly string[] = ["timer", "quorum", "lookup", "policy", "system", "navigator", "nobody", "anyone"];

/** Whether a name is one of the system's, in any spelling. */
export const isReservedName = (name: string): boolean => RESERVED.includes(spellingOf(name));

/** The part of a review that defines whether a program may decide it. */
interface AskedOf {
  assignees: readonly string[];
  /** How many people must agree. */
  needed: number;
  irreversible: boolean;
  /** The review excludes agents. */
  noAgents?: true | undefined;
}

/**
 * Why a principal may not decide because of what it is (approvals reference, section 4, rule 3); null if it may. An agent
 * decides nothing that people are named for, a service what names it, and neither what cannot be taken back.
 */
export function kindProblem({ id, kind }: Pick<Principal, "id" | "kind">, asked: AskedOf): string | null {
  if (kind === "person") return null;
  if (asked.needed > 1) return "it is for people";
  if (asked.irreversible) return "the call cannot be taken back";
  if (kind === "service") return asked.assignees.includes(id) ? null : "the review does not name it";
  if (asked.noAgents && kind === "agent") return "only people decide it";
  return kind === "timer" || asked.assignees.length > 0 ? "it is for people" : null;
}
