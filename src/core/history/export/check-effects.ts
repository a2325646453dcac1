import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { neededPeople } from "../../review/policy/agreement";
import { TIMER } from "../../review/timers";
import { hasApprovedArgs, type LinkedCall, otherCallProblem } from "./approved-call";
import type { DecisionCheck } from "./check-decisions";
import type { LinkLine } from "./format";
import { approvalsOf, type KnownReview, yesOf } from "./known-review";
import { linesText } from "./plurals";
import { isRule } from "./rule-decisions";
import type { LedgerProblem } from "./verdict";

/** Whether each effect of a tool that asks people was agreed to, as it was made. */
export class EffectCheck {
  private readonly keys = new Set<string>();
  /** The effect that each review let be made. */
  private readonly made = new Map<string, string>();
  /** The lines of calls whose arguments nothing shows. */
  private readonly unknownArgs: number[] = [];
  /** The lines of calls that no person approved, by who did. */
  private readonly ruled = new Map<string, number[]>();

  constructor(
    private readonly decisions: DecisionCheck,
    private readonly note: (line: number, code: LedgerProblem["code"], message: string) => void,
  ) {}

  /** How many effects the ledger has. */
  get count(): number {
    return this.keys.size;
  }

  /** What is missing that would show more. */
  gaps(): string[] {
    if (this.unknownArgs.length === 0) return [];
    return [
      `The arguments that were asked about were too long to be kept, so nothing shows that they are these: ${linesText(this.unknownArgs)}.`,
    ];
  }

  /** Which calls the rules of a review let be made. */
  notes(): string[] {
    return [...this.ruled].map(([by, lines]) => {
      const why = by === TIMER ? "the time was over" : "those who were asked could not agree any more";
      return `A call was made that nobody approved: ${why} (${linesText(lines)}).`;
    });
  }

  read(number: number, { workflow, link: { kind, body }, value }: LinkLine): void {
    if (kind !== "effect") return;
    this.keys.add(String(body.key));
    if (body.state !== "intended" || (body.approval !== true && body.review === undefined)) return;
    const problem = this.problem(number, workflow, body, value?.args);
    if (problem !== null) this.note(number, "no_approval", `tool/${String(body.tool)} was called, and ${problem}.`);
  }

  private problem(number: number, workflow: string, body: JsonObject, args: Json | undefined): string | null {
    const { review: id, tool, key } = body;
    if (typeof id !== "string") return "nobody was asked";
    const review = this.decisions.review(id);
    if (review === undefined || review.workflow !== workflow) return `its review "${id}" was never opened`;
    if (!isObject(args)) return "its arguments are missing";
    return this.unapproved(number, review, { tool: String(tool), key: String(key), args });
  }

  private unapproved(number: number, review: KnownReview, call: LinkedCall): string | null {
    const yes = yesOf(review);
    const fits = yes !== undefined && hasApprovedArgs(review, yes, call);
    if (yes === undefined || fits === false) return notEnough(review);
    const other = otherCallProblem(review, yes, call) ?? this.second(review.review.id, call.key);
    if (other !== null) return other;
    if (fits === "unknown") this.unknownArgs.push(number);
    if (isRule(yes.by)) this.ruled.set(yes.by, [...(this.ruled.get(yes.by) ?? []), number]);
    return null;
  }

  /** One yes is for one effect, however often its call is made. */
  private second(review: string, key: string): string | null {
    const made = this.made.get(review) ?? key;
    this.made.set(review, made);
    return made === key ? null : `review "${review}" was about one effect, which was made before: ${made}`;
  }
}

function notEnough(review: KnownReview): string {
  const { id } = review.review;
  const approvers = approvalsOf(review);
  return approvers.length === 0
    ? `nobody has approved it in review "${id}"`
    : `the yes of ${approvers.join(", ")} in review "${id}" is not enough for it: ${neededPeople(review.review)} must approve exactly this`;
}
