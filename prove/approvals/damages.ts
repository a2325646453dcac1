import type { Json, JsonObject } from "../../src/core/base/json";
import { childBody, valueDigest } from "../../src/core/effects/chain/bodies";
import { type ChainLink, chainStart, linkHash } from "../../src/core/effects/chain/link";
import { chainsText, type ExportedChain } from "../../src/core/history/export/export-ledger";
import { signHead } from "../../src/node/identity/ledger-signature";
import type { Random } from "../frame/random";
import type { SoundExport } from "./sound-export";

/** A damaged export; null: the export has nothing that this damage could hit. */
export type Damage = (sound: SoundExport, random: Random, other: SoundExport) => Promise<Buffer | null> | Buffer | null;

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8");
const linesOf = ({ text }: SoundExport): string[] => text.split("\n").slice(0, -1);
const fileOf = (lines: readonly string[]): Buffer => bytesOf(lines.map((line) => `${line}\n`).join(""));

/** Accidents, and edits by somebody who knows nothing of hashes. */
const PLAIN = {
  "one byte is another one": ({ text }, random) => {
    const bytes = bytesOf(text);
    const at = random.int(0, bytes.length - 1);
    bytes[at] = ((bytes[at] as number) + random.int(1, 255)) % 256;
    return bytes;
  },
  "one bit is another one": ({ text }, random) => {
    const bytes = bytesOf(text);
    const at = random.int(0, bytes.length - 1);
    bytes[at] = (bytes[at] as number) ^ (1 << random.int(0, 7));
    return bytes;
  },
  "one byte is missing": ({ text }, random) => {
    const bytes = bytesOf(text);
    const at = random.int(0, bytes.length - 1);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  },
  "one byte is more": ({ text }, random) => {
    const bytes = bytesOf(text);
    const at = random.int(0, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.int(0, 255)]), bytes.subarray(at)]);
  },
  "an entry is missing": (sound, random) => {
    const lines = linesOf(sound);
    lines.splice(random.int(0, lines.length - 1), 1);
    return fileOf(lines);
  },
  "an entry stands twice": (sound, random) => {
    const lines = linesOf(sound);
    const at = random.int(0, lines.length - 1);
    return fileOf([...lines.slice(0, at + 1), ...lines.slice(at)]);
  },
  "two entries have changed places": (sound, random) => {
    const lines = linesOf(sound);
    const a = random.int(0, lines.length - 2);
    const b = random.int(a + 1, lines.length - 1);
    [lines[a], lines[b]] = [lines[b] as string, lines[a] as string];
    return fileOf(lines);
  },
  "the tail is cut off": ({ text }, random) => {
    const bytes = bytesOf(text);
    return bytes.subarray(0, random.int(0, bytes.length - 1));
  },
  "the last lines are cut off": (sound, random) => {
    const lines = linesOf(sound);
    return fileOf(lines.slice(0, random.int(1, lines.length - 1)));
  },
  "an entry is of another export": (sound, random, other) => {
    const lines = linesOf(sound);
    lines[random.int(0, lines.length - 1)] = random.pick(linesOf(other));
    return fileOf(lines);
  },
} satisfies { [name: string]: Damage };

/** Edits by somebody who calculates all hashes of the file anew, but has no key. */
const CALCULATED = {
  "a link is another one, and the heads stay": (sound, random) => rewritten(sound, anyLink(random)),
  "a link is another one, and the heads are moved": (sound, random) => {
    if (headsOf(sound) === 0) return null;
    return rewritten(sound, anyLink(random), movedHeads);
  },
  "a link is missing": (sound, random) => rewritten(sound, withoutLink(random)),
  "a link is missing, and the heads are gone": (sound, random) =>
    rewritten(sound, withoutLink(random), () => [], "running"),
  "the tail is cut off after a signed head": ({ chains, ...sound }) => {
    const [mission, ...rest] = chains as [ExportedChain, ...ExportedChain[]];
    const { links, values, heads } = mission.chain;
    const last = links.length;
    const head = heads.findLast(({ head: { seq } }) => seq < last);
    const seq = head?.head.seq ?? last - 1;
    if (seq === 0) return null;
    const kept = { links: links.slice(0, seq), values: values.slice(0, seq) };
    const cut = {
      ...mission.chain,
      ...kept,
      heads: heads.filter((one) => one.head.seq <= seq),
      status: "running" as const,
    };
    return bytesOf(chainsText([{ ...mission, chain: cut }, ...rest], optionsOf(sound)));
  },
} satisfies { [name: string]: Damage };

