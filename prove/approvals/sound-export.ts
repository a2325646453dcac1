import { defined } from "../../src/core/base/defined";
import type { Json, JsonObject } from "../../src/core/base/json";
import { childBody, effectBody, recordBody, resetBody, rowFacts } from "../../src/core/effects/chain/bodies";
import type { ChainLink, LinkKind } from "../../src/core/effects/chain/link";
import { LinkChain } from "../../src/core/effects/chain/link-chain";
import { canonicalDigest } from "../../src/core/effects/effect-id";
import { chainsText, type ExportedChain } from "../../src/core/history/export/export-ledger";
import { COMMENT, HAND_OVER, WITHDRAW } from "../../src/core/review/decision-input";
import { editedArgs } from "../../src/core/review/edit";
import type { PeopleFile } from "../../src/core/review/people/people-file";
import type { Review } from "../../src/core/review/review";
import { ReviewLinks } from "../../src/core/review/review-links";
import type { PrivateKey } from "../../src/node/identity/keys";
import { signHead } from "../../src/node/identity/ledger-signature";
import { signDecision } from "../../src/node/identity/sign-decision";
import type { Random } from "../frame/random";
import { publicPart, seededKey } from "./seeded-key";

/** A sound export, made in memory, with whatever it takes to damage it. */
export interface SoundExport {
  text: string;
  chains: ExportedChain[];
  people: PeopleFile;
  /** Of the worker that signed the heads. */
  worker: PrivateKey;
  /** Where the chain of the mission ends, as `NavigatorLedgerHead` has it. */
  head: { seq: number; hash: string };
  made_at: number;
}

const START = Date.parse("2026-06-01T09:00:00Z");
const WORDS = ["ok", "paid twice?", "see ticket 4711", "größer als üblich", "承認", "“quoted” \\ and\ttab", ""];

/** The project of one case: three people, a group, a page that vouches, and a worker. */
class People {
  readonly keys: { [name: string]: PrivateKey };
  readonly worker: PrivateKey;
  readonly page: PrivateKey;
  readonly file: PeopleFile;
  readonly names = ["anna", "ben", "chloé"];

  constructor(random: Random) {
    this.keys = Object.fromEntries(this.names.map((name) => [name, seededKey(random)]));
    this.worker = seededKey(random);
    this.page = seededKey(random);
    const person = (name: string) => ({ keys: [publicPart(this.keys[name] as PrivateKey)], delegations: [] });
    this.file = {
      people: Object.fromEntries(this.names.map((name) => [name, person(name)])),
      groups: { finance: { members: ["anna", "ben"], lead: "chloé" } },
      services: {
        page: { keys: [publicPart(this.page)], may: ["vouch"] },
        worker: { keys: [publicPart(this.worker)], may: ["sign_ledger"] },
      },
      policy: {},
    };
  }
}

/** Writes the chain of one workflow, as its run would. */
class ChainWriter {
  readonly links: ChainLink[] = [];
  readonly values: JsonObject[] = [];
  readonly heads: ExportedChain["chain"]["heads"] = [];
  private readonly chain: LinkChain;
  private readonly reviewLinks = new ReviewLinks();
  private readonly reviews = new Map<string, Review>();
  private at = START;
  private nonces = 0;
  private turn = 0;

  constructor(
    readonly id: string,
    private readonly random: Random,
    private readonly people: People,
  ) {
    this.chain = new LinkChain(id);
  }

  /** One thing that a run does. */
  async act(): Promise<void> {
    const { random } = this;
    this.at += random.int(0, 90_000);
    this.turn += 1;
    const kind = random.int(0, 9);
    if (kind <= 2) this.record();
    else if (kind <= 4) this.effect(this.newKey(), { cents: random.int(1, 9_999) });
    else if (kind <= 7) await this.approvedEffect();
    else if (kind === 8) await this.question();
    else await this.signHead(false);
  }

  child(workflowId: string, end: { seq: number; head: string }): void {
    this.link("child", childBody(workflowId, end));
  }

