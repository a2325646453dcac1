import { defined } from "../base/defined";
import { type Failure, failed } from "../base/failure";
import { isObject, isTexts } from "../base/is-object";
import { isoTime } from "../base/iso-time";
import type { Json, JsonObject } from "../base/json";
import { canonicalDigest } from "../effects/effect-id";
import { groupWord } from "../people/authority";
import { hasPeople, type PeopleFile } from "../people/people-file";
import { admitDecision } from "../review/admission";
import { applyDecision, checkDecision } from "../review/decide";
import type { Decision } from "../review/decision-input";
import { neededPeople } from "../review/policy/agreement";
import { TIMER } from "../review/timers";
import { byNameAlone, type Verification } from "../review/verification";
import type { LinkLine } from "./format";
import { type KnownReview, reviewOfLink } from "./known-review";
import type { SignatureChecks } from "./signature-checks";
import type { LedgerProblem, ToldDecision } from "./verdict";

/** Where the core itself decides, because no quorum can be reached any more. */
const QUORUM = "quorum";

/** Whether the rules of a review decided, and no person. */
export const isRule = (by: string): boolean => by === TIMER || by === QUORUM;

/** Whether the decisions of a ledger hold: what was asked, who answered, and in whose name. */
export class DecisionCheck {
  readonly told: ToldDecision[] = [];
  private readonly reviews = new Map<string, KnownReview>();
  private readonly nonces = new Set<string>();
  /** People have keys since then, ms since 1970. */
  private readonly peopleSince: number;

  constructor(
    private readonly people: PeopleFile | null,
    private readonly checks: SignatureChecks,
    private readonly note: (line: number, code: LedgerProblem["code"], message: string) => void,
  ) {
    const keys = people === null ? [] : Object.values(people.people).flatMap((person) => person.keys);
    this.peopleSince = Math.min(...keys.map(({ added }) => Date.parse(added)));
  }

  async read(number: number, line: LinkLine): Promise<void> {
    const { kind, body } = line.link;
    if (kind === "review") this.asked(number, line);
    else if (kind === "decision" && isDecision(body)) await this.decided(number, line, body);
    else if (kind === "decision") this.note(number, "bad_line", "The decision has no review, choice or name.");
  }

  /** The review of an effect, as far as it is known behind this line. */
  review(id: string): KnownReview | undefined {
    return this.reviews.get(id);
  }

  private asked(number: number, { workflow, link: { at, body }, value }: LinkLine): void {
    const id = String(body.id);
    const known = this.reviews.get(id);
    if (body.withdrawn === true) {
      if (known?.review.status === "open") known.review = { ...known.review, status: "withdrawn" };
      else if (known) this.note(number, "already_decided", `Review "${id}" is withdrawn after it was decided.`);
      else this.note(number, "unknown_review", `Review "${id}" is withdrawn, and was never opened.`);
      return;
    }
    if (known) this.note(number, "order", `Review "${id}" is opened twice.`);
    const asked = isObject(value?.asked) ? value.asked : undefined;
    if (asked === undefined && body.long !== true)
      this.note(number, "missing_entry", `What review "${id}" asked is missing.`);
    if (asked !== undefined && typeof body.seal === "string" && sealOfAsked(body, asked) !== body.seal)
      this.note(number, "seal_mismatch", `The seal of review "${id}" is not that of what was asked.`);
    if (asked !== undefined && !isSealedFor(body, asked))
      this.note(
        number,
        "seal_mismatch",
        `The seal of review "${id}" covers another quorum, or somebody else who asked.`,
      );
    const review = reviewOfLink(body, asked, at);
    if (review === null) this.note(number, "bad_line", `What review "${id}" asks for cannot be read.`);
    else this.reviews.set(id, { workflow, body, review, ...defined({ asked }) });
  }

  private async decided(number: number, { workflow, link }: LinkLine, body: Decision & JsonObject): Promise<void> {
    const { review: id, by } = body;
    const review = this.reviews.get(id);
    const wrong = (code: LedgerProblem["code"], message: string) => this.note(number, code, message);
    if (review === undefined || review.workflow !== workflow)
      return wrong("unknown_review", `The decision of ${by} is about review "${id}", which was not opened before.`);
    // When it came in: the run asked then who may decide. The time that the signer says may be another one.
    const { at } = link;
    const verified = this.people === null ? null : await this.checks.decision(this.people, body, at);
    const signed_by = verified?.fail === null ? (verified.signed?.by ?? null) : null;
    this.told.push(toldDecision(number, review, at, body, signed_by));
    if (isRule(by)) return this.byRule(number, review, body);
    const other = verified === null ? null : misnamed(body, verified);
    if (other !== null) return wrong(other.code, other.message);
    const fail = this.replayed(body) ?? this.apply(review, body, verified, at);
    if (fail !== null) wrong(fail.reason, fail.message);
  }

