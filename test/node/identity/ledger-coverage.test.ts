import { effectBody } from "../../../src/core/effects/chain/bodies";
import { LinkChain } from "../../../src/core/effects/chain/link-chain";
import { chainsText, type ExportedChain } from "../../../src/core/history/export/export-ledger";
import type { ExportedWorkflow } from "../../../src/core/history/export/format";
import { signHead, verifyExportedLedger } from "../../../src/node/identity/ledger-signature";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

/** Whether somebody vouches for each link: a file says of itself whether its workflows were over. */

const MADE_AT = Date.parse("2026-06-02T09:00:00Z");
const worker = newKey();
const people = peopleOf({ services: { worker: { keys: [publicKey(worker)], may: ["sign_ledger"] } } });

type Chain = ExportedChain["chain"];

/** A mission of four links: two are signed, then all of them, as its end. */
async function mission(): Promise<Chain> {
  const chain = new LinkChain("m");
  const heads: Chain["heads"] = [];
  const links: Chain["links"] = [];
  for (const seq of [1, 2, 3, 4]) {
    const call = { key: `m~${seq}`, tool: "note", effect: "write" as const, state: "intended" as const };
    const link = chain.add("effect", effectBody({ ...call, turn: seq }), MADE_AT - 10_000 + seq);
    links.push(link);
    if (seq !== 2 && seq !== 4) continue;
    const head = { seq, hash: link.hash, at: link.at, final: seq === 4 };
    heads.push({ head, signature: await signHead({ workflow_id: "m", ...head }, worker) });
  }
  return { workflow_type: "agentRun", status: "completed", budget: null, links, values: links.map(() => ({})), heads };
}

/** The file with so many links and signed heads. */
async function file(status: ExportedWorkflow["status"], links: number, heads: number) {
  const whole = await mission();
  const chain = { ...whole, status, links: whole.links.slice(0, links), heads: whole.heads.slice(0, heads) };
  const text = chainsText([{ id: "m", parent: null, runs: 1, chain }], { made_at: MADE_AT, people });
  const last = chain.links.at(-1) as Chain["links"][number];
  return { text, head: { seq: last.seq, hash: last.hash } };
}

async function verdict(status: ExportedWorkflow["status"], links: number, heads: number, knowsHead = false) {
  const { text, head } = await file(status, links, heads);
  return verifyExportedLedger(text, knowsHead ? { people, head } : { people });
}

const codes = ({ problems }: { problems: { code: string }[] }) => problems.map(({ code }) => code);

test("a mission whose end is signed is whole", async () => {
  expect(await verdict("completed", 4, 2)).toMatchObject({ ok: true, whole: true, notes: [], problems: [] });
});

test.each([
  ["exactly at a signed head", 2, "whether its end was cut off is not known."],
  ["behind a signed head", 3, "Nothing vouches for its last link,"],
])("one that says that it runs, and stops %s, is not whole, and a note says so", async (_, links, words) => {
  const found = await verdict("running", links, 1);
  expect(found).toMatchObject({ ok: true, whole: false, problems: [] });
  expect(found.notes).toEqual([expect.stringContaining('"m" is marked as still running')]);
  expect(found.notes[0]).toContain(words);
  expect(found.notes[0]).toContain("--head");
});

test("one that says that it runs holds up to the head that the reader knows", async () => {
  expect(await verdict("running", 3, 1, true)).toMatchObject({ ok: true, whole: true, notes: [], problems: [] });
});

test("effects of a workflow of which no head was signed are a problem, also when it says that it runs", async () => {
  const found = await verdict("running", 3, 0);
  expect(codes(found)).toEqual(["head_missing"]);
  expect(found.problems[0]).toMatchObject({
    line: 2,
    message: expect.stringContaining("Nothing vouches for this effect"),
  });
});

test.each(["failed", "cancelled", "terminated", "timed_out"] as const)(
  "links that nobody has signed are a problem of a mission that is %s, unless the reader knows its head",
  async (status) => {
    expect(codes(await verdict(status, 3, 1))).toEqual(["head_missing"]);
    expect(await verdict(status, 3, 1, true)).toMatchObject({ ok: true, whole: true });
    const atHead = await verdict(status, 2, 1);
    expect(atHead).toMatchObject({ ok: true, whole: false });
    expect(atHead.notes).toEqual([expect.stringContaining(`is marked as ${status}, and signed no end`)]);
  },
);

test("one that was cut off at a head before its end cannot say that it is completed", async () => {
  expect(codes(await verdict("completed", 2, 1))).toEqual(["head_missing"]);
});
