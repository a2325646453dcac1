import type { AgentInput } from "../../../../src/core/agent/definition/agent-input";
import { successTurn, type TurnCall, type TurnDraft } from "../../../../src/core/agent/result/turn";
import { AgentRun } from "../../../../src/core/agent/run/agent-run";
import { failedEnd, type ModeOf, type ModeRun, type OpenTurn, type TurnEnd } from "../../../../src/core/agent/run/mode";
import type { AgentState } from "../../../../src/core/agent/run/run";
import { failed, ok, type Result } from "../../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../../src/core/base/json";
import type { Journal } from "../../../../src/core/journal/journal";
import { agentOf, hostOf } from "./mission";

/**
 * A third mode is one object: here a model answers with one line, `TOOL NUMBER NUMBER ...` for a call with each number, or
 * `done NUMBER`. The loop gives it turns, records, pauses and the Step.
 */
const lineMode: ModeOf = (run) => ({
  get system() {
    return run.state.prompt === null ? "" : "Answer with one line: TOOL NUMBER ..., or done NUMBER.";
  },
  refusal: () => (run.state.work_left > 0 ? null : { reason: "max_turns_exceeded", message: "No line with done." }),
  opening: () => ({ prompt: run.input.agent.prompt, messages: [{ role: "user", content: run.input.agent.prompt }] }),
  ask() {
    return { system: this.system, messages: run.state.messages, output: "text", tool_names: [...run.tools.keys()] };
  },
  reply({ content }, draft) {
    const [word = "", ...numbers] = content.split(" ");
    if (word !== "done") return new Line(run, draft, { word, numbers: numbers.map(Number), calls: [] });
    const value = Number(numbers[0]);
    if (Number.isNaN(value)) return failedEnd(draft, { reason: "parse_error", message: `no number: ${content}` });
    return { turn: successTurn(draft.opening, value, draft.params), value, fail: null };
  },
  restored: (written) => new Line(run, written.turn, (written as unknown as { line: WrittenLine }).line),
  usage: () => ({ schema_used: true }),
});

interface WrittenLine {
  word: string;
  numbers: number[];
  /** Calls that were made. */
  calls: TurnCall[];
}

/** The calls of one line, one after the other. Before each it may pause. */
class Line implements OpenTurn<TurnCall[]> {
  isPaused = true;

  constructor(
    private readonly run: ModeRun,
    private readonly draft: TurnDraft,
    private readonly line: WrittenLine,
  ) {}

  async advance(): Promise<TurnCall[] | null> {
    const { line, run } = this;
    while (line.calls.length < line.numbers.length) {
      if (run.host.shouldPause?.(0)) return null;
      this.isPaused = false;
      line.calls.push(await this.call(line.numbers[line.calls.length] as number));
      this.isPaused = true;
    }
    return line.calls;
  }

  private async call(n: number): Promise<TurnCall> {
    const { host, state, calls } = this.run;
    const journal = this.run.journal as Journal;
    const name = this.line.word;
    const task = `${name} ${n}`;
    const args = { n };
    const record = { name, args, error: null, timestamp: host.now(), duration_ms: 0 };
    if (journal.has(task)) return { ...record, result: journal.get(task), cached: true };
    const { answer } = await calls.call({ name, args, task, turn: state.turn, call: this.line.calls.length + 1 });
    if (!answer.ok) return { ...record, result: null, error: answer.fail.message };
    journal.commit(task, answer.value, { calls: [{ tool: name, args }] });
    return { ...record, result: answer.value };
  }

  end(calls: TurnCall[]): TurnEnd {
    const { draft } = this;
    const { notConfigured } = this.run.calls;
    draft.params.tool_calls = calls;
    if (notConfigured) return failedEnd(draft, notConfigured);
    const content = calls.map(({ result, error }) => error ?? JSON.stringify(result)).join(" ");
    return {
      turn: successTurn(draft.opening, null, draft.params),
      next: ({ work }) => [draft.said, { role: "user", content: `${content} (${work} left)` }],
    };
  }

  recheck(): void {}

  state(): { line: WrittenLine } {
    return { line: this.line };
  }
}

