import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess, type WorkerProcess } from "../../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../../src/client/client";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { openPlace, program } from "../../support/cli";
import { agent } from "../../support/rig";

/**
 * Calls that have no activity of their own, whose worker is killed without a word in the middle: before the service has
 * acted, and after that but before its answer is there. Calls are made again, deeds are not.
 */
const CALLS = 12;

/** A payment service that acts once for each key. */
class Service {
  readonly requests: { n: number; key: string }[] = [];
  readonly charges = new Map<string, number>();
  /** How often the model was asked. */
  asked = 0;
  /** The same, when the first charge came: by then its reply is kept. */
  askedBefore: number | undefined;
  kill: (() => Promise<void>) | undefined;
  /** The request at which the worker dies, and when. */

  constructor(private readonly crashes: ReadonlyMap<number, "before" | "after">) {}

  answer(request: IncomingMessage): Promise<string> | string {
    if (request.url !== "/asked") return this.charge(request);
    this.asked += 1;
    // Before a charge a worker may count as lost on a busy machine: asked again, the model says the same.
    return JSON.stringify(this.askedBefore === undefined ? 1 : this.asked);
  }

  private async charge(request: IncomingMessage): Promise<string> {
    const key = String(request.headers["idempotency-key"]);
    const n = Number(new URL(request.url as string, "http://localhost").searchParams.get("n"));
    this.requests.push({ n, key });
    this.askedBefore ??= this.asked;
    const crash = this.crashes.get(this.requests.length);
    if (crash === "before") await this.kill?.();
    else if (!this.charges.has(key)) this.charges.set(key, n);
    if (crash === "after") await this.kill?.();
    return JSON.stringify({ tx: `tx_${n}` });
  }
}

interface Case {
  name: string;
  /** Asked behind a charge, the model writes another program: it is not asked again then. Default: a script. */
  model?: "changing";
  /** What the tool says of itself. */
  tool: string;
  program: string;
  /** Each worker is killed once at most: by one of the requests that are under way together. */
  crashes: [request: number, when: "before" | "after"][];
  answer: (n: number) => unknown;
}

const CASES: Case[] = [
  {
    name: "a chain of idempotent calls",
    tool: 'effect: "idempotent"',
    program: `(return (map (fn [n] [(tool/look {:n n}) (task (str "c" n) (get (tool/charge {:n n}) "tx"))]) (range ${CALLS})))`,
    crashes: [
      [3, "before"],
      [8, "after"],
      [14, "after"],
    ],
    answer: (n) => [n, `tx_${n}`],
  },
  ...(["write", "idempotent"] as const).map(
    (effect): Case => ({
      name: `a turn with calls that are ${effect === "write" ? "writes" : effect}`,
      model: "changing",
      tool: `effect: "${effect}"`,
      program: `(return (map (fn [n] (task (str "c" n) (get (tool/charge {:n n}) "tx"))) (range ${CALLS})))`,
      crashes: [
        [1, "before"],
        [2, "after"],
        [8, "after"],
      ],
      answer: (n) => `tx_${n}`,
    }),
  ),
  {
    name: "a batch",
    tool: 'effect: "write", batch: true',
    program: `(return (pmap (fn [n] (task (str "c" n) (get (tool/charge {:n n}) "tx"))) (range ${CALLS})))`,
    crashes: [[CALLS, "after"]],
    answer: (n) => `tx_${n}`,
  },
];

const TOOLS = ({ tool, program }: Case) => `
const { defineTool } = require("navigator-agents");
module.exports = {
  script: "./script.json",
  models: {
    "acme/changing": {
      complete: async () => {
        const asked = await (await fetch(process.env.SERVICE_URL + "/asked")).json();
        return { content: asked === 1 ? ${JSON.stringify(program)} : "(tool/charge {:n 99})" };
      },
    },
  },
  tools: [
    defineTool({
      name: "charge",
      ${tool},
      signature: "(n :int) -> {tx :string}",
      run: async ({ n }, { idempotencyKey, signal }) => {
        const headers = { "idempotency-key": idempotencyKey };
        const answer = await fetch(process.env.SERVICE_URL + "/charge?n=" + n, { method: "POST", headers, signal });
        return answer.json();
      },
    }),
    defineTool({ name: "look", effect: "read", signature: "(n :int) -> :int", run: ({ n }) => n }),
  ],
};`;

test.each(CASES)("a worker killed in the middle of $name repeats calls with their keys, and no deed", async (one) => {
  const { name, crashes, answer } = one;
  const taskQueue = `killed-${name}`;
  const service = new Service(new Map(crashes));
  // Connections stay open: one that is closed as a busy worker sends its next call would fail it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void Promise.resolve(service.answer(request)).then((answer) =>
      response.setHeader("content-type", "application/json").end(answer),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const place = await openPlace("calls-killed");
  const written = program(one.program);
  place.write("navigator.config.cjs", TOOLS({ ...one, program: written }));
  place.write("script.json", [{ content: written }]);
  const address = process.env.TEMPORAL_ADDRESS as string;
  const launch = () =>
    startWorkerProcess({
      config: place.folder,
      taskQueue,
      env: {
        TEMPORAL_ADDRESS: address,
        SERVICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        NODE_PATH: path.join(__dirname, "..", "..", "..", ".."),
      },
    });
  let worker: WorkerProcess = await launch();
  let next: Promise<unknown> = Promise.resolve();
  let kills = 0;
  service.kill = async () => {
    await worker.kill();
    kills += 1;
    next = launch().then((started) => {
      worker = started;
    });
  };
  const connection = await Connection.connect({ address });
  try {
    const client = new NavigatorClient(new Client({ connection }), taskQueue);
    const run = await client.startAgent({
      agent: agent({
        name: "payer",
        prompt: "You charge.",
        max_turns: 1,
        pmap_max_concurrency: CALLS,
        tools: ["charge", "look"],
      }),
      model: one.model === "changing" ? "acme/changing" : "scripted",
    });
    const step = await run.result();
    expect(step.return).toEqual(Array.from({ length: CALLS }, (_, n) => answer(n)));
    expect(kills).toBe(crashes.length);
    expect(service.asked).toBe(service.askedBefore);
    expect(service.asked > 0).toBe(one.model === "changing");

    // Each charge once, though its call was made more than once.
    expect([...service.charges.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_, n) => n));
    expect(service.requests.length).toBeGreaterThan(CALLS);
    const keys = new Set(service.requests.map(({ n, key }) => `${n} ${key}`));
    expect(keys.size).toBe(CALLS);

    // Live, and from the history alone.
    const effects = await run.effects();
    expect(effects.map(({ state }) => state)).toEqual(Array.from({ length: CALLS }, () => "done"));
    expect(new Set(effects.map(({ key }) => key))).toEqual(new Set(service.charges.keys()));
    expect(projectEffects(await client.history(run.workflow.workflowId))).toEqual(effects);
  } finally {
    await next;
    await worker.stop();
    await connection.close();
    server.closeAllConnections();
    server.close();
  }
});