  /** The chain is over, or continues after the export. */
  async end(isOver: boolean): Promise<ExportedChain["chain"]> {
    if (this.links.length === 0) this.record();
    // A head is signed in each model call: one that runs has links after its last head, and is not in its first turn.
    if (isOver || this.heads.length === 0 || this.random.chance(0.5)) await this.signHead(isOver);
    const { links, values, heads } = this;
    return { workflow_type: "agentRun", status: isOver ? "completed" : "running", budget: null, links, values, heads };
  }

  private link(kind: LinkKind, body: JsonObject, value: JsonObject = {}): void {
    this.links.push(this.chain.add(kind, body, this.at));
    this.values.push(value);
  }

  private async signHead(final: boolean): Promise<void> {
    const end = this.chain.end();
    if (end === null || (this.heads.at(-1)?.head.seq === end.seq && !final)) return;
    if (this.heads.at(-1)?.head.seq === end.seq) this.heads.pop();
    const head = { seq: end.seq, hash: end.head, at: end.at, final };
    const signature = await signHead({ workflow_id: this.id, ...head }, this.people.worker);
    this.heads.push({ head, signature });
  }

  private record(): void {
    const id = `record-${this.random.int(1, 9)}`;
    if (this.random.chance(0.1)) return this.link("record", resetBody(id));
    const row = { id, text: this.word(), value: { n: this.random.int(0, 999) }, at: this.at, by: "task" };
    this.link("record", recordBody(row), { row: rowFacts(row) });
  }

  private effect(key: string, args: JsonObject, approved: { approval?: true; review?: string } = {}): void {
    const news = { key, tool: "pay", effect: "irreversible" as const };
    this.link("effect", effectBody({ ...news, ...approved, state: "intended", turn: this.turn, args }), { args });
    const fate = this.random.int(0, 9);
    if (fate === 0) return this.link("effect", effectBody({ ...news, state: "failed", message: this.word() }));
    if (fate === 1) return this.link("effect", effectBody({ ...news, state: "unknown" }));
    const answer: Json = { receipt: this.random.int(1, 1e6), note: this.word() };
    this.link("effect", effectBody({ ...news, state: "done", answer }), { answer });
  }

  private async approvedEffect(): Promise<void> {
    const { random } = this;
    const args = { cents: random.int(1, 99_999), to: this.word() };
    const key = this.newKey();
    const quorum = random.chance(0.3) ? 2 : undefined;
    const assignees = random.pick([undefined, ["anna", "ben"], ["group:finance", "chloé"]]);
    const nonce = this.nonce();
    const id = `${this.id}/pay/${this.nonces}`;
    const sealed = {
      tool_version: "1",
      mission: "agent/mission",
      place: `${this.turn}.1`,
      generation: key,
      valid_for_ms: 86_400_000,
    };
    const seal = canonicalDigest({ review: id, nonce, tool: "pay", args, ...sealed });
    const data = { tool: "pay", args, effect: "irreversible" };
    const asks = { kind: "approval", title: "Call pay?", body: "Pays.", data, choices: ["approve", "reject"] } as const;
    const terms = { ...defined({ quorum, assignees }), editable: { choice: "approve", parameters: "" } };
    this.publish(this.opened(id, { ...asks, ...terms, onTimeout: "reject", seal, nonce, sealed }));
    const able = assignees === undefined || quorum === 2 ? this.people.names.slice(0, 2) : ["anna"];
    // Alone, her yes would have decided: taken back, nobody could give it again.
    if (quorum === 2 && random.chance(0.4)) {
      await this.decide(id, "anna", "approve");
      await this.decide(id, "anna", WITHDRAW);
    }
    if (random.chance(0.15)) {
      await this.decide(id, "ben", "reject");
      return this.link("effect", effectBody({ key, tool: "pay", effect: "irreversible", state: "refused", by: "ben" }));
    }
    if (random.chance(0.2)) await this.decide(id, random.pick(this.people.names), COMMENT, { text: "Why now?" });
    if (assignees?.[0] === "anna" && quorum === undefined && random.chance(0.3)) {
      await this.decide(id, "anna", HAND_OVER, { to: "chloé" });
      able.unshift("chloé");
    }
    const edit = random.chance(0.3) ? { cents: random.int(1, 99_999) } : undefined;
    for (const name of able.slice(0, quorum ?? 1)) await this.decide(id, name, "approve", edit);
    this.effect(key, editedArgs(args, edit), { approval: true, review: id });
  }