  private replayed({ nonce, by }: Decision): Failure | null {
    if (nonce === undefined) return null;
    const isKnown = this.nonces.has(nonce);
    this.nonces.add(nonce);
    return isKnown ? failed("replayed_decision", `The decision of ${by} has the nonce of another one.`).fail : null;
  }

  /** What the run did: whether the decision counts, by the same rules, and what becomes of the review. */
  private apply(
    known: KnownReview,
    body: Decision & JsonObject,
    verified: Verification | null,
    at: number,
  ): Failure | null {
    const { as: _, groups: __, ...decision } = body;
    const found = verified === null ? believed(body) : this.asOf(verified, at);
    const counts = admitDecision(known.review, decision as Decision, found, at);
    if (!counts.ok) return counts.fail;
    const fail = checkDecision([known.review], counts.value, at);
    if (fail === null) known.review = applyDecision([known.review], counts.value, at).review;
    return fail;
  }

  /** Before the project had people, names alone decided. Who would get a hand-over was looked up then. */
  private asOf({ unknownTarget: _, ...verified }: Verification, at: number): Verification {
    const hadPeople = this.people !== null && hasPeople(this.people) && at >= this.peopleSince;
    return { ...verified, unsigned: hadPeople ? verified.unsigned : "always" };
  }

  /** What nobody said: the default of a review whose time is over, or of one that cannot reach its quorum. */
  private byRule(number: number, review: KnownReview, { by, choice, signature }: Decision): void {
    const { id, choices, on_timeout } = review.body;
    const last = (choices as Json[]).at(-1);
    const expected = by === TIMER ? on_timeout : (on_timeout ?? last);
    if (choice !== expected || signature !== undefined)
      this.note(number, "bad_decision", `By the rules of review "${String(id)}" "${by}" cannot decide "${choice}".`);
    else review.ruled = choice;
  }
}

/** What the run found out about a decision, which does not fit the decision. */
function misnamed(
  { by, principal }: Decision & JsonObject,
  { fail, signed }: Verification,
): Pick<LedgerProblem, "code" | "message"> | null {
  if (fail !== null) return { code: fail.reason, message: fail.message };
  if (!isObject(principal)) return null;
  if (principal.verified === true && signed === null)
    return { code: "unverified_decision", message: `Nothing vouches for the decision of ${by}.` };
  return principal.id === by
    ? null
    : { code: "bad_decision", message: `The decision of ${by} names another principal.` };
}

/** Where no people are known, whoever decided is believed to stand for whom the run says. */
function believed({ as, groups, ...decision }: Decision & JsonObject): Verification {
  const bare = byNameAlone(decision as Decision);
  const { own } = bare.authority;
  const word = isObject(as) && typeof as.word === "string" ? as.word : null;
  const from = isObject(as) && typeof as.from === "string" ? as.from : null;
  const led = isTexts(groups) ? groups.map(groupWord) : [];
  const authority =
    from === null
      ? { own: [...own, ...led, ...(word === null ? [] : [word])], delegated: [], groups: [] }
      : { own, delegated: [...led, ...(word === null ? [] : [word])].map((one) => ({ word: one, from })), groups: [] };
  return { ...bare, authority };
}

const isDecision = (body: JsonObject): body is Decision & JsonObject =>
  [body.review, body.choice, body.by].every((text) => typeof text === "string");

/** The seal of what was asked (approvals reference, section 3). */
function sealOfAsked({ id, source, title, choices }: JsonObject, { nonce, sealed, body, data }: JsonObject): string {
  const review = { review: id as Json, nonce: nonce ?? null };
  if (!isObject(sealed)) {
    const question = { source: source as Json, title: title as Json, body: body ?? null, data: data ?? null };
    return canonicalDigest({ ...review, ...question, choices: choices as Json });
  }
  const { tool = null, args = null } = isObject(data) ? data : {};
  return canonicalDigest({ ...review, tool, args, ...sealed });
}

function toldDecision(
  line: number,
  { workflow, body, asked }: KnownReview,
  at: number,
  { review, choice, by, note, value, people_version }: Decision & JsonObject,
  signed_by: string | null,
): ToldDecision {
  const args = isObject(asked?.data) ? asked.data.args : undefined;
  return {
    line,
    workflow,
    review,
    title: String(body.title),
    choice,
    by,
    at: isoTime(at),
    ...(note === undefined ? {} : { note }),
    ...(value === undefined ? {} : { value }),
    ...(args === undefined ? {} : { args }),
    ...(typeof people_version === "string" ? { people_version } : {}),
    signed_by,
  };
}

/** Who must agree, and who asked, are in the seal of a call, too. */
function isSealedFor({ quorum = 1, distinct_groups = 1, requested_by }: JsonObject, { sealed }: JsonObject): boolean {
  if (!isObject(sealed)) return true;
  const needed = neededPeople({ quorum: Number(quorum), distinctGroups: Number(distinct_groups) });
  const isNeeded = sealed.quorum === undefined || sealed.quorum === needed;
  return isNeeded && (sealed.requested_by === undefined || sealed.requested_by === requested_by);
}
