import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "../../src/core/base/json";
import type { SuiteSession } from "./suite";

/**
 * The world outside of Navigator: the suite's simulators behind HTTP, as a service of somebody else. It makes a call each time that it
 * is asked, whatever its key is. As payment services do, it gives the recorded answer once more to a key whose answer was
 * lost: the worker that had asked was killed, or Temporal says that this is another attempt of the same call.
 */

/** A call as a worker's tool sends it. */
export interface SentCall {
  /** The name of the agent. */
  agent: string;
  tool: string;
  args: JsonObject;
  key: string;
  attempt: number;
  /** Which process asks: a worker that is started again has another name. */
  worker: string;
}

/** A model call as a worker's model sends it. */
export interface SentPrompt {
  agent: string;
  call: number;
  parts: string[];
  reply: string;
}

/** What a conversation has done to the world. */
export class WorldSession {
  /** Which turn of the user is served now. */
  turn = 0;
  /** Calls that were made, in order, without those that only read. */
  readonly deeds: { tool: string; args: JsonObject }[] = [];
  /** Numbers of calls and of model calls, each counted once. */
  readonly keys = new Set<string>();
  readonly modelCalls = new Set<string>();
  private readonly listeners = new Set<() => void>();

  constructor(readonly suite: SuiteSession) {}

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** Resolves when so many calls and model calls were made. */
  reached(calls: number, modelCalls: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.keys.size < calls || this.modelCalls.size < modelCalls) return;
        this.listeners.delete(look);
        resolve();
      };
      this.listeners.add(look);
      look();
    });
  }
}

export interface WorldOptions {
  isRead(tool: string): boolean;
  /** Told of each call that was made, before it is answered. Whether the answer is lost. */
  onMade?(call: SentCall): Promise<boolean>;
  onPrompt?(prompt: SentPrompt): void;
}

export class OutsideWorld {
  /** Calls whose recorded answer was given once more. */
  repeated = 0;
  /** Calls that were made. */
  made = 0;
  /** What went wrong: nothing of it may be lost in an answer to a worker. */
  readonly problems: string[] = [];
  /** Workers that were killed. */
  readonly dead = new Set<string>();
  private readonly sessions = new Map<string, WorldSession>();
  private readonly answers = new Map<string, { worker: string; answer: Promise<Json> }>();
  private readonly server = createServer((request, response) => void this.serve(request, response));

  constructor(private readonly options: WorldOptions) {}

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** @param agents the names of the agents that serve it */
  add(agents: readonly string[], session: WorldSession): void {
    for (const agent of agents) this.sessions.set(agent, session);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    try {
      const answer = request.url === "/prompt" ? this.prompted(JSON.parse(body)) : await this.called(JSON.parse(body));
      if (answer === LOST) response.destroy();
      else response.end(JSON.stringify(answer));
    } catch (error) {
      this.problems.push(error instanceof Error ? error.message : String(error));
      response.writeHead(500).end("{}");
    }
  }

  private prompted(prompt: SentPrompt): Json {
    const session = this.sessionOf(prompt.agent);
    const id = `${prompt.agent}/${prompt.call}`;
    if (!session.modelCalls.has(id)) this.options.onPrompt?.(prompt);
    session.modelCalls.add(id);
    session.changed();
    return {};
  }

  private async called(call: SentCall): Promise<{ answer: Json } | typeof LOST> {
    const before = this.answers.get(call.key);
    if (before !== undefined && (this.dead.has(before.worker) || call.attempt > 1)) {
      this.repeated += 1;
      return { answer: await before.answer };
    }
    const session = this.sessionOf(call.agent);
    const answer = session.suite.call(session.turn, call.tool, call.args);
    this.answers.set(call.key, { worker: call.worker, answer });
    this.made += 1;
    if (!this.options.isRead(call.tool)) session.deeds.push({ tool: call.tool, args: call.args });
    const given = await answer;
    const isLost = (await this.options.onMade?.(call)) === true;
    session.keys.add(call.key);
    session.changed();
    return isLost ? LOST : { answer: given };
  }

  private sessionOf(agent: string): WorldSession {
    const session = this.sessions.get(agent);
    if (session === undefined) throw new Error(`Nobody has started the agent ${agent}.`);
    return session;
  }
}

const LOST = Symbol("lost");
