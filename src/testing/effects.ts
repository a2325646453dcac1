import type { Json, JsonObject } from "../core/base/json";
import type { Documents } from "../core/calls/document";
import type { EffectLookup } from "../core/calls/host";
import { delay } from "../node/delay";
import { absent, answerOrDocument, errorText, found, type ToolContext, ToolFailure, type UndoContext } from "../tools";
import { type Fault, isLostWorker, isToolFault } from "./faults";
import type { PlayedTool } from "./tools";

/** One effect: a call of a tool, identified by its idempotency key. `result` or `error` is its last answer. */
export interface Effect {
  tool: string;
  args: JsonObject;
  /** Journal id of the innermost `(task id ...)` around the call. */
  task: string | null;
  key: string;
  /** How often the tool was called: above 1 if an answer was lost, or if the tool asked for another attempt. */
  attempts: number;
  result?: Json;
  error?: string;
  /** It was taken back. */
  undone?: true;
}

const LOST = "the outcome is unknown: the answer was lost. The effect may have happened.";

/** The tools of one test, their faults, and their effects. */
export class Effects {
  readonly list: Effect[] = [];
  /** Keys of the calls of each tool, in the order in which they came first. */
  private readonly calls = new Map<string, string[]>();
  private readonly left: Fault[];

  constructor(
    readonly tools: ReadonlyMap<string, PlayedTool>,
    faults: readonly Fault[],
    private readonly documents?: Documents,
  ) {
    this.left = [...faults];
    for (const fault of faults)
      if ("tool" in fault && !tools.has(fault.tool))
        throw new Error(`A fault names the tool "${fault.tool}", which has no stub.`);
  }

  /** Whether the worker is lost here; each loss happens once. */
  loses(when: "before" | "after", tool: string, key: string): boolean {
    const at = this.number(tool, key);
    return this.take(
      (fault) => isLostWorker(fault) && fault.lost === when && fault.tool === tool && (fault.call ?? 1) === at,
    );
  }

  /** Runs the tool, and throws the error that it throws. */
  async run(name: string, args: JsonObject, call: ToolContext): Promise<Json> {
    const tool = this.tools.get(name);
    if (!tool) throw new Error(`nothing answers for tool ${name} here`);
    const effect = this.entered(name, args, call);
    if (tool.remembers && effect.result !== undefined) return effect.result;
    try {
      const fault = this.fault(name, call.idempotencyKey);
      if (fault !== undefined) throw new Error(fault);
      const withDocuments = this.withDocuments(call);
      effect.result = await answerOrDocument(withDocuments, () => tool.run(args, withDocuments));
      delete effect.error;
    } catch (error) {
      effect.error = errorText(error);
      throw error;
    }
    if (tool.loses) throw new ToolFailure(LOST, { code: "unknown_outcome" });
    return effect.result;
  }

  /** What the tool knows of the call with this key: by its own `lookup`, else by what it did here. */
  async lookUp(name: string, key: string, args: JsonObject, call: ToolContext): Promise<EffectLookup> {
    const own = this.tools.get(name)?.lookup;
    if (own) return own(key, args, this.withDocuments(call));
    const { result, undone } = this.known(name, key) ?? {};
    return result === undefined || undone ? absent : found(result);
  }

  /** Takes the call with the key `call.callKey` back: by the tool's own `undo`, else by noting it. */
  async undo(name: string, args: JsonObject, result: Json, call: UndoContext): Promise<Json> {
    const answer = (await this.tools.get(name)?.undo?.(args, result, this.withDocuments(call))) ?? null;
    const effect = this.known(name, call.callKey);
    if (effect) effect.undone = true;
    return answer;
  }

  /** Like `run`, in real time: a slow stub really waits. */
  async runSlowly(name: string, args: JsonObject, call: ToolContext): Promise<Json> {
    await delay(this.tools.get(name)?.delay_ms ?? 0, call.signal);
    return this.run(name, args, call);
  }

  /** Hosts know no documents: they are the test's, and the same on every host. */
  private withDocuments<Call extends ToolContext>(call: Call): Call {
    return { ...call, documents: this.documents };
  }

  private entered(tool: string, args: JsonObject, { idempotencyKey: key, task }: ToolContext): Effect {
    this.number(tool, key);
    const known = this.known(tool, key);
    if (known) known.attempts += 1;
    else this.list.push({ tool, args, task, key, attempts: 1 });
    return known ?? (this.list.at(-1) as Effect);
  }

  private known(tool: string, key: string): Effect | undefined {
    return this.list.find((effect) => effect.tool === tool && effect.key === key);
  }

  private number(tool: string, key: string): number {
    const keys = this.calls.get(tool) ?? [];
    this.calls.set(tool, keys);
    if (!keys.includes(key)) keys.push(key);
    return keys.indexOf(key) + 1;
  }

  private fault(tool: string, key: string): string | undefined {
    const at = this.number(tool, key);
    return this.left.filter(isToolFault).find((fault) => fault.tool === tool && (fault.call ?? 1) === at)?.fails;
  }

  private take(is: (fault: Fault) => boolean): boolean {
    const at = this.left.findIndex(is);
    if (at >= 0) this.left.splice(at, 1);
    return at >= 0;
  }
}
