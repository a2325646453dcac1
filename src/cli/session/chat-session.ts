import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { postChatMessage, readChat } from "../../client/chat/chat-log";
import type { Budget } from "../../core/agent/definition/agent-input";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { joinLines } from "../../core/base/one-line";
import { shortened } from "../../core/base/whole-characters";
import { textOf } from "../../core/history/stream/answer-text";
import type { ConversationItem } from "../../core/history/stream/conversation";
import { reviewKind } from "../../core/review/kinds";
import { createLogger } from "../../node/log";
import { loadConfig } from "../../node/settings";
import { shellWord } from "../../node/shell-word";
import { openStreams } from "../../node/streams/open-store";
import { loadProject, type Project } from "../../project/load";
import { shortModelNames } from "../../project/short-model-names";
import { followConversation } from "../../web/events/conversation-feed";
import { MissionTails } from "../../web/events/mission-tail";
import { budgetArgument } from "../input/arguments";
import { modelOf } from "../input/model-name";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { reportBlocked } from "./notices";
import { type Session, withSession } from "./session";
import { requester } from "./signing";
import { withWorker } from "./watch-run";

/** Options of `navigator chat`. */
export interface ChatOptions {
  id?: string;
  model?: string;
  /** Of each answer. */
  budget?: string;
  config?: string;
  /** The command brings its own worker. */
  worker: boolean;
}

/** Talks until the input ends. @returns whether every message has an answer */
export async function chat(io: CommandIo, name: string | undefined, options: ChatOptions): Promise<boolean> {
  const budget = budgetArgument(options.budget);
  const config = loadConfig();
  const project = await loadProject(options.config ?? process.cwd(), { log: createLogger(config.logLevel) });
  try {
    const agent = await agentOf(project, name);
    const choice = { option: options.model, agent: [agent.model].flat()[0], config };
    const model = modelOf(choice, project.models, options.worker);
    if (options.worker) await project.openTools();
    const requested_by = await requester(io);
    let isWhole = true;
    await withSession(io, "start", async (session) => {
      const talk = async () => {
        const one = new Chat(io, session, {
          ...defined({ id: options.id, requested_by, budget }),
          project,
          agent,
          model,
        });
        isWhole = await one.talk();
      };
      await (options.worker ? withWorker(session, project, talk) : talk());
      return EXIT.done;
    });
    return isWhole;
  } finally {
    await project.close();
  }
}

async function agentOf(project: Project, name: string | undefined): Promise<AgentDefinition> {
  if (name !== undefined) return project.agent(name);
  const agents = Object.entries(project.agents);
  const inText = agents.filter(([, { output }]) => output === "text");
  const [only] = inText.length === 1 ? inText : agents;
  if (only !== undefined && (inText.length === 1 || agents.length === 1)) return only[1];
  throw new NavigatorError("bad_usage", "No agent is named, and the project has several.", {
    hint:
      agents.length === 0
        ? "The project has no agents: name a file."
        : `Name one: ${agents.map(([one]) => one).join(", ")}`,
    exitCode: 2,
    details: { path: "AGENT" },
  });
}

interface ChatSettings extends Pick<ChatOptions, "id"> {
  project: Project;
  agent: AgentDefinition;
  model: string;
  requested_by?: string;
  budget?: Budget;
}

class Chat {
  private readonly id: string;
  /** The number of the last message. */
  private last = 0;
  private isWhole = true;

  constructor(
    private readonly io: CommandIo,
    private readonly session: Session,
    private readonly settings: ChatSettings,
  ) {
    this.id = settings.id ?? randomUUID().slice(0, 8);
  }

  async talk(): Promise<boolean> {
    const { io, settings } = this;
    // From here on no line of the input is lost.
    const lines = createInterface({
      input: process.stdin,
      ...(process.stdin.isTTY ? { output: process.stderr, prompt: "> " } : {}),
    });
    const input = lines[Symbol.asyncIterator]();
    // A terminal in raw mode turns no key into a signal.
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    try {
      if (settings.id !== undefined) await this.goOn(settings.id);
      const name = settings.agent.name ?? "the agent";
      io.err(
        `Chat ${this.id} with ${name}. To continue later: navigator chat ${shellWord(settings.agent.name ?? "AGENT")} --id ${shellWord(this.id)}`,
      );
      for (;;) {
        if (process.stdin.isTTY) lines.prompt();
        const { value: line, done } = await input.next();
        if (done) return this.isWhole;
        if (String(line).trim() !== "") await this.send(String(line));
      }
    } finally {
      lines.close();
    }
  }

