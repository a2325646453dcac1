import { callDigest } from "../../base/call-digest";
import type { Json, JsonObject } from "../../base/json";
import { canonicalJson } from "../../effects/canonical-json";
import { canonicalDigest, identityArguments } from "../../effects/effect-id";
import type { Journal } from "../../journal/journal";
import { servedTask } from "../../lisp/machine/follow-task";
import type { RecordedCall, TaskEffects } from "../../lisp/program";
import { LispError } from "../../lisp/values/errors";
import type { RunTool } from "../tools/run-tools";

/**
 * The journal of an agent in text mode (agent reference, section 15). Its model names no tasks, so each finished call
 * is recorded under a generated name: the tool, and the arguments that make its effect.
 *
 * In a run equal calls are counted: the name of the second ends with `#2`. A later attempt of the mission counts from
 * the beginning, so its first call receives the first record, its second the second, as in programs.
 */

/** Longer arguments are named by their SHA-256 (characters of JSON). */
const MAX_NAMED_ARGS = 160;
/** Longer arguments are recorded as a digest (characters of JSON). */
const MAX_ARGS_CHARS = 1_000;

/** The task of a call: an existing record, or one that the call will make. */
interface NativeTask {
  task: string;
  recorded?: { value: Json };
}

/**
 * Whether the finished calls of a tool are recorded. A call that only reads is made again: its answer may have changed
 * by then.
 */
function isJournaled({ kind, spec }: RunTool): boolean {
  return kind === "worker" ? spec.effect !== "read" : kind !== "grep" && kind !== "grep-n";
}

/** The record of a call: the one that there is already, or the one that it will make. */
export interface NativeRecord extends NativeTask {
  /** @returns why the answer could not be recorded */
  done(args: JsonObject, value: Json): string | undefined;
  failed(): void;
}

/** Records the calls of a run, and finds those of earlier attempts. */
export class NativeJournal {
  /** The records that calls of the run have made, were given, or are about to make. */
  readonly met: Set<string>;

  /**
   * @param journal null: nothing is recorded
   * @param effects reads the ledger of the run; called with the first call
   * @param answered receives each record that the answer of a call shows
   */
  constructor(
    private readonly journal: Journal | null,
    private readonly effects: () => TaskEffects,
    private readonly answered: (task: string) => void,
    met: readonly string[] = [],
  ) {
    this.met = new Set(met);
  }

  /**
   * The record of a call that is made now, or once more after a pause; undefined: it is not recorded.
   *
   * @param tasks those of the reply's calls that were made, by their places; changed here
   * @param warnFull receives the reason why an answer could not be recorded
   */
  record(
    tool: RunTool,
    args: JsonObject,
    place: number,
    tasks: Map<number, string>,
    warnFull: (why: string) => void,
  ): NativeRecord | undefined {
    const { journal } = this;
    if (journal === null || !isJournaled(tool)) return undefined;
    const known = tasks.get(place);
    const begun = known === undefined ? this.begin(journal, tool, args) : { task: known };
    const { task } = begun;
    tasks.set(place, task);
    return {
      ...begun,
      done: (asked, value) => {
        const full = this.done(journal, task, tool.spec.name, asked, value);
        if (full !== undefined) warnFull(full);
        return full;
      },
      failed: () => this.failed(task),
    };
  }

  /** The task of a call that begins. */
  private begin(journal: Journal, tool: RunTool, args: JsonObject): NativeTask {
    const name = nameOf(tool, args);
    for (let n = 1; ; n++) {
      const task = n === 1 ? name : `${name} #${n}`;
      if (this.met.has(task)) continue;
      if (journal.has(task) && !this.isOf(journal, task, tool, args)) continue;
      this.met.add(task);
      if (!journal.has(task)) return { task };
      const call = this.call(tool.spec.name, args);
      // An equal call of this reply may mean the effect of the record already.
      const effects = this.effects();
      if (effects.serve(servedTask({ id: task, met: [call] }, effects), [])) {
        this.answered(task);
        return { task, recorded: { value: journal.get(task) } };
      }
    }
  }

  /**
   * Whether a record belongs to this call, as far as the record names its call: a program may have named its task like
   * this.
   */
  private isOf(journal: Journal, task: string, { spec }: RunTool, args: JsonObject): boolean {
    const asked = canonicalJson(identityArguments(spec, args));
    const calls = journal.callsOf(task)?.calls ?? [];
    return (
      calls.length === 0 ||
      calls.some(
        (call) =>
          call.tool === spec.name &&
          // The name has the digest of long arguments itself.
          (call.args === undefined || canonicalJson(identityArguments(spec, call.args)) === asked),
      )
    );
  }

  /** The call has succeeded. @returns why it could not be recorded */
  private done(journal: Journal, task: string, tool: string, args: JsonObject, value: Json): string | undefined {
    try {
      journal.commit(task, value, { calls: [{ ...this.call(tool, args), same: true }] });
      this.answered(task);
      return undefined;
    } catch (error) {
      if (error instanceof LispError) return error.message;
      throw error;
    }
  }

  /** The call has failed: the next equal one means the same. */
  private failed(task: string): void {
    this.met.delete(task);
  }

  private call(tool: string, args: JsonObject): RecordedCall {
    if (JSON.stringify(args).length <= MAX_ARGS_CHARS) return { tool, args };
    return { tool, digest: this.effects().idOf(tool, args) ?? callDigest({ tool, args }) };
  }
}

/** `charge_card {"order_id":42}`: what people and models read in the Mission Log. */
function nameOf({ spec }: RunTool, args: JsonObject): string {
  const made = identityArguments(spec, args);
  if (Object.keys(made).length === 0) return spec.name;
  const text = canonicalJson(made);
  return `${spec.name} ${text.length <= MAX_NAMED_ARGS ? text : canonicalDigest(made)}`;
}