/** Edits by somebody who has the worker's key: only people's own signatures and rules show them. */
const WITH_KEY = {
  "a person's words are others": (sound, random) =>
    resigned(
      sound,
      decisions(random, (body) => ({ ...body, note: `${String(body.note ?? "")}!` })),
    ),
  "a person's choice is another one": (sound, random) =>
    resigned(
      sound,
      decisions(random, (body) => ({ ...body, choice: body.choice === "approve" ? "reject" : "approve" })),
    ),
  "a decision has another name": (sound, random) =>
    resigned(
      sound,
      decisions(random, (body) => ({ ...body, by: body.by === "ben" ? "anna" : "ben" })),
    ),
  "a decision has lost its signature": (sound, random) =>
    resigned(
      sound,
      decisions(random, ({ signature: _, ...body }) => body),
    ),
  "the yes to a call is missing": (sound, random) => {
    const approved = approvedCalls(sound);
    if (approved.length === 0) return null;
    const review = random.pick(approved);
    return resigned(sound, (chains) =>
      chains.map((one) => ({
        ...one,
        chain: filtered(one.chain, ({ kind, body }) => kind !== "decision" || body.review !== review),
      })),
    );
  },
  "a call has other arguments than the ones that were approved": (sound, random) => {
    const approved = approvedCalls(sound);
    if (approved.length === 0) return null;
    const review = random.pick(approved);
    return resigned(sound, (chains) =>
      mapped(chains, (link, value) => {
        if (link.kind !== "effect" || link.body.review !== review) return [link, value];
        const args = { ...(value.args as JsonObject), cents: 100_000_000 };
        return [{ ...link, body: { ...link.body, args: valueDigest(args) } }, { args }];
      }),
    );
  },
  "what was asked is something else": (sound, random) => {
    const reviews = sound.chains.flatMap(({ chain }) => chain.links.filter(({ body }) => body.asked !== undefined));
    if (reviews.length === 0) return null;
    const { hash } = random.pick(reviews);
    return resigned(sound, (chains) =>
      mapped(chains, (link, value) => {
        if (link.hash !== hash) return [link, value];
        const before = value.asked as { data: JsonObject };
        const asked = { ...before, data: { ...before.data, args: { cents: 1 }, about: 0 } };
        return [{ ...link, body: { ...link.body, asked: valueDigest(asked as Json) } }, { asked }];
      }),
    );
  },
} satisfies { [name: string]: Damage };

/** Every way in which an export is damaged. */
export const DAMAGES: { [name: string]: Damage } = { ...PLAIN, ...CALCULATED, ...WITH_KEY };

/** They mark a mission that was over as running, and take signed heads away. */
const REOPENED = ["a link is missing, and the heads are gone", "the tail is cut off after a signed head"];

/**
 * Whether only somebody who knows the head finds a damage by its problems: those of a mission that runs, and of one that is marked
 * as running. A mission that is marked as over has a signed head for each link.
 */
export const needsKnownHead = (name: string, { chains }: Pick<SoundExport, "chains">): boolean =>
  Object.hasOwn(CALCULATED, name) && (REOPENED.includes(name) || chains[0]?.chain.status === "running");

type Edit = (chains: ExportedChain[]) => ExportedChain[] | null;
type Chain = ExportedChain["chain"];

const optionsOf = ({ made_at, people }: Pick<SoundExport, "made_at" | "people">) => ({ made_at, people });
const headsOf = ({ chains }: SoundExport): number => chains.reduce((sum, { chain }) => sum + chain.heads.length, 0);

function anyLink(random: Random): Edit {
  return (chains) => {
    const all = chains.flatMap(({ chain }) => chain.links);
    const { hash } = random.pick(all);
    return mapped(chains, (link, value) =>
      link.hash === hash ? [{ ...link, at: link.at + random.int(1, 1_000) }, value] : [link, value],
    );
  };
}

