import { defined } from "../../base/defined";
import { type Failure, failed, type Result } from "../../base/failure";
import { isObject, isTexts } from "../../base/is-object";
import { isoTime } from "../../base/iso-time";
import type { JsonObject } from "../../base/json";
import { isDigest } from "../../effects/effect-id";
import { type AdmittedDecision, admitDecision } from "../../review/admission";
import { applyDecision, checkDecision } from "../../review/decide";
import { type Decision, parseDecision } from "../../review/decision-input";
import { groupWord } from "../../review/people/authority";
import type { PeopleFile } from "../../review/people/people-file";
import { neededPeople } from "../../review/policy/agreement";
import { byNameAlone, type Verification } from "../../review/verification";
import type { LinkLine } from "./format";
import { type KnownReview, keptOf, reviewOfLink, sealOfAsked } from "./known-review";
import { linesText } from "./plurals";
import { isRule, ruleProblem } from "./rule-decisions";
import type { SignatureChecks } from "./signature-checks";
import type { LedgerProblem, ShownDecision } from "./verdict";

/** Checks the decisions of a ledger: the question, the person who answered, and the person in whose name the answer counts. */
export class DecisionCheck {
  readonly shown: ShownDecision[] = [];
  /** The lines of unsigned decisions that count because the people had no keys then. */
  private readonly byName: number[] = [];
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
    else if (kind === "decision") await this.decision(number, line, body);
  }

  /** The review of an effect, as far as it is known after this line. */
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
    const asked = keptOf(body, value);
    if (asked === undefined && body.long !== true)
      this.note(number, "missing_entry", `What review "${id}" asked is missing.`);
    const seal = sealProblem(body, asked, isObject(value?.asked));
    if (seal !== null) this.note(number, "seal_mismatch", `The seal of review "${id}" ${seal}.`);
    const review = reviewOfLink(body, asked, at);
    if (review === null) this.note(number, "bad_line", `What review "${id}" asks for cannot be read.`);
    else this.reviews.set(id, { workflow, body, review, ...defined({ asked }) });
  }

  private async decision(number: number, line: LinkLine, body: JsonObject): Promise<void> {
    const parsed = parseDecision(body);
    if (!parsed.ok) this.note(number, "bad_line", `The decision cannot be read: ${parsed.fail.message}`);
    else await this.decided(number, line, body as Decision & JsonObject);
  }

  private async decided(number: number, { workflow, link }: LinkLine, body: Decision & JsonObject): Promise<void> {
    const { review: id, by } = body;
    const review = this.reviews.get(id);
    const wrong = (code: LedgerProblem["code"], message: string) => this.note(number, code, message);
    if (review === undefined || review.workflow !== workflow)
      return wrong("unknown_review", `The decision of ${by} is about review "${id}", which was not opened before.`);
    // When it came in: the run checked then who may decide. The signer may name another time.
    const { at } = link;
    const verified = this.people === null ? null : await this.checks.decision(this.people, body, at);
    const signed_by = verified?.fail === null ? (verified.signed?.by ?? null) : null;
    const shown = shownDecision(number, review, at, body, signed_by);
    this.shown.push(shown);
    if (isRule(by)) {
      const fail = ruleProblem(review, body, at);
      return fail === null ? undefined : wrong(fail.code, fail.message);
    }
    const other = verified === null ? null : misnamed(body, verified);
    if (other !== null) return wrong(other.code, other.message);
    const counts = this.replayed(body) ?? this.apply(review, body, verified, at);
    if (!counts.ok) return wrong(counts.fail.reason, counts.fail.message);
    Object.assign(shown, defined({ for: counts.value.as?.from }));
    if (verified?.signed === null && this.isBeforePeople(verified, at)) this.byName.push(number);
  }

  /** What is missing that would show more. */
  gaps(): string[] {
    if (this.byName.length === 0) return [];
    return [`A decision was taken by name alone, before the people had keys: ${linesText(this.byName)}.`];
  }

  private replayed({ nonce, by }: Decision): { ok: false; fail: Failure } | null {
    if (nonce === undefined) return null;
    const isKnown = this.nonces.has(nonce);
    this.nonces.add(nonce);
    return isKnown ? failed("replayed_decision", `The decision of ${by} has the nonce of another one.`) : null;
  }

  /** What the run did: whether the decision counts, by the same rules, and what becomes of the review. */
  private apply(
    known: KnownReview,
    body: Decision & JsonObject,
    verified: Verification | null,
    at: number,
  ): Result<AdmittedDecision> {
    const { as: _, groups: __, ...decision } = body;
    const found = verified === null ? believed(body) : this.asOf(verified, at);
    const counts = admitDecision(known.review, decision as Decision, found, at);
    if (!counts.ok) return counts;
    const fail = checkDecision([known.review], counts.value, at);
    if (fail !== null) return { ok: false, fail };
    known.review = applyDecision([known.review], counts.value, at).review;
    return counts;
  }

  /** Before the project had people, names alone decided. Who would get a hand-over was looked up then. */
  private asOf({ unknownTarget: _, ...verified }: Verification, at: number): Verification {
    const hadPeople = verified.people && !this.isBeforePeople(verified, at);
    return { ...verified, unsigned: hadPeople ? verified.unsigned : "always" };
  }

  /** The project has people now, and had none with keys at this time. */
  private isBeforePeople({ people, unsigned }: Verification, at: number): boolean {
    return people && unsigned !== "always" && at < this.peopleSince;
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

/** Where no people are known, the decider counts as the person that the run names. */
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

function shownDecision(
  line: number,
  { workflow, body, asked }: KnownReview,
  at: number,
  { review, choice, by, note, value, people_version }: Decision & JsonObject,
  signed_by: string | null,
): ShownDecision {
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
    ...(isDigest(people_version) ? { people_version } : {}),
    signed_by,
  };
}

/** What is wrong with a seal; null: nothing. That of a call without its arguments is calculated when the call is made. */
function sealProblem(body: JsonObject, asked: JsonObject | undefined, isWhole: boolean): string | null {
  if (asked === undefined) return null;
  const isCall = isObject(asked.sealed);
  if (typeof body.seal !== "string") return isCall ? "is missing" : null;
  if (isWhole && sealOfAsked(body, asked) !== body.seal) return "is not that of what was asked";
  return isSealedFor(body, asked) ? null : "covers another quorum, or somebody else who asked";
}

/** Who must agree, and who asked, are in the seal of a call, too. */
function isSealedFor({ quorum = 1, distinct_groups = 1, requested_by }: JsonObject, { sealed }: JsonObject): boolean {
  if (!isObject(sealed)) return true;
  const needed = neededPeople({ quorum: Number(quorum), distinctGroups: Number(distinct_groups) });
  const isNeeded = sealed.quorum === undefined || sealed.quorum === needed;
  return isNeeded && (sealed.requested_by === undefined || sealed.requested_by === requested_by);
}