interface Given {
  journal?: JsonObject;
  /** Pauses before each call, and continues from the state as JSON. */
  pausing?: boolean;
  max_turns?: number;
  /** Of the tool; absent = the sum of all numbers. */
  answer?: Result<Json>;
}

async function mission(says: string[], { journal = {}, pausing = false, max_turns = 3, answer }: Given = {}) {
  let sum = 0;
  const add = ({ n }: JsonObject) => {
    sum += Number(n);
    return answer ?? ok(sum);
  };
  const memory = hostOf(says, { add });
  // Each run may make one call.
  let mayCall = true;
  const shouldPause = () => {
    const pauses = pausing && !mayCall;
    mayCall = false;
    return pauses;
  };
  const host = Object.assign(Object.create(memory), { shouldPause });
  const agent = agentOf({ output: "text", max_turns, tools: [{ name: "add", effect: "write" }] });
  const input: AgentInput = { agent, context: {}, journal, model: "scripted" };
  const open: { line: WrittenLine }[] = [];
  let run = new AgentRun(lineMode, host, input);
  for (;;) {
    const step = await run.turn();
    if (step !== null) return { step, open, run, sent: memory.sent, called: memory.toolCalls };
    if (!run.isOpen) continue;
    expect(run.isPaused).toBe(true);
    const written = JSON.stringify(run.state);
    open.push(JSON.parse(written).open);
    run = new AgentRun(lineMode, host, input, JSON.parse(written) as AgentState);
    mayCall = true;
  }
}

const SAYS = ["add 1 2 3", "add 4", "done 10"];

test("a mode that is one object gets turns, records, effects, messages and its Step from the loop", async () => {
  const { step, sent, called, run } = await mission(SAYS);
  expect(step).toMatchObject({ return: 10, fail: null, journal: { "add 1": 1, "add 2": 3, "add 3": 6, "add 4": 10 } });
  expect(step.usage).toMatchObject({ turns: 3, schema_used: true });
  expect(step.turns?.map(({ tool_calls }) => tool_calls.length)).toEqual([3, 1, 0]);
  expect(called.map(({ args, task }) => [args.n, task])).toEqual([1, 2, 3, 4].map((n) => [n, `add ${n}`]));
  expect(run.ledger.entries().map(({ state, turn }) => [state, turn])).toEqual([1, 1, 1, 2].map((n) => ["done", n]));
  expect(sent.map(({ system }) => system)).toEqual(
    Array(3).fill("Answer with one line: TOOL NUMBER ..., or done NUMBER."),
  );
  expect(sent.at(-1)?.messages.map(({ content }) => content)).toEqual([
    ...["Do it.", "add 1 2 3", "1 3 6 (2 left)", "add 4", "10 (1 left)"],
  ]);
});

test("a run that stops before each call and continues from its state ends like one that was left alone", async () => {
  const alone = await mission(SAYS);
  const stopped = await mission(SAYS, { pausing: true });
  expect(stopped.open.map(({ line }) => line.calls.length)).toEqual([1, 2, 0]);
  expect(stopped.step).toEqual(alone.step);
  expect(stopped.called).toEqual(alone.called);
  expect(stopped.sent).toEqual(alone.sent);
});

test("the next mission with its journal makes no call that is recorded", async () => {
  const { step } = await mission(SAYS);
  const again = await mission(["add 2 5", "done 1"], { journal: step.journal as JsonObject });
  expect(again.called.map(({ args }) => args.n)).toEqual([5]);
  expect(again.step.turns?.[0]?.tool_calls.map(({ result }) => result)).toEqual([3, 5]);
});

test.each([
  { end: "a refused turn", says: ["add 1", "add 2"], given: { max_turns: 2 }, reason: "max_turns_exceeded", turns: 2 },
  { end: "a reply that does not fit", says: ["done soon"], given: {}, reason: "parse_error", turns: 1 },
  {
    end: "a call that no worker can make",
    says: ["add 1"],
    given: { answer: failed("configuration_error", "no key") },
    reason: "configuration_error",
    turns: 1,
  },
])("$end ends the run with its reason", async ({ says, given, reason, turns }) => {
  const { step } = await mission(says, given);
  expect([step.fail?.reason, step.turns?.length]).toEqual([reason, turns]);
});