function withoutLink(random: Random): Edit {
  return (chains) => {
    const own = (chains[0] as ExportedChain).chain.links;
    if (own.length < 2) return null;
    const { hash } = random.pick(own);
    return chains.map((one) => ({ ...one, chain: filtered(one.chain, (link) => link.hash !== hash) }));
  };
}

function decisions(random: Random, change: (body: JsonObject) => JsonObject): Edit {
  return (chains) => {
    const signed = chains.flatMap(({ chain }) =>
      chain.links.filter(({ kind, body }) => kind === "decision" && body.signature !== undefined),
    );
    if (signed.length === 0) return null;
    const { hash } = random.pick(signed);
    return mapped(chains, (link, value) => [link.hash === hash ? { ...link, body: change(link.body) } : link, value]);
  };
}

const approvedCalls = ({ chains }: SoundExport): Json[] =>
  chains.flatMap(({ chain }) =>
    chain.links.flatMap(({ body }) => (body.state === "intended" && body.review !== undefined ? [body.review] : [])),
  );

function mapped(
  chains: readonly ExportedChain[],
  change: (link: ChainLink, value: JsonObject) => [ChainLink, JsonObject],
): ExportedChain[] {
  return chains.map((one) => {
    const changed = one.chain.links.map((link, i) => change(link, one.chain.values[i] as JsonObject));
    const links = changed.map(([link]) => link);
    return { ...one, chain: { ...one.chain, links, values: changed.map(([, value]) => value) } };
  });
}

function filtered(chain: Chain, keep: (link: ChainLink) => boolean): Chain {
  const places = chain.links.flatMap((link, i) => (keep(link) ? [i] : []));
  return {
    ...chain,
    links: places.map((i) => chain.links[i] as ChainLink),
    values: places.map((i) => chain.values[i] as JsonObject),
  };
}

/** The export after an edit, with all hashes calculated anew. */
function rewritten(
  sound: SoundExport,
  edit: Edit,
  heads: (chain: Chain) => Chain["heads"] = ({ heads }) => heads,
  status?: Chain["status"],
): Buffer | null {
  const edited = edit(sound.chains);
  if (edited === null) return null;
  const chains = rehashed(edited).map((one) => ({
    ...one,
    chain: { ...one.chain, heads: heads(one.chain), ...(status === undefined ? {} : { status }) },
  }));
  return bytesOf(chainsText(chains, optionsOf(sound)));
}

/** The same with heads that the worker's key signs anew. */
async function resigned(sound: SoundExport, edit: Edit): Promise<Buffer | null> {
  const edited = edit(sound.chains);
  if (edited === null) return null;
  const chains: ExportedChain[] = [];
  for (const one of rehashed(edited)) {
    const heads: Chain["heads"] = [];
    for (const { head } of movedHeads(one.chain))
      heads.push({ head, signature: await signHead({ workflow_id: one.id, ...head }, sound.worker) });
    chains.push({ ...one, chain: { ...one.chain, heads } });
  }
  return bytesOf(chainsText(chains, optionsOf(sound)));
}

/** Children first: the mission names the ends of their chains. */
function rehashed(chains: readonly ExportedChain[]): ExportedChain[] {
  const ends = new Map<string, { seq: number; head: string }>();
  return [...chains]
    .reverse()
    .map((one) => {
      let prev = chainStart(one.id);
      const links = one.chain.links.map((link, i): ChainLink => {
        const end = link.kind === "child" ? ends.get(String(link.body.workflow_id)) : undefined;
        const body = end === undefined ? link.body : childBody(String(link.body.workflow_id), end);
        const { hash: _, ...rest } = { ...link, seq: i + 1, prev, body };
        prev = linkHash(rest);
        return { ...rest, hash: prev };
      });
      ends.set(one.id, { seq: links.length, head: prev });
      return { ...one, chain: { ...one.chain, links } };
    })
    .reverse();
}

/** Each head at the link that has its number now; the last one at the last link. */
function movedHeads({ heads, links }: Chain): Chain["heads"] {
  const bySeq = new Map<number, Chain["heads"][number]>();
  for (const { head, signature } of heads) {
    const seq = head.final ? links.length : Math.min(head.seq, links.length);
    const link = links[seq - 1];
    if (link === undefined) continue;
    bySeq.set(seq, { head: { ...head, seq, hash: link.hash, at: link.at }, signature });
  }
  return [...bySeq.values()];
}
