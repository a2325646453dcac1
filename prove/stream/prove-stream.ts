import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess, type WorkerProcess } from "../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../src/client/client";
import { agentWorkflowId } from "../../src/core/base/ids";
import type { StreamedCall } from "../../src/core/history/stream/transcript";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { Stage } from "../../src/testing/stage";
import type { Proof, ProofContext, ProofServer } from "../frame/proof";
import type { SizesOf } from "../frame/sizes";
import { whenInterrupted } from "../rig/interrupted";
import { WebProcess } from "../rig/web-process";
import { EventReader } from "./event-reader";
import { readerFaults } from "./reader-faults";
import type { STREAM_SIZES } from "./sizes";
import { attemptOf, spokenAnswer } from "./talker";

export interface StreamOptions {
  /** The text that a reader received at the end; tests change it. */
  received?: (text: string) => string;
}

/** So much may a history grow by a stream that is kept, in bytes. */
const MAX_GROWTH = 50_000;
const MODEL = "prove/talker";

const agent = defineAgent("Talk.", { name: "talker", output: "text" });

/**
 * One mission whose model sends many tokens. Its worker is killed in the middle of the answer, the web server as well, and the reader
 * is cut off; the text that it ends with is that of the answer in the history. The same mission without a stream shows how much
 * the history grew.
 */
export const proveStream =
  ({ received = (text) => text }: StreamOptions = {}): Proof<typeof STREAM_SIZES> =>
  async (context) => {
    const stage = await StreamStage.open(context.server(), context.sizes.tokens);
    try {
      return await new StreamProof(context, stage, received).run();
    } finally {
      await stage.close();
    }
  };

class StreamProof {
  private readonly figures = {
    tokens: 0,
    tokens_read: 0,
    pieces: 0,
    attempts: 0,
    retried: 0,
    drops: 0,
    connections: 0,
    worker_kills: 0,
    web_kills: 0,
    history_bytes: 0,
    history_growth_bytes: 0,
  };

  constructor(
    private readonly context: ProofContext<SizesOf<typeof STREAM_SIZES>>,
    private readonly stage: StreamStage,
    private readonly received: (text: string) => string,
  ) {}

  async run() {
    const { tokens, kills } = this.context.sizes;
    const mission = await this.stage.begin();
    const accidents = this.accidents();
    const trouble: Promise<void>[] = [];
    const reader = new EventReader(this.stage.events(mission.workflowId), (call) => {
      const due = call === undefined ? undefined : accidents.due(call);
      if (due === undefined) return;
      if (due === "drop") {
        this.figures.drops += 1;
        reader.drop();
      } else trouble.push(this.kill(due));
      this.context.progress(accidents.happened, accidents.all);
      if (accidents.happened === accidents.all) this.stage.letEnd();
    });
    if (accidents.all === 0) this.stage.letEnd();
    const [step] = await Promise.all([mission.result(), reader.read()]);
    await Promise.all(trouble);
    const answer = String(step.return);
    const late = new EventReader(this.stage.events(mission.workflowId));
    await late.read();
    if (step.fail !== null) this.broken(`The mission failed: ${step.fail.message}`, "the mission");
    this.judge(reader, answer, "the reader that was cut off");
    this.judge(late, answer, "a reader that came at the end");
    if (answer !== spokenAnswer(attemptOf(answer), tokens))
      this.broken("The answer is not the text of one attempt.", "the answer");
    const dropped = reader.call?.dropped.length ?? 0;
    if (dropped < kills) this.broken(`Of ${kills} attempts that were lost, ${dropped} were reported.`, "retried parts");
    await this.compareHistory(mission.workflowId, answer);
    Object.assign(this.figures, {
      tokens,
      tokens_read: this.received(reader.call?.text ?? "").split(" ").length - 1,
      pieces: reader.received.pieces,
      connections: reader.received.connections,
      attempts: reader.call?.attempt ?? 0,
      retried: dropped,
    });
    return this.figures;
  }

  private judge({ call, received: { twice } }: EventReader, answer: string, who: string): void {
    const text = this.received(call?.text ?? "");
    for (const fault of readerFaults({ text, state: call?.state, twice }, answer)) this.broken(fault, who);
  }

  private async compareHistory(workflowId: string, answer: string): Promise<void> {
    const withStream = await this.stage.historyBytes(workflowId);
    const without = await this.stage.historyBytes(await this.stage.withoutStream(answer));
    this.figures.history_bytes = withStream;
    this.figures.history_growth_bytes = withStream - without;
    if (withStream - without >= MAX_GROWTH)
      this.broken(`The history has ${withStream} bytes, and ${without} without a stream.`, "the history");
  }

  private async kill(what: "worker" | "web"): Promise<void> {
    if (what === "worker") {
      await this.stage.killWorker();
      this.figures.worker_kills += 1;
      return;
    }
    await this.stage.killWeb();
    this.figures.web_kills += 1;
  }

