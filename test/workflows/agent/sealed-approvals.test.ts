import { randomUUID } from "node:crypto";
import type { AgentHandle } from "../../../src/client/handles";
import { type Decision, WITHDRAW } from "../../../src/core/review/decision-input";
import type { Review } from "../../../src/core/review/review";
import { signDecision } from "../../../src/node/identity/sign-decision";
import type { ApprovalOptions } from "../../../src/tools";
import { defineTool } from "../../../src/tools";
import { replayAndKeep } from "../../support/record";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { isDeep } from "../../support/run/deep";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";

/**
 * Who said yes, on a real server: only what a person of the project has signed counts, and only the call that was
 * approved is made. The tool is on workers of its own, so that a call can wait between the yes and its beginning.
 */

const anna = newKey();
const ben = newKey();
const team = () =>
  peopleOf({ people: { anna: { keys: [publicKey(anna)] }, ben: { keys: [publicKey(ben)] } }, groups: {} });

const rigs: Rig[] = [];
let paid: unknown[];
beforeEach(() => {
  paid = [];
});
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop();
});

async function opened(options: Parameters<typeof openRig>[0]): Promise<Rig> {
  const rig = await openRig(options);
  rigs.push(rig);
  return rig;
}

const pay = (taskQueue: string | undefined, approval: ApprovalOptions = {}, version?: string) =>
  defineTool({
    name: "pay",
    signature: "(order :int, cents :int) -> :map",
    effect: "irreversible",
    approval,
    ...(version === undefined ? {} : { version }),
    ...(taskQueue === undefined ? {} : { task_queue: taskQueue }),
    run: (args) => {
      paid.push(args);
      return args;
    },
  });

const PROGRAMS = [
  '(return (task "pay_7" (tool/pay {:order 7 :cents 1000})))',
  "(return (:message data/fail))",
  "(return (:message data/fail))",
].map(fenced);

interface Asked {
  missions: Rig;
  run: AgentHandle;
  review: Review;
  people: ReturnType<typeof team>;
  /** The workers of the tool. */
  tools: Rig;
  queue: string;
}

/** A mission that waits for a yes to its payment; nobody serves the tool until `startWorker`. */
async function asked(approval: ApprovalOptions = {}, isApart = true, requested_by?: string): Promise<Asked> {
  const people = team();
  const queue = `tools-${randomUUID()}`;
  const tool = pay(isApart ? queue : undefined, approval);
  const missions = await opened({ script: PROGRAMS, people: () => people, ...(isApart ? {} : { tools: [tool] }) });
  const tools = await opened({ taskQueue: queue, tools: [tool], people: () => people });
  const run = await missions.client.startAgent({
    agent: agent({ tools: [tool.spec], max_turns: 4 }),
    model: "scripted",
    ...(requested_by === undefined ? {} : { requested_by }),
  });
  const review = await openReview(run);
  if (isApart) await tools.stopWorker();
  return { missions, run, review, people, tools, queue };
}

const openReview = (run: AgentHandle): Promise<Review> =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "the review opens");

const yes = ({ id, seal }: Review, by = "anna"): Decision => ({
  review: id,
  choice: "approve",
  by,
  ...(seal === undefined ? {} : { seal }),
});

