import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { openPlace, type Place, program } from "../support/cli";
import { testAddress } from "../support/environment";
import { agent } from "../support/rig";
import { until } from "../support/until";

/**
 * A deploy that renames a tool, adds one and removes one, worker by worker, while missions run that need the old and the
 * new ones.
 */
const MISSIONS = 50;
const queue = `rolling-${randomUUID()}`;
let place: Place;
let connection: Connection;
let client: NavigatorClient;

const configOf = (tools: string[]) => `
  const { defineTool } = require("navigator-agents");
  const { appendFileSync } = require("node:fs");
  const tool = (name) => defineTool({
    name,
    effect: name === "look" ? "read" : "irreversible",
    run: (_args, call) => {
      appendFileSync(${JSON.stringify(`${place.folder}/calls.log`)}, name + " " + call.idempotencyKey + "\\n");
      return name;
    },
  });
  module.exports = { tools: ${JSON.stringify(tools)}.map(tool), script: "./script.json" };`;

const payments = (): string[] =>
  readFileSync(`${place.folder}/calls.log`, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("charge"));

/**
 * A server may give a call to a worker that listens no longer, and cannot know that it was never made: then the mission
 * asks a person. Here a person looks into the log of the calls, finds nothing, and has it made.
 */
async function withAnswers<T>(results: Promise<T>): Promise<T> {
  const answered = new Set<string>();
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  results.then(end, end);
  while (!isOver) {
    for (const { workflow_id, review } of (await client.openReviews()).open) {
      if (answered.has(review.id)) continue;
      answered.add(review.id);
      const { code, key } = review.data as { code: string; key: string };
      expect(code).toBe("unknown_outcome");
      expect(payments().filter((line) => line.endsWith(key))).toEqual([]);
      await client.agent(workflow_id).decide({ review: review.id, choice: "try_again", by: "ana" });
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return await results;
}

beforeAll(async () => {
  place = await openPlace("rolling", { NAVIGATOR_TASK_QUEUE: queue });
  place.write("calls.log", "");
  connection = await Connection.connect({ address: testAddress() });
  client = new NavigatorClient(new Client({ connection, namespace: place.namespace }), queue);
  const calls = (tool: string) => [program(`(return [(tool/look {}) (task "pay" (tool/${tool} {}))])`)];
  for (const folder of ["v1", "v2"])
    place.write(`${folder}/script.json`, { old: calls("charge"), new: calls("charge_card") });
  place.write("v1/navigator.config.cjs", configOf(["charge", "look"]));
  place.write("v2/navigator.config.cjs", configOf(["charge_card", "look"]));
});

afterAll(async () => {
  await connection?.close();
  place?.close();
});

test("no mission is lost, no turn is used up and no call is made twice", async () => {
  const version = (name: string) => place.startWorker(["--config", name]);
  const old = await Promise.all([version("v1"), version("v1")]);
  const spec = (name: string, effect: "read" | "irreversible") => ({ name, effect });
  const missions = await Promise.all(
    Array.from({ length: MISSIONS }, (_, i) => {
      const name = i % 2 === 0 ? "old" : "new";
      const tools = [spec("look", "read"), spec(name === "old" ? "charge" : "charge_card", "irreversible")];
      return client.startAgent({
        id: `${queue}-${i}`,
        agent: agent({ name, tools, max_turns: 1 }),
        model: "scripted",
      });
    }),
  );
  // Three workers serve the queue, two of the old version; then the new version takes the place of one and the other.
  const fresh = await version("v2");
  await old[0]?.stop();
  const second = await version("v2");
  await old[1]?.stop();
  // Only the new tool is there now: a mission that still needs the old one waits for it and says so.
  const late = await client.startAgent({
    id: `${queue}-late`,
    agent: agent({ name: "old", tools: [spec("look", "read"), spec("charge", "irreversible")], max_turns: 1 }),
    model: "scripted",
  });
  const blocked = await until(async () => {
    const { blocked: found } = await late.status();
    return found;
  }, "the late mission is blocked");
  expect(blocked.text).toBe("tool charge is on no worker");
  const back = await version("v1");
  const steps = await withAnswers(Promise.all([...missions, late].map((mission) => mission.result())));
  expect(steps.map(({ fail }) => fail)).toEqual(steps.map(() => null));
  expect(steps.every(({ usage }) => usage?.turns === 1 && usage.llm_requests === 1)).toBe(true);
  const paid = payments();
  expect(paid).toHaveLength(MISSIONS + 1);
  expect(new Set(paid).size).toBe(MISSIONS + 1);
  await Promise.all([fresh.stop(), second.stop(), back.stop()]);
});
