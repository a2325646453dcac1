import { randomUUID } from "node:crypto";
import type { AgentHandle, StartAgent } from "../../../src/client";
import { newTask } from "../../../src/core/graph/task/task";
import { type Decision, HAND_OVER, WITHDRAW } from "../../../src/core/review/decision-input";
import type { Review } from "../../../src/core/review/review";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { defineTool } from "../../../src/tools";
import type { Recording, RecordingRig } from "../../support/recording";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Decisions that a worker verifies, and calls that are made only as they were approved. */

const anna = newKey();
const ben = newKey();
const TEAM = peopleOf({ people: { anna: { keys: [publicKey(anna)] }, ben: { keys: [publicKey(ben)] } } });

const pay = (task_queue?: string, version?: string) =>
  defineTool({
    name: "pay",
    signature: "(order :int, cents :int) -> :map",
    effect: "irreversible",
    approval: true,
    ...(version === undefined ? {} : { version }),
    ...(task_queue === undefined ? {} : { task_queue }),
    run: (args) => args,
  });

/** A yes to it counts for a millisecond only. */
const hasty = defineTool({
  name: "pay",
  signature: "(order :int, cents :int) -> :map",
  effect: "irreversible",
  approval: { validFor: 1 },
  run: (args) => args,
});
const look = defineTool({ name: "look", effect: "read", approval: true, run: () => "seen" });

const PROGRAMS = [
  '(return (task "pay_7" (tool/pay {:order 7 :cents 1000})))',
  "(return (:message data/fail))",
  "(return (:message data/fail))",
].map(fenced);

/** Its first answer is no JSON: nobody knows what became of the call. */
const noted = () => {
  let calls = 0;
  return defineTool({
    name: "note",
    signature: "(text :string) -> :string",
    effect: "write",
    approval: true,
    run: () => (calls++ === 0 ? 1n : "noted"),
  });
};
const NOTE = fenced('(return (tool/note {:text "a"}))');

const rig = (more: Partial<RecordingRig> = {}): RecordingRig => ({ script: PROGRAMS, people: () => TEAM, ...more });

const opened = (run: { reviews(): Promise<Review[]> }): Promise<Review> =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "a review opens");

const yes = ({ id, seal }: Review, more: Partial<Decision> = {}): Decision => ({
  review: id,
  choice: "approve",
  by: "anna",
  ...(seal === undefined ? {} : { seal }),
  ...more,
});

const start = (
  { client }: Rig,
  tools: ReturnType<typeof pay>[],
  more: Partial<StartAgent> = {},
): Promise<AgentHandle> =>
  client.startAgent({
    ...more,
    id: randomUUID(),
    agent: agent({ max_turns: 4, tools: tools.map(({ spec }) => spec) }),
    model: "scripted",
  });

/** A payment that people decide about, on the workers of the mission. */
function payment(name: string, people: (run: AgentHandle, review: Review) => Promise<unknown>): Recording {
  return {
    name,
    rig: rig({ tools: [pay()] }),
    run: async (opening) => {
      const run = await start(opening, [pay()]);
      await people(run, await opened(run));
      await run.result();
      return [run.workflow.workflowId];
    },
  };
}

/** The tool is on workers of its own, which are away between the yes and the call. */
function apart(
  name: string,
  people: (run: AgentHandle, review: Review) => Promise<unknown>,
  version?: string,
): Recording {
  const queue = `tools-${name}`;
  return {
    name,
    rig: rig(),
    run: async (missions) => {
      const place = { namespace: missions.client.temporal.options.namespace, taskQueue: queue, people: () => TEAM };
      const before = await openRig({ ...place, tools: [pay(queue)] });
      const run = await start(missions, [pay(queue)]);
      const review = await opened(run);
      await before.stop();
      await people(run, review);
      const after = await openRig({ ...place, tools: [pay(queue, version)] });
      await run.result();
      await after.stop();
      return [run.workflow.workflowId];
    },
  };
}

