import { randomUUID } from "node:crypto";
import type { Result } from "../../src/core/base/failure";
import type { Json, JsonObject } from "../../src/core/base/json";
import { NavigatorError } from "../../src/core/base/navigator-error";
import type { EffectLookup } from "../../src/core/calls/host";
import { canonicalJson } from "../../src/core/effects/canonical-json";
import { effectId } from "../../src/core/effects/effect-id";
import { effectKey, undoKey } from "../../src/core/effects/effect-key";
import { memoryDocuments } from "../../src/node/encoding/storage/memory-documents";
import type { Tool, ToolContext } from "../../src/tools";
import { errorText, invokeTool, lookUpEffect, undoEffect } from "../../src/tools/invoke";
import type { AnnouncedCall, CallsOfProof } from "../frame/proof";
import type { ToolContract } from "../frame/report";

/** Documents of the calls: what a tool writes, the next one reads. */
const DOCUMENTS = memoryDocuments();
/** The time of a call whose tool sets none. */
const TIMEOUT_MS = 60_000;

/** The calls that the contract of each tool needs. Only the declarations of code can be asked: a tool needs a `lookup`. */
export function announcedCalls(tools: readonly Tool[], made: (tool: string) => JsonObject, { args }: CallsOfProof) {
  const names = tools.map(({ spec }) => spec.name);
  const unknown = Object.keys(args).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new NavigatorError(
      "bad_usage",
      `--args names ${unknown.join(", ")}, which the proof does not run on. It runs on ${names.join(", ")}.`,
      { details: { path: "--args" } },
    );
  const calls = tools.flatMap(({ spec, lookup }): AnnouncedCall[] =>
    lookup === undefined || spec.completes_later
      ? []
      : [
          {
            tool: spec.name,
            effect: spec.effect === "irreversible" ? "irreversible" : "write",
            args: args[spec.name] ?? made(spec.name),
            undo: spec.undo === true,
          },
        ],
  );
  if (calls.length > 0) return calls;
  throw new NavigatorError(
    "bad_usage",
    "--call-tools tries nothing on this project: no tool has a lookup and answers at once.",
    { details: { path: "--call-tools" } },
  );
}

/**
 * Runs a tool against its service and asks its lookup what it did: it must keep the word on which Navigator relies when an
 * answer is lost. An `irreversible` tool is called once.
 */
export async function proveContract(tool: Tool, args: JsonObject): Promise<ToolContract> {
  const contract = new Contract(tool, args);
  await contract.run();
  return contract.found;
}

class Contract {
  readonly found: ToolContract;
  private readonly id: string;

  constructor(
    private readonly tool: Tool,
    private readonly args: JsonObject,
  ) {
    this.id = effectId(tool.spec, args);
    this.found = { args, key: this.newKey(), checks: [], undone: false, remains: false, not_proved: null };
  }

  async run(): Promise<void> {
    const { found, tool, args } = this;
    const { key, checks } = found;
    // Without a lookup that answers, the call would be made for nothing.
    if (!(await this.isAbsent(key, "the lookup of a new key answers absent"))) return;
    const answer = await this.call(key);
    if (!answer.ok) return this.afterFailure(answer.fail);
    found.remains = true;
    await this.isFound(key, answer.value, "after the call, its lookup finds the answer");
    if (tool.spec.effect === "write") {
      const again = await this.call(key);
      const isSame = again.ok && isEqual(again.value, answer.value);
      checks.push({
        check: "a second call with the same key gives the same answer",
        ok: isSame,
        answer: answerText(again),
      });
      await this.isFound(key, answer.value, "after the second call, the lookup finds the first answer");
    }
    await this.isAbsent(this.newKey(), "the lookup of another key answers absent, although the arguments are the same");
    if (tool.undo !== undefined) await this.undone(key, args, answer.value);
  }

  private async afterFailure({ message, details }: { message: string; details?: JsonObject }): Promise<void> {
    const { found } = this;
    found.not_proved = `its call failed: ${message}`;
    const answer = await this.lookUp(found.key);
    found.remains = answer.state !== "absent";
    const isLost = details?.code === "unknown_outcome";
    found.checks.push({
      check: isLost ? "after a lost answer, the lookup knows" : "after a call that failed, the lookup answers absent",
      ok: isLost ? answer.state !== "unknown" : answer.state === "absent",
      answer: lookupText(answer),
    });
  }