  /** Shows where an earlier chat is. What is being answered is waited for. */
  private async goOn(id: string): Promise<void> {
    const before = await readChat(this.session.client, id);
    const last = before.at(-1);
    if (last === undefined) return;
    this.last = last.number;
    if (last.message !== null) this.io.err(`> ${last.message}`);
    if (last.state === "running") await this.answer(last);
    else this.io.err(last.answer ?? `error [${last.fail?.reason}] ${last.fail?.message}`);
  }

  private async send(message: string): Promise<void> {
    const { agent, model, project, requested_by, budget } = this.settings;
    const { number, run } = await postChatMessage(this.session.client, {
      chat: this.id,
      agent,
      message,
      after: this.last,
      model,
      llm_registry: shortModelNames(project.models),
      ...defined({ requested_by, budget }),
    });
    this.last = number;
    await this.answer({ number, workflow_id: run.workflow.workflowId });
  }

  /** Shows an answer as it comes. */
  private async answer({ number, workflow_id }: { number: number; workflow_id: string }): Promise<void> {
    const { client, config, namespace, encoding } = this.session;
    const streams = await openStreams(config, encoding);
    const tails = new MissionTails(
      async () => client.temporal,
      () => {},
    );
    const blocked = reportBlocked(this.io, client, workflow_id);
    const shown = new ShownAnswer(this.io, { number, workflow_id });
    try {
      const place = { namespace, workflowId: workflow_id };
      const following = followConversation({ tails, reads: streams, streams }, place, new AbortController().signal);
      for await (const { items } of following) for (const item of items) shown.take(item);
    } finally {
      await blocked.stop();
      tails.close();
      await streams.close();
    }
    this.isWhole &&= shown.isWhole;
  }
}

/** One answer in the terminal: its text on stdout, all else on stderr. */
class ShownAnswer {
  isWhole = true;
  private text = "";
  /** The beginning of the message that is being received. */
  private from = 0;
  private readonly calls = new Map<string, string>();

  constructor(
    private readonly io: CommandIo,
    private readonly about: { number: number; workflow_id: string },
  ) {}

  take(item: ConversationItem): void {
    const { io } = this;
    switch (item.type) {
      case "message":
        if (this.text !== "") this.add("\n");
        this.from = this.text.length;
        return;
      case "text":
        return this.add(item.text);
      case "retried":
        this.text = this.text.slice(0, this.from);
        return io.isShown ? io.err("(it broke off, and begins anew)") : undefined;
      case "tool":
        this.calls.set(item.id, `${item.name} ${short(JSON.stringify(item.args))}`);
        return;
      case "tool_result":
        return this.result(
          item.id,
          item.answer.ok ? short(textOf(item.answer.value)) : `error: ${short(item.answer.message)}`,
        );
      case "asked":
        this.calls.set(item.review.id, reviewKind(item.review).about(item.review.data).tool ?? item.review.title);
        io.err(`Waiting for a person: ${joinLines(item.review.title)}  (${decideCommand(item.review)})`);
        return;
      case "refused":
        return this.result(item.review, "not made: nobody approved it");
      case "over":
        return this.over(item);
      default:
        return;
    }
  }

  private add(piece: string): void {
    this.text += piece;
    // A file or a pipe gets what counts, at the end.
    if (this.io.isShown) this.io.outPiece(piece);
  }

  private result(id: string, outcome: string): void {
    this.io.err(this.io.color.dim(`  ${this.calls.get(id) ?? "the call"} -> ${outcome}`));
  }

  private over({ end }: ConversationItem & { type: "over" }): void {
    const { io, about, text } = this;
    if (end.state === "completed") {
      if (io.isShown && !io.json) io.outPiece("\n");
      else io.event({ ...about, answer: text }, () => text);
      return;
    }
    this.isWhole = false;
    const fail = end.state === "failed" ? end.fail : { reason: "cancelled", message: "Somebody cancelled it." };
    if (io.json) io.event({ ...about, fail }, () => "");
    else io.err(`error [${fail.reason}] ${fail.message}`);
  }
}

const SHORT = 160;
const short = (text: string): string => {
  const line = joinLines(text);
  return shortened(line, SHORT);
};

const decideCommand = ({ id, choices }: { id: string; choices: string[] }): string =>
  `navigator review decide ${shellWord(id)} ${choices.map(shellWord).join("|")}`;
