import { randomUUID } from "node:crypto";
import type { AgentHandle } from "../../../src/client/handles";
import { missionHistories } from "../../../src/client/mission-tree";
import { headWord } from "../../../src/core/effects/chain/head";
import { newTask } from "../../../src/core/graph/task/task";
import { exportLedger } from "../../../src/core/history/export/export-ledger";
import { verifyExportedLedger } from "../../../src/node/identity/ledger-signature";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { defineTool } from "../../../src/tools";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";
import { BRANCHES } from "../recordings/ledgers";
import { definitionOf } from "../task/order-graph";

/** The ledger of a run on a real server: what it has, who signed it, and that a stranger can check it. */
const anna = newKey();
const ben = newKey();
const worker = newKey();
const people = peopleOf({
  people: { anna: { keys: [publicKey(anna)] }, ben: { keys: [publicKey(ben)] } },
  services: { worker: { keys: [publicKey(worker)], may: ["sign_ledger"] } },
});

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :map",
  effect: "irreversible",
  approval: { assignees: ["anna", "ben"], quorum: 2 },
  run: ({ cents }) => ({ receipt: Number(cents) + 1 }),
});
const note = defineTool({
  name: "note",
  signature: "(text :string) -> :string",
  effect: "write",
  run: ({ text }) => `noted ${String(text)}`,
});
const helper = agent({ name: "helper", prompt: "Help.", description: "Helps.", tools: [note.spec], max_turns: 2 });

let rig: Rig;
afterAll(() => rig.stop());

async function approved(run: AgentHandle): Promise<void> {
  const review = await until(
    async () => (await run.reviews()).find(({ status }) => status === "open"),
    "the review opens",
  );
  const { seal } = review as typeof review & { seal: string };
  for (const [by, key] of [
    ["anna", anna],
    ["ben", ben],
  ] as const) {
    const decision = { review: review.id, choice: "approve", by, seal, note: `ok, ${by}` };
    await run.decide(await signDecision(decision, key));
  }
}

test("the ledger of a run holds, is signed, and tells who approved what with which words", async () => {
  rig = await openRig({
    tools: [pay, note],
    people: () => people,
    ledgerKey: worker,
    script: [
      fenced('(task "first" (tool/note {:text "a"}))\n(println "on")'),
      fenced('(def paid (task "paid" (tool/pay {:cents 500})))\n(tool/helper {})\n(println "on")'),
      fenced('(return (tool/note {:text "helped"}))'),
      fenced("(return 1)"),
    ],
  });
  const run = await rig.client.startAgent({
    agent: agent({ tools: [pay.spec, note.spec, { name: "helper", agent: helper }], max_turns: 4 }),
    model: "scripted",
  });
  // Whoever goes on with the run has to find the same hashes.
  await until(async () => (await run.reviews()).length === 1, "the review opens");
  await rig.stopWorker();
  await rig.startWorker();
  await approved(run);
  const step = await run.result();
  expect(step.fail).toBeNull();
  const { workflowId } = run.workflow;
  const text = await rig.client.ledger(workflowId, people);
  const { seq, head } = step.ledger as NonNullable<typeof step.ledger>;
  expect(step.ledger).toMatchObject({ kid: worker.kid });
  const verdict = await verifyExportedLedger(text, { people, head: { seq, hash: head } });
  expect(verdict).toMatchObject({ ok: true, problems: [], notes: [] });
  expect(verdict.counts).toMatchObject({ decisions: 2, verified: 2, effects: 3 });
  expect(verdict.decisions).toMatchObject([
    { by: "anna", choice: "approve", note: "ok, anna", args: { cents: 500 }, signed_by: "anna" },
    { by: "ben", choice: "approve", note: "ok, ben", args: { cents: 500 }, signed_by: "ben" },
  ]);
  expect(verdict.ends).toMatchObject([
    { workflow: workflowId, final: true, signed_by: "worker" },
    { final: true, signed_by: "worker" },
  ]);
  const { searchAttributes } = await run.workflow.describe();
  expect(searchAttributes.NavigatorLedgerHead).toEqual([headWord(seq, head)]);
  const lines = text.split("\n").filter((line) => line !== "");
  const values = lines.flatMap((line) => Object.keys((JSON.parse(line) as { value?: object }).value ?? {}));
  expect(values.sort()).toEqual([
    "answer",
    "answer",
    "answer",
    "args",
    "args",
    "args",
    "asked",
    "reply",
    "reply",
    "reply",
    "row",
    "row",
  ]);
  const history = (await rig.client.history(workflowId)) as unknown as ExportedHistory;
  await replay(history);
});