  private async undone(key: string, args: JsonObject, result: Json): Promise<void> {
    const { tool, found } = this;
    const undo = () =>
      within(tool, (call) =>
        undoEffect(tool, args, result, { ...call, callKey: key, idempotencyKey: undoKey(key) }, passesNothing),
      );
    for (const check of ["the undo succeeds", "a second undo with the same key does, too"]) {
      const answer = await undo();
      found.checks.push({ check, ok: answer.ok, answer: answerText(answer) });
      if (!answer.ok) return;
    }
    found.undone = true;
    // No mission asks for this key again, so a lookup may still find it; but then nothing shows that it is gone.
    found.remains = (await this.lookUp(key)).state !== "absent";
  }

  private async isAbsent(key: string, check: string): Promise<boolean> {
    const answer = await this.lookUp(key);
    const ok = answer.state === "absent";
    this.found.checks.push({ check, ok, answer: lookupText(answer) });
    return ok;
  }

  private async isFound(key: string, value: Json, check: string): Promise<void> {
    const answer = await this.lookUp(key);
    const ok = answer.state === "found" && isEqual(answer.value, value);
    this.found.checks.push({ check, ok, answer: lookupText(answer) });
  }

  private call(key: string): Promise<Result<Json>> {
    const { tool, args } = this;
    return within(tool, (call) => invokeTool(tool, args, { ...call, idempotencyKey: key }, passesNothing));
  }

  private async lookUp(key: string): Promise<EffectLookup> {
    const { tool, args } = this;
    const answer = await within(tool, async (call) => {
      const value = await lookUpEffect(tool, args, { ...call, idempotencyKey: key }, passesNothing);
      return { ok: true, value } as Result<EffectLookup>;
    });
    return answer.ok ? answer.value : { state: "unknown", message: answer.fail.message };
  }

  private newKey(): string {
    return effectKey({ mission: `prove/${randomUUID()}`, id: this.id, lane: "", n: 1 });
  }
}

const passesNothing = () => false;
const isEqual = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

/** Calls a tool as a worker does, for as long as the tool may take. Who does not answer in time has an unknown outcome. */
async function within<T>(tool: Tool, call: (context: ToolContext) => Promise<Result<T>>): Promise<Result<T>> {
  const { name, timeout_ms = TIMEOUT_MS } = tool.spec;
  const lost = (message: string, code: string): Result<T> => ({
    ok: false,
    fail: { reason: "tool_error", message, details: { tool: name, code } },
  });
  const ending = new AbortController();
  const late = new Promise<Result<T>>((resolve) => {
    const timer = setTimeout(() => {
      resolve(lost(`it did not answer within ${timeout_ms} ms`, "unknown_outcome"));
      ending.abort();
    }, timeout_ms);
    ending.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  const context: ToolContext = {
    idempotencyKey: "",
    signal: ending.signal,
    heartbeat: () => {},
    attempt: 1,
    task: null,
    agent: null,
    turn: 1,
    token: "",
    documents: DOCUMENTS,
  };
  try {
    return await Promise.race([call(context), late]);
  } catch (error) {
    // A tool that asks for another attempt.
    return lost(errorText(error), "tool_error");
  } finally {
    ending.abort();
  }
}

/** Longer texts of services are cut. */
const MAX_ANSWER_CHARS = 300;
const answerText = (answer: Result<Json>): string =>
  (answer.ok ? JSON.stringify(answer.value) : answer.fail.message).slice(0, MAX_ANSWER_CHARS);

function lookupText(answer: EffectLookup): string {
  if (answer.state === "found") return `found ${JSON.stringify(answer.value)}`.slice(0, MAX_ANSWER_CHARS);
  const { message } = answer as { message?: string };
  return message === undefined ? answer.state : `${answer.state}: ${message}`.slice(0, MAX_ANSWER_CHARS);
}
