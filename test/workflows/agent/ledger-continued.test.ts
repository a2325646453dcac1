import { TestWorkflowEnvironment } from "@temporalio/testing";
import { headWord } from "../../../src/core/effects/chain/head";
import { exportLedger } from "../../../src/core/history/export/export-ledger";
import type { LinkLine } from "../../../src/core/history/export/format";
import { verifyExportedLedger } from "../../../src/node/identity/ledger-signature";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { defineTool } from "../../../src/tools";
import { testCli } from "../../support/environment";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, openRig, quietRuntime, type Rig } from "../../support/rig";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";

/** The chain of a run that continues as new goes on where it was, and its export is one. */

const [anna, worker] = [newKey(), newKey()];
const people = peopleOf({
  people: { anna: { keys: [publicKey(anna)] } },
  services: { worker: { keys: [publicKey(worker)], may: ["sign_ledger"] } },
});
const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :int",
  effect: "irreversible",
  approval: { assignees: ["anna"] },
  run: ({ cents }) => cents as number,
});
const note = defineTool({
  name: "note",
  signature: "(n :int) -> :int",
  effect: "write",
  run: ({ n }) => n as number,
});

/** A server that wants a new run every 40 events. */
let server: TestWorkflowEnvironment;
let rig: Rig;
beforeAll(async () => {
  quietRuntime();
  server = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: await testCli() },
      extraArgs: ["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=30"],
    },
  });
});
afterAll(async () => {
  await rig?.stop();
  await server?.teardown();
});

const TURNS = 12;

test("numbers and hashes go on, the whole verifies, and a part that is missing is found", async () => {
  rig = await openRig({
    address: server.address,
    tools: [pay, note],
    people: () => people,
    ledgerKey: worker,
    script: [
      ...Array.from({ length: TURNS }, (_, n) =>
        fenced(`(do (task "note_${n}" (tool/note {:n ${n}})) (println ${n}))`),
      ),
      fenced("(return (tool/pay {:cents 500}))"),
    ],
  });
  const run = await rig.client.startAgent({
    agent: agent({ tools: [pay.spec, note.spec], max_turns: TURNS + 2, turn_budget: 100 }),
    model: "scripted",
  });
  const review = await until(async () => (await run.reviews()).find(({ status }) => status === "open"), "it asks");
  const decision = { review: review.id, choice: "approve", by: "anna", seal: review.seal as string };
  await run.decide(await signDecision(decision, anna));
  const step = await run.result();
  expect(step).toMatchObject({ return: 500, fail: null });

  const { workflowId } = run.workflow;
  const runs = (await rig.client.runs(workflowId)) as unknown as ExportedHistory[];
  expect(runs.length).toBeGreaterThan(2);
  for (const history of runs) await replay(history);

  const text = await rig.client.ledger(workflowId, people);
  const links = text
    .split("\n")
    .filter((line) => line.includes('"line":"link"'))
    .map((line) => (JSON.parse(line) as LinkLine).link);
  expect(links.map(({ seq }) => seq)).toEqual(links.map((_, i) => i + 1));
  expect(links.slice(1).map(({ prev }) => prev)).toEqual(links.slice(0, -1).map(({ hash }) => hash));
  const { seq, head } = step.ledger as NonNullable<typeof step.ledger>;
  expect({ seq, head }).toEqual({ seq: links.length, head: links.at(-1)?.hash });
  expect((await run.workflow.describe()).searchAttributes.NavigatorLedgerHead).toEqual([headWord(seq, head)]);

  const verdict = await verifyExportedLedger(text, { people, head: { seq, hash: head } });
  expect(verdict).toMatchObject({ ok: true, problems: [], notes: [] });
  expect(verdict.counts).toMatchObject({ effects: TURNS + 1, decisions: 1, verified: 1 });

  const exportOf = (kept: readonly ExportedHistory[]) =>
    exportLedger({ workflow_id: workflowId, runs: kept, children: [] }, { made_at: 1, people });
  const problemsOf = async (kept: readonly ExportedHistory[]) =>
    (await verifyExportedLedger(exportOf(kept), { people, head: { seq, hash: head } })).problems.map(
      ({ code }) => code,
    );
  expect(await problemsOf(runs)).toEqual([]);
  // The server keeps closed runs for some time only.
  expect(await problemsOf(runs.slice(1))).toEqual(expect.arrayContaining(["missing_entry", "hash_mismatch"]));
  expect(await problemsOf(runs.filter((_, i) => i !== 1))).toContain("hash_mismatch");
  expect(await problemsOf(runs.slice(0, -1))).toContain("chain_shorter");
});