/** Signed and refused decisions, and calls after them. */
export const VERIFIED_RECORDINGS: Recording[] = [
  payment("verified-call-signed", async (run, review) => {
    await expect(run.decide(yes(review))).rejects.toMatchObject({ code: "unverified_decision" });
    await run.signalDecide(yes(review));
    await until(async () => (await run.status()).refused_signals === 1, "the unsigned signal is counted");
    const wrong = await signDecision(yes(review), ben);
    await expect(run.decide(wrong)).rejects.toMatchObject({ code: "bad_signature" });
    await run.signalDecide(await signDecision(yes(review, { via: "signal" }), anna));
  }),
  payment("verified-votes-at-once", async (run, review) => {
    const votes = Array.from({ length: 12 }, (_, i) => yes(review, { by: `voter-${i}` }));
    await Promise.allSettled([
      ...votes.map((vote) => run.decide(vote)),
      run.decide(await signDecision(yes(review), anna)),
    ]);
  }),
  {
    name: "verified-requested-by",
    rig: rig({ tools: [pay()] }),
    run: async (opening) => {
      const run = await start(opening, [pay()], { requested_by: "ben" });
      const review = await opened(run);
      await expect(run.decide(await signDecision(yes(review, { by: "ben" }), ben))).rejects.toMatchObject({
        code: "self_approval",
      });
      await run.decide(await signDecision(yes(review), anna));
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    // Nobody knows what became of the first call. The next turn makes it again, after another yes.
    name: "verified-call-lost-and-approved-again",
    rig: rig({ tools: [noted()], script: [NOTE, NOTE] }),
    run: async (opening) => {
      const run = await start(opening, [noted()]);
      const first = await opened(run);
      await run.decide(await signDecision(yes(first), anna));
      const again = await until(
        async () => (await run.reviews()).find(({ id, status }) => status === "open" && id !== first.id),
        "the call is asked about again",
      );
      await run.decide(await signDecision(yes(again), anna));
      expect((await run.result()).return).toBe("noted");
      return [run.workflow.workflowId];
    },
  },
  {
    name: "verified-hand-over-to-nobody",
    rig: rig({ tools: [pay()] }),
    run: async (opening) => {
      const asking = agent({ max_turns: 4, tools: [pay().spec], people: { assignees: ["anna"] } });
      const run = await opening.client.startAgent({ id: randomUUID(), agent: asking, model: "scripted" });
      const review = await opened(run);
      const handOver = (to: string) => signDecision(yes(review, { choice: HAND_OVER, value: { to } }), anna);
      await expect(run.decide(await handOver("bne"))).rejects.toMatchObject({
        code: "not_found",
        message: expect.stringContaining("There are: anna, ben."),
      });
      await run.decide(await handOver("ben"));
      await run.decide(await signDecision(yes(review, { by: "ben" }), ben));
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  apart("verified-call-withdrawn", async (run, review) => {
    await run.decide(await signDecision(yes(review), anna));
    await run.decide(await signDecision(yes(review, { choice: WITHDRAW }), anna));
  }),
  apart(
    "verified-call-of-another-version",
    async (run, review) => run.decide(await signDecision(yes(review), anna)),
    "2",
  ),
  {
    // The call begins too late after the yes, so it is asked about again.
    name: "verified-yes-too-old",
    rig: rig({ tools: [hasty] }),
    run: async (opening) => {
      const run = await start(opening, [hasty]);
      const first = await opened(run);
      await run.decide(await signDecision(yes(first), anna));
      const again = await opened(run);
      expect(again.id).not.toBe(first.id);
      await run.decide(await signDecision(yes(again, { choice: "reject" }), anna));
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "verified-read",
    rig: rig({ tools: [look], script: [fenced("(return (tool/look {}))")] }),
    run: async (opening) => {
      const run = await start(opening, [look]);
      await run.decide(await signDecision(yes(await opened(run)), anna));
      expect((await run.result()).return).toBe("seen");
      return [run.workflow.workflowId];
    },
  },
  {
    name: "verified-record",
    rig: rig({ script: ["(return {:status :waiting})", '(return (task "paid" nil))'].map(fenced) }),
    run: async ({ client }) => {
      const run = await client.startAgent({ id: randomUUID(), agent: agent({ max_turns: 4 }), model: "scripted" });
      await until(async () => (await run.status()).state === "waiting", "the mission parks");
      await expect(run.recordDecision({ id: "paid", value: 7, by: "anna" })).rejects.toMatchObject({
        code: "unverified_decision",
      });
      await run.signalDecision({ id: "paid", value: 7, by: "anna" });
      await until(async () => (await run.status()).refused_signals === 1, "the unsigned record is counted");
      await run.recordDecision({ id: "paid", value: 7, by: "anna" }, { key: anna });
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "verified-gate",
    rig: rig(),
    run: async ({ client }) => {
      const definition = definitionOf({
        id: "release",
        nodes: {
          start: { type: "start" },
          approval: { type: "gate", name: "Release?", review: { assignees: ["anna"] } },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "approval" },
          { from: "approval", to: "done", on: "passed" },
        ],
      });
      const task = await client.startTask({
        task: newTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" }, definition, Date.now()),
        definition,
        model: "scripted",
      });
      const review = await opened(task);
      await expect(task.decide(yes(review, { choice: "passed" }))).rejects.toMatchObject({
        code: "unverified_decision",
      });
      await expect(task.advance({ result: "passed" })).rejects.toMatchObject({ code: "unverified_decision" });
      await task.decide(await signDecision(yes(review, { choice: "passed" }), anna));
      await task.result();
      return [task.workflow.workflowId];
    },
  },
];
