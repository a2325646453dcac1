import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { openPlace, type Place, writeProject } from "../support/cli";
import { testAddress } from "../support/environment";

/** Two projects on one server, with the same agents, graphs and ids: each is served and seen by itself. */
const UNSET = { NAVIGATOR_PROJECT: "", NAVIGATOR_TASK_QUEUE: "" };
/** Servers of other test runs are not this one's, but earlier runs of this file may have used it. */
const MARK = Date.now().toString(36);
const SHOP = `shop-${MARK}`;
const BANK = `bank-${MARK}`;

let shop: Place;
let bank: Place;
const workers: { stop(): Promise<unknown> }[] = [];

beforeAll(async () => {
  shop = await openPlace("project-shop", UNSET);
  bank = await openPlace("project-bank", { ...UNSET, TEMPORAL_NAMESPACE: shop.namespace });
  for (const [place, name] of [
    [shop, `@acme/${SHOP}`],
    [bank, BANK],
  ] as const) {
    writeProject(place);
    place.write("package.json", { name: name.replace("@acme/", "") });
  }
  workers.push(await shop.startWorker(), await bank.startWorker());
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  for (const place of [shop, bank]) place?.close();
});

const TASKS = (about: string) => [
  { id: "t1", issueId: about, workflowType: "order", currentStep: "pack" },
  { id: "t2", issueId: about, workflowType: "order", currentStep: "pack" },
];
const idsOf = (list: { tasks: { [status: string]: { id: string; issueId: string }[] } }) =>
  Object.values(list.tasks)
    .flat()
    .map(({ id, issueId }) => `${issueId} ${id}`)
    .sort();

test("both run a mission with the same id, each on its own worker", async () => {
  const run = (place: Place) => place.here().json(["run", "charge", "--id", "order-1", "--context", '{"order_id": 1}']);
  for (const place of [shop, bank]) expect((await run(place)).step).toMatchObject({ return: { tx: "tx_1" } });
  // The key of a call begins with the workflow's id.
  const logOf = async (place: Place, id: string) => (await place.here().run(["log", id])).stdout;
  const { readFileSync } = await import("node:fs");
  const keys = [shop, bank].map((place) => readFileSync(`${place.folder}/calls.log`, "utf8").trim());
  expect(keys.map((key) => key.replace(/~[\w-]{43}~/, "~id~"))).toEqual(
    [SHOP, BANK].map((name) => `charge_card ${name}:agent/order-1~id~1`),
  );
  for (const id of ["order-1", "agent/order-1", `${BANK}:agent/order-1`])
    expect(await logOf(bank, id)).toContain("charge_order_1");
});

test("each lists, loads and replaces only its own tasks", async () => {
  for (const [place, about] of [
    [shop, "SHOP"],
    [bank, "BANK"],
  ] as const) {
    await place.here().json(["workflow", "load", "graph.json"]);
    place.write("tasks.json", TASKS(about));
    expect(await place.here().json(["task", "load", "tasks.json"])).toMatchObject({ loaded: 2, total: 2 });
  }
  expect(idsOf(await shop.here().json(["task", "list"]))).toEqual(["SHOP t1", "SHOP t2"]);
  expect(idsOf(await bank.here().json(["task", "list"]))).toEqual(["BANK t1", "BANK t2"]);
  expect(idsOf(await bank.here().json(["task", "list", "--project", SHOP]))).toEqual(["SHOP t1", "SHOP t2"]);

  shop.write("one.json", [{ ...TASKS("SHOP")[0] }]);
  const refused = await shop.here().refused(["task", "load", "one.json", "--replace"]);
  expect(refused).toMatchObject({ code: "confirmation_required", details: { removes: 1, tasks: ["t2"] } });
  expect(await shop.here().json(["task", "load", "one.json"])).toMatchObject({ loaded: 1, total: 2 });
  expect(await shop.here().json(["task", "load", "one.json", "--replace", "--yes"])).toMatchObject({
    loaded: 1,
    total: 1,
  });
  expect(idsOf(await shop.here().json(["task", "list"]))).toEqual(["SHOP t1"]);
  expect(idsOf(await bank.here().json(["task", "list"]))).toEqual(["BANK t1", "BANK t2"]);
});

test("the library finds the work of the project that it names, and all work under the name all", async () => {
  const connection = await Connection.connect({ address: testAddress() });
  const of = (project: string | null) =>
    new NavigatorClient(new Client({ connection, namespace: shop.namespace }), { project });
  try {
    expect(of(SHOP).taskQueue).toBe(`navigator-${SHOP}`);
    expect(await of(SHOP).has("agent/order-1")).toBe(true);
    expect(await of(null).has("agent/order-1")).toBe(false);
    expect(await of(null).has(`${SHOP}:agent/order-1`)).toBe(true);
    expect(() => of("The Shop")).toThrow('"The Shop" cannot be the name of a project.');
  } finally {
    await connection.close();
  }
});

test("doctor says which project a folder is", async () => {
  const { checks } = await shop.here().json(["doctor"]);
  const found = checks.find(({ name }: { name: string }) => name === "Project name").found;
  expect(found).toBe(`${SHOP}: workers serve the task queue navigator-${SHOP}, ids begin with ${SHOP}:`);
});
