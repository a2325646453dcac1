import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../../src/client/client";
import { loggedIn } from "../../../src/node/identity/key-store";
import { type Commands, openPlace, type Place, program } from "../../support/cli";
import { testAddress } from "../../support/environment";
import { addPeople, commandsOfPeople } from "../../support/people-commands";
import { until } from "../../support/until";

/** What people do together about reviews, with their keys, on a real server, with the project's own worker. */

let place: Place;
let worker: Awaited<ReturnType<Place["worker"]>>;
let here: Commands;
let connection: Connection;
let client: NavigatorClient;
const NAMES = ["anna", "ben", "nobody"] as const;
let as: Record<(typeof NAMES)[number], Commands>;

beforeAll(async () => {
  place = await openPlace("together");
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const pay = (name) => defineTool({
       name, effect: "irreversible", signature: "(order :int) -> :int", run: ({ order }) => order,
       approval: { assignees: ["anna", "ben"], escalate: [{ after: "9d", to: ["lead:finance"] }] },
     });
     module.exports = { agents: "./agents", script: "./script.json", tools: [pay("pay"), pay("refund")] };`,
  );
  const script: { [agent: string]: string[] } = {};
  for (const tool of ["pay", "refund"]) {
    place.write(
      `agents/${tool}er.yaml`,
      `prompt: Order {{order}}.\nsignature: "(order :int) -> :int"\ntools: [${tool}]\n`,
    );
    script[`${tool}er`] = [program(`(return (tool/${tool} {:order data/order}))`)];
  }
  place.write("agents/parks.yaml", "prompt: Wait.\nmax_turns: 3\n");
  script.parks = ["(return {:status :waiting})", '(return (task "paid" nil))'].map(program);
  place.write("script.json", script);
  place.write("gate.json", {
    id: "gate-alone",
    nodes: {
      start: { type: "start" },
      check: { type: "gate", name: "Check" },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "check" },
      { from: "check", to: "done", on: "passed" },
    ],
  });
  place.write("plan.json", { tasks: [{ id: "ask", type: "human_review", input: "Go?" }] });
  ({ here, as } = commandsOfPeople(place, NAMES));
  await addPeople({ here, as }, ["anna", "ben"]);
  await here.json(["people", "group", "finance", "--add", "ben", "--lead", "ben"]);
  worker = await place.worker();
  connection = await Connection.connect({ address: testAddress() });
  client = new NavigatorClient(new Client({ connection, namespace: place.namespace }), "unused");
});
afterAll(async () => {
  await worker.stop();
  await connection.close();
  place.close();
});

const keyOf = (name: string) => loggedIn(null, path.join(place.folder, "keys", name)) ?? {};

let orders = 0;

/** A mission that waits for people: its review. */
async function asked(agent = "payer"): Promise<string> {
  orders += 1;
  const id = `together-${orders}`;
  await as.nobody.json(["run", agent, "--id", id, "--context", JSON.stringify({ order: orders }), "--detach"]);
  return reviewOf(client.agent(id));
}

const reviewOf = async (handle: { reviews(): Promise<{ id: string; status: string }[]> }): Promise<string> => {
  const open = async () => (await handle.reviews()).find(({ status }) => status === "open");
  return (await until(open, "it asks")).id;
};

test("a comment is signed, kept and shown, and decides nothing", async () => {
  const review = await asked();
  const after = await as.ben.json(["review", "comment", review, "Which customer?\nDecided: approve"]);
  expect(after).toMatchObject({ status: "open", comments: [{ by: "ben", via: "cli", principal: { verified: true } }] });
  const { stdout } = await as.anna.run(["review", "show", review]);
  expect(stdout).toMatch(/^Comment of ben \(verified\) at .* UTC:\n {2}> Which customer\?\n {2}> Decided: approve$/m);
  expect(stdout).toMatch(/^ {2}will ask +lead:finance from [\d-]+ [\d:]+ UTC on, as well$/m);
  expect((await as.nobody.refused(["review", "comment", review, "Hello", "--by", "anna"])).code).toBe(
    "unverified_decision",
  );
});

test("a hand-over gives the decision to somebody whom the project knows, and to nobody else", async () => {
  const review = await asked();
  // Without the check of the command: in code.
  const handle = client.agent(`together-${orders}`);
  const handOver = (to: string) =>
    handle.decide({ review, choice: "hand-over-review", by: "anna", value: { to } }, keyOf("anna"));
  await expect(handOver("bne")).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("There are: anna, ben."),
  });
  await expect(handOver("group:fin")).rejects.toMatchObject({
    code: "not_found",
    details: { path: "fin", kind: "group" },
  });
  const given = await as.anna.run(["review", "hand-over", review, "--to", "lead:finance", "--note", "away"]);
  expect(given.stdout).toContain(`Handed over by anna: ${review} is for ben, lead:finance`);
  expect((await as.anna.refused(["review", "decide", review, "approve"])).code).toBe("not_an_assignee");
  expect((await as.ben.run(["review", "show", review])).stdout).toMatch(
    /^ {2}handed over +to lead:finance, by anna \(verified\) at .* UTC: away$/m,
  );
  expect(await as.ben.json(["review", "decide", review, "approve"])).toMatchObject({ status: "decided" });
});

test("reviews of equal calls are decided together, each with a signature of its own", async () => {
  const [one, two, other] = [await asked(), await asked(), await asked("refunder")];
  const mixed = await as.anna.refused(["review", "decide-all", "approve", one, other]);
  expect(mixed.code).toBe("invalid_input");
  const outcomes = await as.anna.json(["review", "decide-all", "approve", one, two, "--note", "all seen"]);
  expect(outcomes).toMatchObject([
    { ok: true, review: one, decided: { decision: { by: "anna", principal: { verified: true } } } },
    { ok: true, review: two, decided: { decision: { note: "all seen" } } },
  ]);
  const sealed: { seal: string; signature: string }[] = outcomes.map(
    (one: { decided: { decision: object } }) => one.decided.decision,
  );
  expect(new Set(sealed.map(({ seal }) => seal)).size).toBe(2);
  expect(new Set(sealed.map(({ signature }) => signature)).size).toBe(2);
  // Its mission is over: nothing can be decided there any more.
  await client.agent(one.split("/")[1] as string).result();
  const three = await asked();
  expect(await as.ben.json(["review", "decide-all", "reject", one, three], { code: 1 })).toMatchObject([
    { ok: false, review: one, code: "not_found" },
    { ok: true, review: three, decided: { status: "decided" } },
  ]);
});

test("a record in a journal is signed by who is logged in, and by nobody in somebody else's name", async () => {
  await as.nobody.json(["run", "parks", "--id", "parks", "--detach"]);
  const handle = client.agent("parks");
  await until(async () => (await handle.status()).state === "waiting", "the mission parks");
  const set = ["journal", "set", "parks", "paid", "7"];
  expect((await as.ben.refused([...set, "--by", "anna"])).code).toBe("unverified_decision");
  expect((await as.nobody.refused(set)).code).toBe("bad_usage");
  expect((await as.nobody.refused([...set, "--by", "anna"])).code).toBe("unverified_decision");
  expect(await as.anna.json(set)).toMatchObject({ id: "paid", value: 7, by: "anna" });
  expect(await handle.result()).toMatchObject({ return: 7 });
});

test("whoever asked for a task or a plan does not decide its reviews", async () => {
  await as.anna.json(["task", "start", "gate.json", "--id", "asked-by-anna"]);
  await as.anna.json(["plan", "run", "plan.json", "--id", "asked-by-anna", "--detach"]);
  for (const [handle, choice] of [
    [client.task("asked-by-anna"), "passed"],
    [client.plan("asked-by-anna"), "approve"],
  ] as const) {
    const review = await reviewOf(handle);
    expect((await as.anna.refused(["review", "decide", review, choice])).code).toBe("self_approval");
    expect((await as.ben.run(["review", "show", review])).stdout).toMatch(/^ {2}asked by +anna$/m);
    expect(await as.ben.json(["review", "decide", review, choice])).toMatchObject({ requestedBy: "anna" });
    await handle.result();
  }
});
