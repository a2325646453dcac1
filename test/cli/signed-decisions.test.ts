import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { loggedIn } from "../../src/node/identity/key-store";
import { type Commands, openPlace, type Place, program } from "../support/cli";
import { testAddress } from "../support/environment";
import { addPeople, commandsOfPeople } from "../support/people-commands";
import { until } from "../support/until";
import { whereOf } from "../support/where-of";

/** `navigator review decide` with a person's key, on a real server, with the project's own worker. */

let place: Place;
let worker: Awaited<ReturnType<Place["worker"]>>;
let here: Commands;
const NAMES = ["anna", "ben", "carl", "nobody"] as const;
let as: Record<(typeof NAMES)[number], Commands>;

beforeAll(async () => {
  place = await openPlace("signed");
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const { appendFileSync } = require("node:fs");
     const refund = (name, approval) => defineTool({
       name, approval, effect: "irreversible", signature: "(order :int, cents :int) -> :int",
       run: (args) => { appendFileSync(__dirname + "/calls.log", JSON.stringify(args) + "\\n"); return args.cents; },
     });
     module.exports = {
       agents: "./agents",
       script: "./script.json",
       tools: [refund("refund", { assignees: ["anna", "group:finance"] }), refund("refund_by_two", { quorum: 2 })],
     };`,
  );
  const script: { [agent: string]: string[] } = {};
  for (const [agent, tool] of Object.entries({ one: "refund", two: "refund_by_two" })) {
    place.write(
      `agents/${agent}.yaml`,
      `prompt: Refund order {{order}}.\nsignature: "(order :int) -> :int"\ntools: [${tool}]\n`,
    );
    script[agent] = [program(`(return (tool/${tool} {:order data/order :cents 900}))`)];
  }
  place.write("script.json", script);
  ({ here, as } = commandsOfPeople(place, NAMES));
  await addPeople({ here, as }, ["anna", "ben", "carl"]);
  await here.json(["people", "group", "finance", "--add", "ben"]);
  worker = await place.worker();
});
afterAll(async () => {
  await worker.stop();
  place.close();
});

let orders = 0;

/** A mission that waits for a decision: its order, and the id of its review. */
async function asked(agent = "one"): Promise<{ order: number; review: string; id: string }> {
  orders += 1;
  const id = `order-${orders}`;
  await as.nobody.json(["run", agent, "--id", id, "--context", JSON.stringify({ order: orders }), "--detach"]);
  const client = await navigator();
  const handle = client.agent(id);
  await until(async () => (await handle.status()).state === "waiting", "it asks");
  const [review] = await handle.reviews();
  return { order: orders, review: review?.id ?? "", id };
}

let connection: Connection;
async function navigator(): Promise<NavigatorClient> {
  connection ??= await Connection.connect({ address: testAddress() });
  return new NavigatorClient(new Client({ connection, namespace: place.namespace }), "unused");
}
afterAll(() => connection?.close());

const calls = (order: number): unknown[] => {
  const file = path.join(place.folder, "calls.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter((args) => args.order === order);
};
const called = (order: number) => until(async () => calls(order).length > 0, "the call is made");

describe("a decision with a key", () => {
  test("is that of the person who is logged in, and is shown as verified", async () => {
    const { order, review } = await asked();
    const shown = await as.anna.run(["review", "show", review]);
    const seal = /seal +([\w-]{43})\n/.exec(shown.stdout)?.[1] as string;
    expect(shown.stdout).toContain(`review decide ${review} approve --seal ${seal}\n`);
    const decided = await as.anna.json(["review", "decide", review, "approve", "--seal", seal]);
    expect(decided.decision).toMatchObject({ by: "anna", via: "cli", seal, principal: { id: "anna", verified: true } });
    await called(order);
    expect((await as.anna.run(["review", "show", review])).stdout).toContain("approve, by anna (verified)");
  });

  test("may change arguments alone: --set", async () => {
    const { order, review } = await asked();
    await as.ben.json(["review", "decide", review, "approve", "--set", "cents=500"]);
    await called(order);
    expect(calls(order)).toEqual([{ order, cents: 500 }]);
  });

  test("names what was seen: another seal is refused", async () => {
    const [one, other] = [await asked(), await asked()];
    const { review } = await as.anna.json(["review", "show", other.review]);
    const error = await as.anna.refused(["review", "decide", one.review, "approve", "--seal", review.seal]);
    expect(error.code).toBe("seal_mismatch");
    expect(calls(one.order)).toEqual([]);
  });

  test("counts as a signal, too", async () => {
    const { order, review } = await asked();
    await as.anna.json(["review", "decide", review, "approve", "--signal"]);
    await called(order);
  });

  test("a signal that is refused is told by review show and by the log, also without a worker", async () => {
    const { order, review, id } = await asked();
    const run = (await navigator()).agent(id);
    // Anybody who can write to the namespace can send one.
    await run.signalDecide({ review, choice: "approve", by: "anna", note: "quick" });
    await until(async () => (await run.status()).refused_signals === 1, "the signal is refused");
    await worker.stop();
    expect((await here.run(["review", "show", review])).stdout).toMatch(
      /refused +"approve", by "anna", as a signal at /,
    );
    expect((await here.json(["review", "show", review])).refused).toMatchObject([
      { said: { by: "anna", note: "quick" } },
    ]);
    expect((await here.run(["log", id])).stdout).toContain("signal decide: approve, by anna (quick), refused");
    worker = await place.worker();
    await as.anna.json(["review", "decide", review, "approve", "--signal"]);
    await called(order);
    const { refused } = await here.json(["review", "show", review]);
    expect(refused).toHaveLength(1);
    const log = (await here.run(["log", id])).stdout.split("\n").filter((line) => line.includes("signal decide"));
    expect(log.map((line) => line.includes("refused"))).toEqual([true, false]);
  });

  test("is refused for a name that one cannot sign, before anything is sent", async () => {
    const { order, review } = await asked();
    expect(await as.ben.refused(["review", "decide", review, "approve", "--by", "anna"])).toMatchObject({
      code: "unverified_decision",
      message: expect.stringContaining('logged in as "ben"'),
    });
    expect(await as.carl.refused(["review", "decide", review, "approve"])).toMatchObject({ code: "not_an_assignee" });
    expect(await as.nobody.refused(["review", "decide", review, "approve"])).toMatchObject({
      code: "bad_usage",
      details: { path: "--by" },
    });
    const unsigned = ["review", "decide", review, "approve", "--by", "anna"];
    expect(await as.nobody.refused(unsigned)).toMatchObject({ code: "unverified_decision" });
    expect(calls(order)).toEqual([]);
  });

  test("is taken back by the one who made it", async () => {
    const { order, review } = await asked("two");
    await as.anna.json(["review", "decide", review, "approve"]);
    expect(whereOf(await as.carl.refused(["review", "withdraw", review]))).toBe(`not_found decision ${review}`);
    expect((await as.anna.run(["review", "withdraw", review])).stdout).toMatch(/^Withdrawn: the decision of anna/);
    expect(await as.ben.json(["review", "decide", review, "approve"])).toMatchObject({ status: "open" });
    expect(calls(order)).toEqual([]);
    expect(await as.carl.json(["review", "decide", review, "approve"])).toMatchObject({ status: "decided" });
    await called(order);
  });

  test("is made in code with the same key", async () => {
    const { order, review, id } = await asked();
    const user = loggedIn(null, path.join(place.folder, "keys", "anna"));
    const handle = (await navigator()).agent(id);
    const decided = await handle.decide({ review, choice: "approve", by: "anna" }, user ?? {});
    expect(decided.decision).toMatchObject({ principal: { id: "anna", verified: true, via: "library" } });
    await called(order);
  });
});

test.each<[string[], string]>([
  [["--set", "cents"], "bad_usage --set"],
  [["--set", "=5"], "bad_usage --set"],
  [["--set", "cents=1", "--set", "cents=2"], "bad_usage --set"],
  [["--set", "cents=1", "--value", "{}"], "bad_usage --value"],
])("%j is refused as %s", async (args, where) => {
  expect(whereOf(await as.anna.refused(["review", "decide", "agent/x/y/1", "approve", ...args]))).toBe(where);
});

describe("the file of the people", () => {
  test("is read anew by a worker that runs: a revoked key counts no more, and a mistake lets nobody decide", async () => {
    const file = path.join(place.folder, "people.yaml");
    const sound = readFileSync(file, "utf8");
    const { order, review } = await asked();
    const { kid } = await as.ben.json(["whoami"]);
    await here.json(["people", "key", "ben", "revoke", kid]);
    expect((await as.ben.refused(["review", "decide", review, "approve"])).code).toBe("key_revoked");

    const elsewhere = place.write("elsewhere/people.yaml", sound);
    const decide = ["review", "decide", review, "approve", "--config", path.dirname(elsewhere)];
    for (const [spoilt, code] of [
      ["people: [", "invalid_input"],
      ["people: {}\n", "bad_project"],
    ] as const) {
      place.write("people.yaml", spoilt);
      expect((await as.anna.refused(decide)).code).toBe(code);
    }
    expect(calls(order)).toEqual([]);
    place.write("people.yaml", sound);
    await as.anna.json(decide);
    await called(order);
  });
});
