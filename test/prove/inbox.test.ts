import { defineProof } from "../../prove/frame/proof";
import { type ProofRun, runProof } from "../../prove/frame/run-proof";
import { inboxProof } from "../../prove/inbox/definition";
import { proveInbox } from "../../prove/inbox/prove-inbox";
import { type Course, runRequest } from "../../prove/inbox/run-request";
import { sized } from "../support/run/property";

/** The proof of the command, small, and on reviews that are broken on purpose. */

const prove = (requests: number, run: typeof runRequest = runRequest, more: Partial<ProofRun> = {}) =>
  runProof(defineProof({ ...inboxProof, load: async () => proveInbox({ run }) }), {
    seed: 1,
    sizes: { requests: String(requests), waiting: "0" },
    ...more,
  });

const changed =
  (change: (course: Course) => Course): typeof runRequest =>
  (one) => {
    const { course, counts } = runRequest(one);
    return { course: change(course), counts };
  };

test("generated requests end by their rules", async () => {
  const requests = sized(100, 400);
  const report = await prove(requests);
  expect(report.violations).toEqual([]);
  expect(report.figures.requests).toBe(requests);
});

test.each([
  {
    fault: "a reminder that comes twice",
    change: (course: Course) => course.flatMap((event) => (event.what === "reminded" ? [event, event] : [event])),
    says: "A reminder came twice",
  },
  {
    fault: "an end that does not come",
    change: (course: Course) => course.filter(({ what }) => what !== "decided"),
    says: "The request ended 0 times",
  },
  {
    fault: "a decision of somebody who may not decide",
    change: (course: Course) =>
      course.map((event) => (event.what === "refused" ? { ...event, what: "taken" as const } : event)),
    says: "takes another course than in its terms",
  },
])("$fault is found, with the smallest case", async ({ change, says }) => {
  const requests = sized(30, 60);
  const report = await prove(requests, changed(change));
  expect(report.ok).toBe(false);
  expect(report.violations[0]?.what).toContain(says);
  expect(report.violations[0]?.command).toMatch(
    new RegExp(`navigator prove inbox --seed 1 --requests ${requests} --waiting 0 --case \\d+`),
  );
});

test("a proof in which nothing happened says so", async () => {
  const report = await prove(1);
  expect(report.violations.map(({ what }) => what).join()).toContain('the figure "defaults" is 0');
});
