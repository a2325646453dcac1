import type { Json } from "../../base/json";
import { valueDigest } from "../../effects/chain/bodies";
import { type ChainLink, chainStart, linkHash } from "../../effects/chain/link";
import { hasPeople, type PeopleFile, parsePeople, peopleVersion } from "../../review/people/people-file";
import { LONG_CALL } from "../../review/review-links";
import { DecisionCheck } from "./check-decisions";
import { EffectCheck } from "./check-effects";
import { missionProblem, unnamedChildren } from "./check-tree";
import type { ExportedWorkflow, HeadLine, LinkLine } from "./format";
import { type ParsedExport, parseExport } from "./parse-export";
import { lastLinks, linesText } from "./plurals";
import { isRule } from "./rule-decisions";
import type { SignatureChecks } from "./signature-checks";
import type { LedgerProblem, LedgerVerdict, ShownDecision } from "./verdict";

/** How an export is checked. */
export interface VerifyOptions {
  /** The people as the reader knows them; absent: those of the export itself, if it has any. */
  people?: PeopleFile | undefined;
  /** Where the chain of the mission ended at least, as the reader knows it: `NavigatorLedgerHead`. */
  head?: { seq: number; hash: string } | undefined;
  checks: SignatureChecks;
}

/** A longer list of problems adds no information. */
const MAX_PROBLEMS = 100;

/**
 * Checks an exported ledger with nothing but its text (approvals reference, section 6): whether anything was changed,
 * left out, moved or cut off, and whether the signatures and the authority of each decision are valid.
 *
 * @param text null: the file is no text in UTF-8
 */
export async function verifyLedger(text: string | null, options: VerifyOptions): Promise<LedgerVerdict> {
  if (text === null) return { ...NOTHING, problems: [NO_TEXT] };
  const { parsed, problems } = parseExport(text);
  if (parsed === null) return { ...NOTHING, problems: problems.slice(0, MAX_PROBLEMS) };
  return new LedgerCheck(parsed, options).verdict();
}

const NO_TEXT: LedgerProblem = { line: 0, code: "bad_encoding", message: "The file is no text in UTF-8." };

const NOTHING: LedgerVerdict = {
  ok: false,
  whole: false,
  mission: "",
  problems: [],
  notes: [],
  counts: { lines: 0, links: 0, decisions: 0, verified: 0, effects: 0, signed_heads: 0 },
  ends: [],
  decisions: [],
};

class LedgerCheck {
  private readonly problems: LedgerProblem[] = [];
  private readonly notes: string[] = [];
  /** The hashes of each workflow's links, in their order. */
  private readonly chains = new Map<string, ChainLink[]>();
  private readonly people: PeopleFile | null;
  /** The project has keys for the heads of its ledgers. */
  private readonly hasKeys: boolean;
  private signedHeads = 0;
  /** Up to which link somebody vouches for each workflow, where the project has such keys. */
  private readonly covered = new Map<string, number>();
  private whole = true;
  private readonly ends: LedgerVerdict["ends"] = [];

  constructor(
    private readonly parsed: ParsedExport,
    private readonly options: VerifyOptions,
  ) {
    this.people = options.people ?? this.ownPeople();
    this.hasKeys = this.people !== null && signsLedgers(this.people);
  }