  private async question(): Promise<void> {
    const nonce = this.nonce();
    const id = `${this.id}/ask/${this.nonces}`;
    const asked = { body: this.word(), data: { about: this.random.int(1, 9) }, choices: ["yes", "no"] };
    const asks = { kind: "question" as const, title: "Which one?", ...asked };
    const { kind: source, ...shown } = asks;
    const seal = canonicalDigest({ review: id, nonce, source, ...shown });
    this.publish(this.opened(id, { ...asks, onTimeout: "no", seal, nonce }));
    if (this.random.chance(0.3))
      this.publish(this.decided(id, { choice: "no", by: "timer", note: "nobody decided in time" }));
    else if (this.random.chance(0.2)) this.publish({ ...(this.reviews.get(id) as Review), status: "withdrawn" });
    else await this.decide(id, this.random.pick(this.people.names), "yes", this.word());
  }

  /** A person decides: with a personal key, or through a page that vouches. */
  private async decide(review: string, by: string, choice: string, value?: Json): Promise<void> {
    this.at += this.random.int(1, 9_000);
    const { seal } = this.reviews.get(review) as Review & { seal: string };
    const isOwn = this.random.chance(0.7);
    const key = isOwn ? (this.people.keys[by] as PrivateKey) : this.people.page;
    const via = isOwn ? ("cli" as const) : ("page" as const);
    const note = this.random.chance(0.5) ? this.word() : undefined;
    const decision = { review, choice, by, via, seal, ...defined({ value, note }) };
    const principal = { id: by, kind: "person", verified: true, via };
    this.publish(this.decided(review, { ...(await signDecision(decision, key, this.at)), principal }));
  }

  private opened(id: string, asks: object): Review {
    return { id, createdAt: this.at, status: "open", moves: {}, ...asks } as unknown as Review;
  }

  private decided(id: string, decision: object): Review {
    const review = this.reviews.get(id) as Review;
    const vote = { review: id, at: this.at, ...decision } as NonNullable<Review["decision"]>;
    return { ...review, votes: [...(review.votes ?? []), vote] };
  }

  private publish(review: Review): void {
    this.reviews.set(review.id, review);
    for (const { kind, body, value } of this.reviewLinks.news([review])) this.link(kind, body, value);
  }

  private newKey(): string {
    return `${this.id}~${this.turn}.${this.random.int(1, 1e6)}`;
  }

  private nonce(): string {
    this.nonces += 1;
    return `nonce-${this.nonces}-${this.random.int(1e6, 1e9)}`;
  }

  private word(): string {
    return this.random.pick(WORDS);
  }
}

/** A mission with agents below it: records, effects, approvals, questions, and signed heads. */
export async function soundExport(random: Random): Promise<SoundExport> {
  const people = new People(random);
  const isOver = random.chance(0.8);
  const mission = new ChainWriter("agent/mission", random, people);
  const chains: ExportedChain[] = [];
  const children = random.int(0, 2);
  for (let n = 1; n <= children; n++) {
    await mission.act();
    const child = new ChainWriter(`agent/mission/helper/${n}.1`, random, people);
    for (let i = random.int(1, 4); i > 0; i--) await child.act();
    const chain = await child.end(true);
    const { seq, hash } = chain.links.at(-1) as ChainLink;
    mission.child(child.id, { seq, head: hash });
    chains.push({ id: child.id, parent: mission.id, runs: 1, chain });
  }
  for (let i = random.int(3, 9); i > 0; i--) await mission.act();
  const chain = await mission.end(isOver);
  chains.unshift({ id: mission.id, parent: null, runs: random.int(1, 3), chain });
  const made_at = START + 86_400_000;
  const { seq, hash } = chain.links.at(-1) as ChainLink;
  const { file, worker } = people;
  const text = chainsText(chains, { made_at, people: random.chance(0.5) ? file : null });
  return { text, chains, people: file, worker, head: { seq, hash }, made_at };
}