test("the ledger of a run that waits in its first turn holds, and a reader who knows its head finds a cut tail", async () => {
  await rig.stop();
  const program = fenced('(do (tool/note {:text "a"}) (tool/pay {:cents 5}) (return (tool/pay {:cents 7})))');
  rig = await openRig({ tools: [pay, note], people: () => people, ledgerKey: worker, script: [program] });
  const tools = [pay.spec, note.spec];
  const run = await rig.client.startAgent({
    agent: agent({ tools, max_turns: 1, sequences: false }),
    model: "scripted",
  });
  await approved(run);
  await until(async () => (await run.reviews()).length === 2, "the second payment waits");
  const { workflowId } = run.workflow;
  const text = await rig.client.ledger(workflowId, people);
  const verdict = await verifyExportedLedger(text, { people });
  expect(verdict).toMatchObject({ ok: true, whole: false, problems: [], counts: { effects: 2, verified: 2 } });
  expect(verdict.counts.signed_heads).toBe(2);
  // Whatever was in the ledger when it asked must be in every copy.
  const [end] = verdict.ends;
  const { searchAttributes } = await run.workflow.describe();
  expect(searchAttributes.NavigatorLedgerHead).toEqual([headWord(end?.seq ?? 0, end?.head ?? "")]);
  const head = { seq: end?.seq ?? 0, hash: end?.head ?? "" };
  expect(await verifyExportedLedger(text, { people, head })).toMatchObject({ ok: true });
  const histories = await missionHistories(rig.client, workflowId);
  const events = (histories.runs[0] as unknown as ExportedHistory).events;
  // Until the first payment was scheduled, begun and answered.
  const paid = events.findLastIndex(({ activityTaskScheduledEventAttributes: scheduled }) =>
    JSON.stringify(scheduled ?? {}).includes('"callTool"'),
  );
  const cut = exportLedger(
    { ...histories, runs: [{ events: events.slice(0, paid + 3) }] as never },
    { made_at: Date.now(), people },
  );
  expect(await verifyExportedLedger(cut, { people })).toMatchObject({ ok: true, whole: false });
  expect((await verifyExportedLedger(cut, { people, head })).problems).toMatchObject([{ code: "chain_shorter" }]);
  await run.workflow.cancel();
});

test("a task says which branches began, so that a branch that was left out is missed", async () => {
  await rig.stop();
  const noting = agent({ name: "noting", prompt: "Note it.", tools: [note.spec], max_turns: 2 });
  const line = fenced('(return (tool/note {:text "a"}))');
  rig = await openRig({ tools: [note], people: () => people, ledgerKey: worker, script: { noting: [line, line] } });
  const definition = definitionOf(BRANCHES);
  const task = await rig.client.startTask({
    task: newTask({ id: randomUUID(), issueId: "I-1", workflowType: "branches" }, definition, Date.now()),
    definition,
    agents: { noting },
    model: "scripted",
  });
  expect(await task.result()).toMatchObject({ status: "COMPLETED" });
  const { workflowId } = task.workflow;
  const whole = await verifyExportedLedger(await rig.client.ledger(workflowId, people), { people });
  expect(whole).toMatchObject({ ok: true, counts: { effects: 2 } });
  const histories = await missionHistories(rig.client, workflowId);
  const [left, ...others] = histories.children;
  expect(others).toHaveLength(1);
  const cut = exportLedger({ ...histories, children: others }, { made_at: Date.now(), people });
  const verdict = await verifyExportedLedger(cut, { people });
  expect(verdict.problems).toMatchObject([{ code: "child_mismatch" }]);
  expect(verdict.problems[0]?.message).toContain(left?.workflow_id);
});
