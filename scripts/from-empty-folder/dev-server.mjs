// `navigator dev` of the new project: a first mission, a typed agent that is added while it runs, and their approvals.
import { spawn } from "node:child_process";
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { run, runBeside, told } from "./commands.mjs";
import { startProvider } from "./provider.mjs";

const TYPED_AGENT = path.join(path.dirname(fileURLToPath(import.meta.url)), "typed-agent");
const KEY = "key-of-the-house";
const PROGRAM = `\`\`\`clojure
(def paid (task (str "refund_" data/order_id) (tool/refund_card {:order_id data/order_id :cents data/cents})))
(return {:receipt (:receipt paid) :is_justified true})
\`\`\``;

/** A running `navigator dev`. */
class DevServer {
  constructor(app, env) {
    Object.assign(this, { app, env });
    this.navigator = path.join(app, "node_modules", "navigator-agents", "dist", "cli", "main.js");
    const args = ["dev", "--json", "--page-port", "0", "--start", "refund", "--context", "@first-mission.json"];
    this.child = spawn(process.execPath, [this.navigator, ...args], {
      cwd: app,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.ended = new Promise((resolve) => this.child.once("exit", (code, signal) => resolve(code ?? signal)));
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  /** The next event that is so. */
  async next(event, isIt = () => true) {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`navigator dev ended without ${event}.`);
      const fact = JSON.parse(value);
      if (fact.event === "reload_failed") console.error(value);
      if (fact.event === event && isIt(fact)) return fact;
    }
  }

  /** Approves what waits next. @returns what its mission returned */
  async approveNext(waits = this.next("review_waits")) {
    const { review } = await waits;
    run(process.execPath, [this.navigator, "review", "decide", review, "approve", "--by", "anna"], {
      name: `navigator review decide ${review} approve --by anna`,
      cwd: this.app,
      env: this.env,
    });
    return (await this.next("completed")).value;
  }

  /** Ends it as Ctrl-C does. @returns its exit code */
  stop() {
    this.child.kill("SIGINT");
    return this.ended;
  }
}

export async function walkWithDevServer(app, env) {
  const since = Date.now();
  const provider = await startProvider(PROGRAM);
  const dev = new DevServer(app, env);
  let code;
  try {
    const ready = await dev.next("dev_ready");
    told("navigator dev: ready", since);
    const waits = await dev.next("review_waits");
    told("navigator dev: the first mission waits for a person", since, 60);
    expectEqual("The first mission returned", await dev.approveNext(waits), { refunded: true, receipt: "receipt-42" });
    told("navigator dev: the first mission is over", since);
    await addTypedAgent(dev, provider.url);
    await runTypedAgent(dev, provider, ready);
  } finally {
    provider.close();
    code = await dev.stop();
  }
  expectEqual("The exit code of navigator dev was", code, 0);
  told("navigator dev: stopped", since);
}

/** As its user does it: new files, and then the configuration names them. */
async function addTypedAgent(dev, url) {
  const since = Date.now();
  const { app } = dev;
  const put = (from, to) => copyFileSync(path.join(TYPED_AGENT, from), path.join(app, to));
  appendFileSync(path.join(app, ".env"), `HOUSE_URL=${url}\nGROQ_API_KEY=${KEY}\n`);
  put("agent.txt", "agents/assess.ts");
  put("start.txt", "start.ts");
  put("test.txt", "test/assess.test.ts");
  const config = path.join(app, "navigator.config.ts");
  const text = readFileSync(config, "utf8").replace(
    "agents: [refund]",
    'agents: [refund, assess],\n  models: { "house/house-1": house }',
  );
  writeFileSync(config, `import { assess, house } from "./agents/assess.ts";\n${text}`);
  await dev.next("reloaded", ({ files }) => files.includes("navigator.config.ts"));
  told("navigator dev: a typed agent and its model object are loaded", since);
}

async function runTypedAgent(dev, provider, { address, project }) {
  const [said, value] = await Promise.all([
    runBeside(process.execPath, ["--import", "tsx", "start.ts", address, project], {
      name: "node --import tsx start.ts",
      cwd: dev.app,
      env: dev.env,
    }),
    dev.approveNext(),
  ]);
  const returned = { receipt: "receipt-7", is_justified: true };
  expectEqual("The typed agent returned", value, returned);
  expectEqual("Its typed client was given", JSON.parse(said), returned);
  const [{ path: asked, authorization, model }, ...more] = provider.seen;
  expectEqual(
    "The model's provider was asked",
    { asked, authorization, model, more: more.length },
    { asked: "/chat/completions", authorization: `Bearer ${KEY}`, model: "house-1", more: 0 },
  );
}

function expectEqual(what, value, expected) {
  if (!isDeepStrictEqual(value, expected))
    throw new Error(`${what} ${JSON.stringify(value)}, not ${JSON.stringify(expected)}.`);
}
