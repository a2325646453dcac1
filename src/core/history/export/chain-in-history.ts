import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { recordBody, resetBody, rowFacts, valueDigest } from "../../effects/chain/bodies";
import { LEDGER_MEMO } from "../../effects/chain/head";
import { type ChainLink, chainStart, isLinkChange, type LinkChange } from "../../effects/chain/link";
import { type Change, isEffectChange, isReset } from "../../journal/changes";
import type { FactOf, HistoryFact } from "../read/facts";
import { readHistory } from "../read/history";
import { givenBudget } from "../trace/given-budget";
import type { ExportedWorkflow, HeadLine } from "./format";

/** The parts of a workflow's chain that its histories show. */
export interface FoundChain {
  workflow_type: string;
  status: ExportedWorkflow["status"];
  /** The budget of the workflow and everything below it; null: it has no limit. */
  budget: JsonObject | null;
  links: ChainLink[];
  /** Next to each link: the values for which its digests stand. */
  values: JsonObject[];
  heads: Pick<HeadLine, "head" | "signature">[];
}

/**
 * Reads the chain of a workflow.
 *
 * @param runs its histories, the oldest first
 * @throws HistoryFormatError for what is no history
 */
export function chainInHistory(workflowId: string, runs: readonly unknown[]): FoundChain {
  const reader = new ChainReader(workflowId);
  for (const history of runs) for (const fact of readHistory(history)) reader.read(fact);
  return reader.found();
}

class ChainReader {
  private type = "";
  private budget: JsonObject | null = null;
  private status: ExportedWorkflow["status"] = "running";
  private readonly links: ChainLink[] = [];
  private readonly given: JsonObject[] = [];
  private readonly heads = new Map<number, Pick<HeadLine, "head" | "signature">>();
  /** Heads that were sent to be signed, by the fact that sent them. */
  private readonly sent = new Map<number, HeadLine["head"]>();
  /** Whatever a digest may stand for. */
  private readonly values = new Map<string, Json>();

  /** The change of a record that came last. */
  private record: JsonObject = {};
  /** The link before. */
  private before: { seq: number; hash: string; at: number };

  constructor(workflowId: string) {
    this.before = { seq: 0, hash: chainStart(workflowId), at: 0 };
  }

  read(fact: HistoryFact): void {
    if (fact.kind === "started") this.started(fact);
    if (fact.kind === "ended") this.status = fact.state;
    for (const change of fact.changes) this.readChange(change);
    this.readValues(fact);
    this.readHeads(fact);
  }

  /** Where the first history that is left begins in the middle of the chain, the link before is known by its hash alone. */
  private started({ workflow_type, input }: FactOf<"started">): void {
    this.type = workflow_type;
    this.budget ??= givenBudget(input);
    if (typeof input?.program === "string") this.note(input.program);
    const continued = isObject(input?.carried) ? input.carried.chain : undefined;
    if (this.links.length > 0 || !isObject(continued)) return;
    this.before = { seq: Number(continued.seq), hash: String(continued.head), at: Number(continued.at) };
  }

  private readChange(change: Change): void {
    if (isLinkChange(change)) return this.readLink(change);
    if (isEffectChange(change)) {
      this.note(change.effect.answer);
      this.note(change.effect.args);
      return;
    }
    this.record = isReset(change) ? resetBody(change.id) : recordBody(change);
    if (!isReset(change)) this.note(rowFacts(change));
  }

  private readLink({ link, value = {} }: LinkChange): void {
    const { hash, at = this.before.at, kind = "record", body = this.record } = link;
    const seq = this.before.seq + 1;
    this.links.push({ seq, prev: this.before.hash, hash, kind, at, body });
    this.given.push(value);
    this.before = { seq, hash, at };
  }

  found(): FoundChain {
    const values = this.links.map((link, i) => this.valuesOf(link, this.given[i] as JsonObject));
    const heads = [...this.heads.values()].sort((a, b) => a.head.seq - b.head.seq);
    const { type: workflow_type, status, budget, links } = this;
    return { workflow_type, status, budget, links, values, heads };
  }

  private valuesOf({ body }: ChainLink, given: JsonObject): JsonObject {
    const found: JsonObject = {};
    for (const field of ["row", "args", "answer", "reply"]) {
      const digest = body[field];
      if (typeof digest === "string" && this.values.has(digest)) found[field] = this.values.get(digest) as Json;
    }
    return { ...found, ...given };
  }

  private note(value: Json | undefined): void {
    if (value !== undefined) this.values.set(valueDigest(value), value);
  }

  /** Arguments and answers stand in the calls themselves, and so do the values that people have decided. */
  private readValues(fact: HistoryFact): void {
    if (fact.kind === "activity_scheduled" && isObject(fact.input?.effect)) this.note(fact.input.args);
    if (fact.kind === "activity_ended") this.noteAnswer(fact.result);
    if (fact.kind === "local_activity") this.noteAnswer(fact.answer);
    if (fact.kind === "update_accepted" || fact.kind === "signal") this.note(fact.input?.value);
  }

  private noteAnswer(result: Json | undefined): void {
    if (!isObject(result)) return;
    if (typeof result.content === "string") this.note(result.content);
    if (result.ok !== true) return;
    const value = result.value ?? null;
    this.note(value);
    // The answer of an earlier call that the tool found when its lookup ran.
    if (isObject(value) && value.state === "found") this.note(value.value ?? null);
  }

  private readHeads(fact: HistoryFact): void {
    if (fact.kind === "activity_scheduled") {
      const head = fact.input?.ledger_head;
      if (isObject(head)) this.sent.set(fact.id, headOf(head, false));
    }
    if (fact.kind === "activity_ended") {
      const head = this.sent.get(fact.call);
      if (head !== undefined && isObject(fact.result) && typeof fact.result.ledger_signature === "string")
        this.heads.set(head.seq, { head, signature: fact.result.ledger_signature });
    }
    if (fact.kind === "memo_changed") this.readFinalHead(fact.memo[LEDGER_MEMO]);
    if (fact.kind === "ended" && isObject(fact.result)) this.readFinalHead(fact.result.ledger);
  }

  private readFinalHead(end: Json | undefined): void {
    if (!isObject(end)) return;
    const at = this.links.findLast(({ seq }) => seq === end.seq)?.at ?? 0;
    const head = { seq: Number(end.seq), hash: String(end.head), at, final: true };
    this.heads.set(head.seq, { head, signature: typeof end.signature === "string" ? end.signature : null });
  }
}

const headOf = ({ seq, hash, at }: JsonObject, final: boolean): HeadLine["head"] => ({
  seq: Number(seq),
  hash: String(hash),
  at: Number(at),
  final,
});
