import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowHandle } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { alternate, type Sample } from "../measure";
import { approved } from "../missions";
import { refuseFailure } from "../run-mission";
import type { Comparison, Context } from "./context";
import { BY_HAND, side } from "./pair";

const mission = approved();
const LOOK_MS = 20;

/** From a person's yes to the end of the mission: the update, the approved call alone, and the result. */
export const approve: Comparison = {
  name: "approve",
  about: "time from a person's approval of a call to the mission's end",
  missions: [mission],
  async run(context) {
    const [ours, theirs] = await Promise.all([side(context, "navigator"), side(context, "by-hand", BY_HAND_OPTIONS)]);
    try {
      const measured = await alternate(context.quick ? 15 : 60, {
        ours: () => fromApproval(ours.start, (handle) => approveReview(context, handle)),
        theirs: () => fromApproval(theirs.start, approveByHand),
      });
      const row = { unit: "ms" as const, against: BY_HAND };
      return [
        { what: "approved to done", ...row, ours: measured.ours.ms, theirs: measured.theirs.ms, aim: { times: 1.5 } },
        {
          what: "  history events",
          ...row,
          unit: "events" as const,
          ours: measured.ours.events,
          theirs: measured.theirs.events,
        },
      ];
    } finally {
      await Promise.all([ours.worker.stop(), theirs.worker.stop()]);
    }
  },
};

const BY_HAND_OPTIONS = { workflow: "handWrittenApproval" } as const;

type Approve = () => Promise<unknown>;

async function fromApproval(
  start: Awaited<ReturnType<typeof side>>["start"],
  prepare: (handle: WorkflowHandle) => Promise<Approve>,
): Promise<Sample> {
  const handle = await start(mission);
  const decide = await prepare(handle);
  const before = performance.now();
  const [, result] = await Promise.all([decide(), handle.result()]);
  const ms = performance.now() - before;
  refuseFailure(mission, result);
  const { workflowExecutionInfo: info } = (await handle.describe()).raw;
  return { ms, events: Number(info?.historyLength), bytes: Number(info?.historySizeBytes) };
}

async function approveReview({ setting }: Context, { workflowId }: WorkflowHandle): Promise<Approve> {
  const reviewed = new NavigatorClient(setting.client, "none").reviewed(workflowId);
  for (;;) {
    const [review] = await reviewed.reviews();
    if (review !== undefined) return () => reviewed.decide({ review: review.id, choice: "approve", by: "anna" });
    await sleep(LOOK_MS);
  }
}

async function approveByHand(handle: WorkflowHandle): Promise<Approve> {
  while (!(await handle.query<boolean>("waits"))) await sleep(LOOK_MS);
  return () => handle.executeUpdate("approve", { args: ["anna"] });
}
