import { createHash } from "node:crypto";
import { wrongArguments } from "../../core/agent/tools/tool-arguments";
import { type Failure, failed, ok, type Result } from "../../core/base/failure";
import type { Json, JsonObject } from "../../core/base/json";
import type { ToolSpec } from "../../core/calls/tool";
import { canonicalJson } from "../../core/effects/canonical-json";
import type { ToolRequest } from "../../core/lisp/program";
import { sampleRecord } from "../../core/signature/example";
import { parseSignature } from "../../core/signature/parse";
import { makeStub, type ToolStub } from "../../simulate/tool-stubs";
import type { Tool } from "../../tools";
import { errorText, invokeTool } from "../../tools/invoke";

/** A call of a program in the playground. */
export interface PlaygroundCall {
  tool: string;
  args: JsonObject;
  effect: ToolSpec["effect"];
  /** Who answered: the request itself, a stub, a made-up value of the tool's type, or the tool. */
  from: "given" | "stub" | "sample" | "real";
  ok?: Json;
  fail?: Pick<Failure, "reason" | "message">;
  took_ms: number;
}

/** A call that would do something for real, and was not made. */
export interface CallToAnswer {
  tool: string;
  args: JsonObject;
  effect: ToolSpec["effect"];
  /**
   * `effect`: it is made once it is confirmed. `approval`: people must approve it, so that only a mission may make it. `later`: its
   * answer would come from outside.
   */
  why: "effect" | "approval" | "later";
}

/** The answer that a call is given. */
export type GivenAnswer = { tool: string; args: JsonObject } & ({ ok: Json } | { error: string });

/** How calls are answered. */
export interface CallRules {
  specs: ReadonlyMap<string, ToolSpec>;
  /** Each is used once, for an equal call, in this order. */
  answers: readonly GivenAnswer[];
  stubs: { readonly [tool: string]: ToolStub };
  /** The tools whose other calls are made for real. null: none is. */
  real: {
    find(name: string): Tool | undefined;
    /** The calls with effects that a person has agreed to: exactly these are made, each once. */
    confirmed: readonly { tool: string; args: JsonObject }[];
    /** The same for all requests about one run of the program: its calls have the same idempotency keys. */
    run: string;
  } | null;
}

/** Calls with effects wait until the person agrees. */
export class CallsWaiting extends Error {
  constructor(readonly waiting: CallToAnswer[]) {
    super("Calls with effects wait for a confirmation.");
  }
}

/** The longest time of a call of a tool that sets none, in ms. */
const CALL_MS = 60_000;

/** Answers the calls of one program, and keeps them. */
export class PlaygroundCalls {
  /** In the order of their requests. */
  readonly calls: PlaygroundCall[] = [];
  private readonly answers: GivenAnswer[];
  private readonly confirmed: { tool: string; args: JsonObject }[];
  private readonly stubs = new Map<string, (args: JsonObject) => Result<Json>>();
  private readonly made = new Map<string, number>();

  constructor(private readonly rules: CallRules) {
    this.answers = [...rules.answers];
    this.confirmed = [...(rules.real?.confirmed ?? [])];
    for (const [name, stub] of Object.entries(rules.stubs)) this.stubs.set(name, makeStub(name, stub));
  }

  /** Of the calls that are made together, either all are answered, or none is. @throws CallsWaiting */
  async answer(requests: readonly ToolRequest[], signal: AbortSignal): Promise<Result<Json>[]> {
    const planned = requests.map((request) => this.planned(request));
    const waiting = planned.flatMap(({ waiting: one }) => one ?? []);
    if (waiting.length > 0) throw new CallsWaiting(waiting);
    return Promise.all(
      planned.map(async ({ call, reply }) => {
        this.calls.push(call);
        const started = Date.now();
        const answer = await (reply as Reply)(signal);
        call.took_ms = Date.now() - started;
        if (answer.ok) call.ok = answer.value;
        else call.fail = { reason: answer.fail.reason, message: answer.fail.message };
        return answer;
      }),
    );
  }

  /** Who will answer a call, or why nobody may. */
  private planned({ name, args, task }: ToolRequest): { call: PlaygroundCall; reply?: Reply; waiting?: CallToAnswer } {
    const spec: ToolSpec = this.rules.specs.get(name) ?? { name, effect: "write" };
    const { effect } = spec;
    const about = { tool: name, args, effect };
    const key = this.keyOf(about);
    const from = (who: PlaygroundCall["from"], reply: Reply) => ({ call: { ...about, from: who, took_ms: 0 }, reply });
    const given = takeEqual(this.answers, about);
    if (given !== undefined) return from("given", async () => givenResult(given));
    const wrong = wrongArguments(spec, args);
    if (wrong !== null) return from("sample", async () => ({ ok: false, fail: wrong }));
    const stub = this.stubs.get(name);
    if (stub !== undefined) return from("stub", async () => stub(args));
    const tool = this.rules.real?.find(name);
    if (tool === undefined) return from("sample", async () => ok(sampleAnswer(spec, args)));
    const why = spec.approval ? "approval" : spec.completes_later ? "later" : effect === "read" ? null : "effect";
    if (why !== null && !(why === "effect" && takeEqual(this.confirmed, about) !== undefined))
      return { ...from("real", async () => ok(null)), waiting: { ...about, why } };
    return from("real", (signal) => callForReal(tool, args, { key, task: task ?? null, signal }));
  }

  /** The same for the same call of the same run, as often as the run is sent. */
  private keyOf({ tool, args }: { tool: string; args: JsonObject }): string {
    const call = `${tool} ${canonicalJson(args)}`;
    const nth = (this.made.get(call) ?? 0) + 1;
    this.made.set(call, nth);
    const digest = createHash("sha256").update(call).digest("hex").slice(0, 32);
    return `playground/${this.rules.real?.run}/${digest}/${nth}`;
  }
}

type Reply = (signal: AbortSignal) => Promise<Result<Json>>;

/** Takes the first of a list that is an equal call out of it. */
function takeEqual<T extends { tool: string; args: JsonObject }>(
  list: T[],
  { tool, args }: { tool: string; args: JsonObject },
): T | undefined {
  const at = list.findIndex((one) => one.tool === tool && canonicalJson(one.args) === canonicalJson(args));
  return at === -1 ? undefined : list.splice(at, 1)[0];
}

const givenResult = (given: GivenAnswer): Result<Json> =>
  "ok" in given ? ok(given.ok) : failed("tool_error", given.error, { tool: given.tool, code: "tool_error" });

/** A value of the type that the tool gives; its arguments, if it names no type. */
function sampleAnswer({ signature }: ToolSpec, args: JsonObject): Json {
  if (signature === undefined) return args;
  return sampleRecord([{ name: "answer", type: parseSignature(signature).output }]).answer as Json;
}

async function callForReal(
  tool: Tool,
  args: JsonObject,
  { key, task, signal }: { key: string; task: string | null; signal: AbortSignal },
): Promise<Result<Json>> {
  const time = AbortSignal.any([signal, AbortSignal.timeout(tool.spec.timeout_ms ?? CALL_MS)]);
  const call = {
    idempotencyKey: key,
    signal: time,
    heartbeat: () => {},
    attempt: 1,
    task,
    agent: null,
    turn: 1,
    token: "",
  };
  try {
    return await invokeTool(tool, args, call);
  } catch (error) {
    // It asks for another attempt, or took too long. Here nothing is tried again.
    return failed("tool_error", errorText(error), { tool: tool.spec.name, code: "tool_error" });
  }
}