/** The Step, after every history of the mission was replayed. */
async function ended({ missions, run }: Asked) {
  const step = await run.result();
  for (const history of (await missions.client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[])
    await replay(history);
  return step;
}

test("a signed yes makes the call, once; the record and the Step say who it was", async () => {
  const mission = await asked();
  const { run, review, tools } = mission;
  expect(review.seal).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const decided = await run.decide(await signDecision(yes(review), anna));
  expect(decided).toMatchObject({ decision: { by: "anna", principal: { id: "anna", verified: true } } });
  await tools.startWorker();
  const step = await ended(mission);
  expect(step.return).toEqual({ order: 7, cents: 1_000 });
  expect(paid).toEqual([{ order: 7, cents: 1_000 }]);
  expect(step.tool_calls[0]).toMatchObject({ approval: { by: "anna", verified: true } });
});

test("a yes and its withdrawal that both come as signals while no worker runs: nothing is called", async () => {
  const mission = await asked({}, false);
  const { run, review, missions } = mission;
  await missions.stopWorker();
  await run.signalDecide(await signDecision(yes(review), anna));
  await run.signalDecide(await signDecision({ ...yes(review), choice: WITHDRAW }, anna));
  await missions.startWorker();
  expect((await ended(mission)).return).toContain("took the approval back");
  expect(paid).toEqual([]);
  expect((await run.status()).refused_signals).toBe(0);
  expect((await run.reviews())[0]?.withdrawn).toHaveLength(2);
  const histories = (await missions.client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[];
  await replayAndKeep("verified-withdrawn-by-signal", histories);
});

test("nobody else decides, by update or by signal", async () => {
  const mission = await asked({ assignees: ["anna"] }, false);
  const { run, review } = mission;
  const attacks: [Decision | Promise<Decision>, string][] = [
    [yes(review), "unverified_decision"],
    [signDecision(yes(review), ben), "bad_signature"],
    [signDecision(yes(review, "ben"), ben), "not_an_assignee"],
    [signDecision(yes(review), newKey()), "unknown_signer"],
    [{ ...yes(review), kind: "agent", via: "mcp" }, "agents_may_not_decide"],
    [signDecision({ ...yes(review), seal: "x".repeat(43) }, anna), "seal_mismatch"],
  ];
  for (const [attack, code] of attacks) {
    const decision = await attack;
    await expect(run.decide(decision)).rejects.toMatchObject({ code });
    const { refused_signals } = await run.status();
    await run.signalDecide(decision);
    await until(async () => (await run.status()).refused_signals === refused_signals + 1, "the signal is counted");
  }
  expect(paid).toEqual([]);
  await run.signalDecide(await signDecision({ ...yes(review), via: "signal" }, anna));
  expect((await ended(mission)).return).toEqual({ order: 7, cents: 1_000 });
  expect(paid).toHaveLength(1);
});

const VOTES = isDeep ? 100 : 20;

test(`${VOTES} votes at once are a quorum of those who may, and one call`, async () => {
  const mission = await asked({ assignees: ["anna", "ben"], quorum: 2 }, false);
  const { run, review } = mission;
  const votes = await Promise.all(
    Array.from({ length: VOTES }, (_, i) =>
      i % 4 === 0 ? signDecision(yes(review), anna) : { ...yes(review, i % 4 === 1 ? "ben" : `voter-${i}`) },
    ),
  );
  const outcomes = await Promise.allSettled(votes.map((vote) => run.decide(vote)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(paid).toEqual([]);
  await run.decide(await signDecision(yes(review, "ben"), ben));
  expect((await ended(mission)).return).toEqual({ order: 7, cents: 1_000 });
  expect(paid).toHaveLength(1);
});

test("who asked for the mission does not approve its calls", async () => {
  const mission = await asked({}, false, "anna");
  const { run, review } = mission;
  await expect(run.decide(await signDecision(yes(review), anna))).rejects.toMatchObject({ code: "self_approval" });
  await run.decide(await signDecision(yes(review, "ben"), ben));
  expect((await ended(mission)).return).toEqual({ order: 7, cents: 1_000 });
});

describe("between the yes and the call", () => {
  test("about another version of the tool people are asked again, and the call is made once", async () => {
    const mission = await asked();
    const { run, review, people, queue } = mission;
    await run.decide(await signDecision(yes(review), anna));
    await opened({ taskQueue: queue, tools: [pay(queue, {}, "2")], people: () => people });
    const isAgain = ({ id, status }: Review) => status === "open" && id !== review.id;
    const again = await until(async () => (await run.reviews()).find(isAgain), "people are asked again");
    expect(paid).toEqual([]);
    await run.decide(await signDecision(yes(again), anna));
    expect((await ended(mission)).return).toEqual({ order: 7, cents: 1_000 });
    expect(paid).toHaveLength(1);
  });

  test("a yes that is taken back stops the call", async () => {
    const mission = await asked();
    const { run, review, tools } = mission;
    await run.decide(await signDecision(yes(review), anna));
    await run.decide(await signDecision({ ...yes(review), choice: WITHDRAW, note: "wrong order" }, anna));
    await tools.startWorker();
    expect((await ended(mission)).return).toContain("anna took the approval back");
    expect(paid).toEqual([]);
  });

  test("a yes that has become too old is asked for again", async () => {
    const mission = await asked({ validFor: "1ms" });
    const { run, review, tools } = mission;
    await run.decide(await signDecision(yes(review), anna));
    await tools.startWorker();
    const again = await openReview(run);
    expect(again.id).not.toBe(review.id);
    expect(again.seal).not.toBe(review.seal);
    await run.decide(await signDecision({ ...yes(again), choice: "reject" }, anna));
    expect((await ended(mission)).return).toContain("anna rejected the call");
    expect(paid).toEqual([]);
  });

  test("a key that is revoked stops the call", async () => {
    const mission = await asked();
    const { run, review, people, tools } = mission;
    await run.decide(await signDecision(yes(review), anna));
    people.people.anna?.keys.splice(0, 1, publicKey(anna, "2026-01-02T00:00:00Z"));
    await tools.startWorker();
    expect((await ended(mission)).return).toContain("was revoked");
    expect(paid).toEqual([]);
  });
});