  async verdict(): Promise<LedgerVerdict> {
    const { header, links, end } = this.parsed;
    this.checkWorkflows();
    this.checkLinks();
    this.checkEnd();
    this.checkChildren();
    await this.checkHeads();
    const decisions = new DecisionCheck(this.people, this.options.checks, this.note);
    const effects = new EffectCheck(decisions, this.note);
    for (const { number, line } of links) {
      await decisions.read(number, line);
      effects.read(number, line);
    }
    for (const gap of [...decisions.gaps(), ...effects.gaps()]) this.gap(gap);
    this.notes.push(...effects.notes());
    const shown = decisions.shown;
    this.checkVouched(shown);
    this.notePeople(shown);
    if (this.people === null && shown.length > 0)
      this.notes.push("No people are known, so no signature of a decision was checked: name them with --people.");
    return {
      ok: this.problems.length === 0,
      whole: this.whole,
      mission: header.mission,
      problems: this.problems.sort((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS),
      notes: this.notes,
      counts: {
        lines: end.number,
        links: links.length,
        decisions: shown.length,
        verified: shown.filter(({ signed_by }) => signed_by !== null).length,
        effects: effects.count,
        signed_heads: this.signedHeads,
      },
      ends: this.ends,
      decisions: shown,
    };
  }

  private readonly note = (line: number, code: LedgerProblem["code"], message: string): void => {
    this.problems.push({ line, code, message });
  };

  /** Something is missing that would show more. */
  private gap(note: string): void {
    this.whole = false;
    this.notes.push(note);
  }

  private ownPeople(): PeopleFile | null {
    const { people } = this.parsed.header;
    if (people === null) return null;
    const parsed = parsePeople(people);
    if (!parsed.ok) {
      this.note(1, "bad_line", `The people of the export cannot be read: ${parsed.fail.message}`);
      return null;
    }
    this.notes.push("The people are those of the export itself. Check it with your own people.yaml to trust nobody.");
    return parsed.value;
  }

  /** People change. Who reads the ledger knows from it which version of the people file each decision was checked with. */
  private notePeople(shown: readonly ShownDecision[]): void {
    if (this.people === null || !hasPeople(this.people)) return;
    const version = peopleVersion(this.people);
    const lines = new Map<string, number[]>();
    for (const { people_version, line } of shown)
      if (people_version !== undefined && people_version !== version)
        lines.set(people_version, [...(lines.get(people_version) ?? []), line]);
    if (lines.size === 0) return;
    const others = [...lines].map(([other, at]) => `${other} (${linesText(at)})`);
    this.notes.push(
      `These people are version ${version}. The run checked decisions with other versions, which the project's repository may have: ${others.join("; ")}.`,
    );
  }

  private checkWorkflows(): void {
    const { mission, workflows } = this.parsed.header;
    const seen = new Set<string>();
    for (const [i, { id, parent }] of workflows.entries()) {
      const isFirst = i === 0;
      if (isFirst ? id !== mission || parent !== null : parent === null || !seen.has(parent) || seen.has(id))
        this.note(1, "order", `The place of "${id}" in the tree of workflows is wrong.`);
      seen.add(id);
    }
    if (workflows.length === 0) this.note(1, "missing_entry", "The export has no workflow.");
  }

  private checkLinks(): void {
    const order = new Map(this.parsed.header.workflows.map(({ id }, i) => [id, i]));
    let place = 0;
    for (const { number, line } of this.parsed.links) {
      const { workflow, link } = line;
      const at = order.get(workflow);
      if (at === undefined || at < place)
        this.note(number, "order", `A link of "${workflow}" stands at a wrong place.`);
      place = at ?? place;
      const chain = this.chainOf(workflow);
      const before = chain.at(-1);
      const seq = (before?.seq ?? 0) + 1;
      if (link.seq !== seq)
        this.note(number, "missing_entry", `Link ${seq} of "${workflow}" is expected here, and it is ${link.seq}.`);
      if (link.prev !== (before?.hash ?? chainStart(workflow)))
        this.note(number, "hash_mismatch", `Link ${link.seq} of "${workflow}" does not follow the link before it.`);
      if (linkHash(link) !== link.hash)
        this.note(number, "hash_mismatch", `Link ${link.seq} of "${workflow}" was changed: its hash does not fit.`);
      if (link.at < (before?.at ?? 0))
        this.note(number, "order", `Link ${link.seq} of "${workflow}" is of an earlier time than the one before it.`);
      chain.push(link);
      this.checkValues(number, line);
      const other = missionProblem(line, this.parsed.header);
      if (other !== null) this.note(number, "seal_mismatch", other);
    }
  }

  private chainOf(workflow: string): ChainLink[] {
    const chain = this.chains.get(workflow) ?? [];
    this.chains.set(workflow, chain);
    return chain;
  }

  private checkValues(number: number, { link: { body }, value = {} }: LinkLine): void {
    for (const field of Object.keys(value)) {
      // Its nonce and what its seal covers are checked against the seal.
      if (field === LONG_CALL && body.long === true) continue;
      const digest = body[field];
      if (typeof digest !== "string" || !DIGESTS.includes(field) || valueDigest(value[field] as Json) !== digest)
        this.note(number, "value_mismatch", `The ${field} of the link is not the subject of the link.`);
    }
  }

  private checkEnd(): void {
    const { end, links, header } = this.parsed;
    if (end.line.lines !== end.number)
      this.note(end.number, "end_mismatch", `The file has ${end.number} lines, and should have ${end.line.lines}.`);
    if (end.line.links !== links.length)
      this.note(end.number, "end_mismatch", `The file has ${links.length} links, and should have ${end.line.links}.`);
    const ends = header.workflows.flatMap(({ id }) => {
      const last = this.chains.get(id)?.at(-1);
      return last === undefined ? [] : [`${id} ${last.seq} ${last.hash}`];
    });
    const listed = end.line.ends.map(({ workflow, seq, hash }) => `${workflow} ${seq} ${hash}`);
    if (ends.join("\n") !== listed.join("\n"))
      this.note(end.number, "end_mismatch", "The chains do not end at the place in the last line.");
    const { head } = this.options;
    if (head === undefined) return;
    const known = this.chains.get(header.mission)?.[head.seq - 1];
    if (known === undefined)
      this.note(
        0,
        "chain_shorter",
        `The chain of "${header.mission}" is shorter than ${head.seq}: its end was cut off.`,
      );
    else if (known.hash !== head.hash)
      this.note(
        0,
        "chain_shorter",
        `Link ${head.seq} of "${header.mission}" is another one than the head that you know.`,
      );
  }

  /**
   * A run below a workflow is there, and ends where that workflow records it; of a branch the workflow records only
   * that it began.
   */
  private checkChildren(): void {
    const known = new Set(this.parsed.header.workflows.map(({ id }) => id));
    for (const { number, line } of this.parsed.links) {
      const { kind, body } = line.link;
      if (kind !== "child") continue;
      const id = String(body.workflow_id);
      if (body.seq === undefined) {
        if (!known.has(id)) this.note(number, "child_mismatch", `"${id}", which "${line.workflow}" began, is missing.`);
        else if (!this.chains.has(id))
          this.gap(`"${id}", which "${line.workflow}" began, has no links: nothing shows whether it did something.`);
        continue;
      }
      const last = this.chains.get(id)?.[Number(body.seq) - 1];
      if (last?.hash !== body.head || this.chains.get(id)?.length !== body.seq)
        this.note(
          number,
          "child_mismatch",
          `The chain of "${id}" does not end at the link that "${line.workflow}" names.`,
        );
    }
    for (const { id, parent, isRefused } of unnamedChildren(this.parsed)) {
      const message = `No link of "${parent}" names "${id}"`;
      if (isRefused) this.note(1, "child_mismatch", `${message}, though both are completed.`);
      else this.gap(`${message}, so nothing shows that it belongs to it.`);
    }
  }

  private async checkHeads(): Promise<void> {
    const { header, heads } = this.parsed;
    const order = new Map(header.workflows.map(({ id }, i) => [id, i]));
    let place = [0, 0];
    const best = new Map<string, LastHead>();
    for (const { number, line } of heads) {
      const { workflow, head } = line;
      const at = [order.get(workflow) ?? -1, head.seq];
      if ((at[0] as number) < (place[0] as number) || (at[0] === place[0] && head.seq <= (place[1] as number)))
        this.note(number, "order", `A head of "${workflow}" stands at a wrong place.`);
      place = at;
      const link = this.chains.get(workflow)?.[head.seq - 1];
      if (link === undefined || link.hash !== head.hash || link.at !== head.at)
        this.note(number, "head_mismatch", `The head of "${workflow}" is not the hash of its link ${head.seq}.`);
      if (head.final && head.seq !== this.chains.get(workflow)?.length)
        this.note(number, "head_mismatch", `Links of "${workflow}" follow its last head.`);
      const by = await this.signerOf(number, line);
      const signedTo = by === null ? (best.get(workflow)?.signedTo ?? 0) : head.seq;
      best.set(workflow, { seq: head.seq, final: head.final, by, signedTo });
    }
    for (const workflow of header.workflows) this.checkCovered(workflow, best.get(workflow.id));
  }

  private async signerOf(number: number, { workflow, head, signature }: HeadLine): Promise<string | null> {
    if (signature === null || this.people === null || !this.hasKeys) return null;
    const checked = await this.options.checks.head(this.people, { workflow_id: workflow, ...head }, signature);
    if ("problem" in checked) {
      this.note(number, "bad_head_signature", `The head of "${workflow}" at link ${head.seq}: ${checked.problem}`);
      return null;
    }
    this.signedHeads += 1;
    return checked.by;
  }

  /** Whether the heads of a workflow cover all its links. */
  private checkCovered({ id, status }: ExportedWorkflow, last: LastHead | undefined): void {
    const end = this.chains.get(id)?.at(-1);
    if (end === undefined) return;
    const final = last?.final === true;
    const signed_by = last?.seq === end.seq ? last.by : null;
    this.ends.push({ workflow: id, seq: end.seq, head: end.hash, final, signed_by });
    const wrong = (message: string) => this.note(this.parsed.end.number, "head_missing", message);
    if (status === "completed" && !final) return wrong(`"${id}" is completed, and the end of its chain is missing.`);
    if (!this.hasKeys) {
      if (signed_by === null)
        this.notes.push(
          `Nobody who is known has signed the chain of "${id}": only a change of the file itself is found.`,
        );
      return;
    }
    if (final && signed_by === null) return wrong(`No key of the people file has signed the end of "${id}".`);
    const known = this.knownEnd(id);
    const covered = Math.max(last?.signedTo ?? 0, known);
    const open = end.seq - covered;
    this.covered.set(id, covered);
    if (open > 0 && status !== "running")
      return wrong(
        `Nobody has signed the ${lastLinks(open)} of "${id}", which is ${status}: name the head that you know with --head.`,
      );
    if (final || known === end.seq) return;
    const tail = open === 0 ? "" : ` Nothing vouches for its ${lastLinks(open)}, which nobody has signed.`;
    const mark = status === "running" ? "is marked as still running" : `is marked as ${status}, and signed no end`;
    this.gap(
      `"${id}" ${mark}: whether its end was cut off is not known.${tail} Name the head that you know with --head.`,
    );
  }

  /** Up to which link of a workflow the reader's own head vouches; 0: it is not about this workflow. */
  private knownEnd(id: string): number {
    const { head } = this.options;
    if (head === undefined || id !== this.parsed.header.mission) return 0;
    return this.chains.get(id)?.[head.seq - 1]?.hash === head.hash ? head.seq : 0;
  }

  /** The links of a workflow for which no worker signed a head: anybody may have written them. */
  private checkVouched(shown: readonly ShownDecision[]): void {
    const bySigner = new Set(
      shown.flatMap(({ line, signed_by, by }) => (signed_by !== null || isRule(by) ? [line] : [])),
    );
    const named = new Set<string>();
    for (const { number, line } of this.parsed.links) {
      const { workflow, link } = line;
      if (this.covered.get(workflow) !== 0 || named.has(workflow)) continue;
      if (link.kind !== "effect" && (link.kind !== "decision" || bySigner.has(number))) continue;
      named.add(workflow);
      this.note(
        number,
        "head_missing",
        `Nothing vouches for this ${link.kind}: no head of "${workflow}" was signed yet. Export it again when its first call is over.`,
      );
    }
  }
}

interface LastHead {
  seq: number;
  final: boolean;
  /** Who signed it; null: nobody who is known. */
  by: string | null;
  /** The last link that a head with a valid signature covers; 0: none. */
  signedTo: number;
}

const DIGESTS: readonly string[] = ["row", "args", "answer", "asked", "reply"];

/** Whether a project has keys for the heads of its ledgers. */
const signsLedgers = ({ services }: PeopleFile): boolean =>
  Object.values(services).some(({ may, keys }) => may.includes("sign_ledger") && keys.length > 0);
