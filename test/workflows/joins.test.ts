import { randomUUID } from "node:crypto";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { agent, fenced, openRig, type Rig } from "../support/rig";

/** Starts with an id that exists: the same work is joined, other work is refused. */

let rig: Rig;
const one = agent({ name: "one", prompt: "Answer {{n}}." });
beforeAll(async () => {
  rig = await openRig({ script: { one: [fenced("(return data/n)")], two: [fenced("(return 2)")] } });
});
afterAll(() => rig.stop());

const start = (id: string, n: number, more: object = {}) =>
  rig.client.startAgent({ id, agent: one, context: { n }, model: "scripted", ...more });

async function refusal(call: () => Promise<unknown>) {
  const error = (await call().catch((thrown: unknown) => thrown)) as NavigatorError;
  expect(error).toBeInstanceOf(NavigatorError);
  expect(error.code).toBe("id_in_use");
  expect(error.hint).toContain("--join");
  return error.details?.differs;
}

test("of 50 starts at once with different contexts one wins, and all others are refused with what differs", async () => {
  const id = randomUUID();
  const all = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => start(id, n)));
  const won = all.filter(({ status }) => status === "fulfilled");
  expect(won).toHaveLength(1);
  const codes = all.flatMap((one) => (one.status === "rejected" ? [(one.reason as NavigatorError).code] : []));
  expect(new Set(codes)).toEqual(new Set(["id_in_use"]));
});

test("starts that ask for the same are one run, while it runs and when it is over", async () => {
  const id = randomUUID();
  const all = await Promise.all(Array.from({ length: 10 }, () => start(id, 7)));
  for (const run of all) expect(await run.result()).toMatchObject({ return: 7 });
  expect(await (await start(id, 7)).result()).toMatchObject({ return: 7 });
  expect(await refusal(() => start(id, 8))).toEqual(["context.n"]);
  expect(await (await start(id, 8, { join: true })).result()).toMatchObject({ return: 7 });
});

test("another agent, model or option is named", async () => {
  const id = randomUUID();
  await start(id, 1);
  expect(await refusal(() => start(id, 1, { agent: agent({ name: "two", prompt: "Other." }) }))).toEqual(["agent"]);
  expect(await refusal(() => start(id, 1, { token_limit: 5, on_waiting: "return" }))).toEqual([
    "on_waiting",
    "options.token_limit",
  ]);
});

test("plans follow the same rule", async () => {
  const id = randomUUID();
  const plan = (input: string) => ({ id, plan: { tasks: [{ id: "sum", agent: "direct", input }] } });
  expect(await (await rig.client.startPlan(plan("(+ 1 2)"))).result()).toMatchObject({ status: "ok" });
  await rig.client.startPlan(plan("(+ 1 2)"));
  expect(await refusal(() => rig.client.startPlan(plan("(+ 1 3)")))).toEqual(["plan"]);
  await rig.client.startPlan({ ...plan("(+ 1 3)"), join: true });
});
