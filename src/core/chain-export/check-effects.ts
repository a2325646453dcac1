import { isObject } from "../base/is-object";
import type { JsonObject } from "../base/json";
import { neededPeople } from "../review/policy/agreement";
import type { DecisionCheck } from "./check-decisions";
import type { LinkLine } from "./format";
import { isApproved, sayYes } from "./known-review";
import type { LedgerProblem } from "./verdict";

/** Whether each effect of a tool that asks people was agreed to, as it was made. */
export class EffectCheck {
  private readonly keys = new Set<string>();

  constructor(
    private readonly decisions: DecisionCheck,
    private readonly note: (line: number, code: LedgerProblem["code"], message: string) => void,
  ) {}

  /** How many effects the ledger tells of. */
  get count(): number {
    return this.keys.size;
  }

  read(number: number, { workflow, link: { kind, body }, value }: LinkLine): void {
    if (kind !== "effect") return;
    this.keys.add(String(body.key));
    if (body.state !== "intended" || (body.approval !== true && body.review === undefined)) return;
    const problem = this.problem(workflow, body, value?.args);
    if (problem !== null) this.note(number, "no_approval", `tool/${String(body.tool)} was called, and ${problem}.`);
  }

  private problem(workflow: string, { review: id }: JsonObject, args: unknown): string | null {
    if (typeof id !== "string") return "nobody was asked";
    const review = this.decisions.review(id);
    if (review === undefined || review.workflow !== workflow) return `its review "${id}" was never opened`;
    if (!isObject(args)) return "its arguments are missing";
    if (isApproved(review, args)) return null;
    const said = sayYes(review);
    return said.length === 0
      ? `nobody has said yes to it in review "${id}"`
      : `the yes of ${said.join(", ")} in review "${id}" is not enough for it: ${neededPeople(review.review)} must say yes to exactly this`;
  }
}
