import type { Principal } from "./people/principal";

/** What of a review says whether somebody who is no person may decide it. */
interface AskedOf {
  assignees: readonly string[];
  /** How many people must agree. */
  needed: number;
  irreversible: boolean;
  /** The review says that no agent decides it. */
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