  /** What happens, and when: the attempt, and the tokens before it. */
  private accidents() {
    const { tokens, drops, kills } = this.context.sizes;
    const random = this.context.random(0);
    const ends = random.list(kills, () => random.int(Math.ceil(tokens * 0.3), Math.ceil(tokens * 0.7)));
    const planned: Accident[] = ends.flatMap((at, attempt) => [
      { attempt, at, what: "worker" as const },
      { attempt: attempt + 1, at: random.int(Math.ceil(tokens * 0.1), Math.ceil(tokens * 0.25)), what: "web" as const },
    ]);
    for (const number of random.list(drops, (index) => index)) {
      const attempt = number % (kills + 1);
      const end = ends[attempt] ?? tokens * 0.9;
      planned.push({ attempt, at: random.int(1, Math.max(1, Math.floor(end * 0.95))), what: "drop" });
    }
    return new Accidents(planned);
  }

  private broken(what: string, where: string): void {
    this.context.violation({ what, where, case: null, smallest: { ...this.context.sizes } });
  }
}

interface Accident {
  /** From 0 on, in the order in which attempts were received. */
  attempt: number;
  /** Tokens of that attempt. */
  at: number;
  what: "drop" | "worker" | "web";
}

/** The accidents of a run. Each happens once. */
class Accidents {
  readonly all: number;

  constructor(private readonly planned: Accident[]) {
    this.all = planned.length;
    planned.sort((a, b) => a.attempt - b.attempt || a.at - b.at);
  }

  get happened(): number {
    return this.all - this.planned.length;
  }

  /** What is to happen now; undefined: nothing. */
  due({ text, dropped, state }: StreamedCall): Accident["what"] | undefined {
    const [next] = this.planned;
    if (next === undefined || state !== "open" || next.attempt > dropped.length) return undefined;
    // Attempts that are over keep their accidents: drops and kills are counted.
    if (next.attempt === dropped.length && tokensIn(text) < next.at) return undefined;
    this.planned.shift();
    return next.what;
  }
}

const tokensIn = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) count += 1;
  return count;
};

/** A server, a worker and a web server of the proof. */
class StreamStage {
  private readonly stay: () => void;

  private constructor(
    private readonly server: ProofServer,
    private readonly client: NavigatorClient,
    private readonly connection: Connection,
    private readonly web: WebProcess,
    private worker: WorkerProcess,
    private readonly launch: () => Promise<WorkerProcess>,
    private readonly mayEnd: string,
    private readonly remove: () => void,
  ) {
    this.stay = whenInterrupted(() => {
      remove();
      process.kill(this.worker.pid, "SIGKILL");
    });
  }

  static async open(server: ProofServer, tokens: number): Promise<StreamStage> {
    const folder = mkdtempSync(path.join(tmpdir(), "navigator-prove-"));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    const mayEnd = path.join(folder, "may-end");
    const config = `module.exports = { models: { "${MODEL}": require(${JSON.stringify(built())}).talker(${tokens}, ${JSON.stringify(mayEnd)}) } };\n`;
    writeFileSync(path.join(folder, "navigator.config.cjs"), config);
    const taskQueue = `prove-stream-${randomUUID()}`;
    const env = {
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: server.namespace,
      NAVIGATOR_HOME: path.join(folder, "home"),
      NAVIGATOR_PROJECT: "none",
      NAVIGATOR_TASK_QUEUE: taskQueue,
    };
    const launch = () => startWorkerProcess({ config: folder, taskQueue, env });
    const connection = await Connection.connect({ address: server.address });
    const client = new NavigatorClient(new Client({ connection, namespace: server.namespace }), taskQueue);
    const [web, worker] = await Promise.all([WebProcess.open({ env: { ...process.env, ...env }, folder }), launch()]);
    return new StreamStage(server, client, connection, web, worker, launch, mayEnd, remove);
  }

  async begin() {
    const run = await this.client.startAgent({
      id: `prove-stream-${randomUUID()}`,
      agent,
      model: MODEL,
      journal: null,
    });
    return { workflowId: run.workflow.workflowId, result: () => run.result() };
  }

  events(workflowId: string): { url: string; token: string } {
    return { url: `${this.web.url}/api/runs/${encodeURIComponent(workflowId)}/events`, token: this.web.token };
  }

  /** The model may send the end of its answer. */
  letEnd(): void {
    writeFileSync(this.mayEnd, "");
  }

  async killWorker(): Promise<void> {
    await this.worker.kill();
    this.worker = await this.launch();
  }

  killWeb(): Promise<void> {
    return this.web.kill();
  }

  /** The same mission, whose worker keeps no stream. @returns its workflow id */
  async withoutStream(answer: string): Promise<string> {
    const stage = await Stage.open(this.server);
    try {
      const id = `prove-stream-${randomUUID()}`;
      await stage.run(agent, { script: [answer], journal: null, id });
      return agentWorkflowId(id);
    } finally {
      await stage.close();
    }
  }

  async historyBytes(workflowId: string): Promise<number> {
    return Buffer.byteLength(JSON.stringify(await this.client.runs(workflowId)));
  }

  async close(): Promise<void> {
    this.stay();
    await Promise.all([this.web.close(), this.worker.stop()]);
    await this.connection.close();
    this.remove();
  }
}

/** The model as a module that a worker process can load: in this folder, or in dist when it runs from the sources. */
function built(): string {
  const found = [
    path.join(__dirname, "talker.js"),
    path.join(__dirname, "..", "..", "dist", "prove", "stream", "talker.js"),
  ].find(existsSync);
  if (found === undefined) throw new Error("There is no built command: run `npm run build` first.");
  return found;
}
