import { defined } from "../../base/defined";
import type { Result } from "../../base/failure";
import { effectWorkflowId, projectOf } from "../../base/ids";
import { type CallHost, dueOf, type ToolCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { ClaimedEffect, GuardAnswer, GuardSettle } from "../../effects/effect-guard";
import { guardOfKey, sharedKey } from "../../effects/effect-key";
import { keptArgs, type LedgerEntry } from "../../effects/entry";
import type { RunLedger } from "../../effects/run-ledger";

/**
 * Whether the effects of a tool are known in all missions. Each call of a repeatable tool is a new effect, in every
 * mission.
 */
export const isShared = ({ identity_scope, repeatable }: ToolSpec): boolean =>
  identity_scope === "namespace" && repeatable !== true;

/** The messages of a run to the guard of an effect that all missions share (effects reference, section 10). */
export class SharedEffect {
  /** The claims of the holder that the guard reported last. */
  private claims: number | undefined;

  constructor(
    private readonly host: CallHost,
    private readonly ledger: RunLedger,
    private readonly spec: ToolSpec,
  ) {}

  /** Whether a guard is asked before the tool is called. */
  get isAsked(): boolean {
    return isShared(this.spec) && this.host.claimEffect !== undefined;
  }

  /**
   * Asks before a call; undefined: nobody need be asked.
   *
   * @param again the call makes a further effect
   * @param over the claim of another mission whose history shows that it did not make the effect
   */
  async claim(
    entry: LedgerEntry,
    call: ToolCall,
    again: boolean,
    over: number | undefined,
  ): Promise<Result<GuardAnswer> | undefined> {
    const { host, ledger, spec } = this;
    if (!this.isAsked || host.claimEffect === undefined) return undefined;
    const n = again || entry.deed === undefined ? undefined : guardOfKey(entry.key)?.n;
    const claim = {
      deed: ledger.guardedEffectOf(entry),
      tool: spec.name,
      at: host.now(),
      turn: call.turn,
      ...defined({ task: call.task, n, again: again ? (true as const) : undefined, over }),
      ...keptArgs(call.args),
    };
    const guard = effectWorkflowId(entry.id, projectOf(ledger.mission));
    const claimed = await host.claimEffect(guard, claim, dueOf(host, call));
    this.claims = claimed.ok && claimed.value.state === "held" ? claimed.value.holder.claims : undefined;
    return claimed;
  }

  /** Notifies the guard of the outcome of the effect, if the worker that called the tool does not. */
  async settle(entry: LedgerEntry): Promise<void> {
    const guard = entry.deed === undefined ? undefined : guardOfKey(entry.key);
    if (guard === undefined) return;
    const { state, answer } = entry;
    await this.host.settleEffect?.(guard.workflow_id, {
      n: guard.n,
      deed: entry.held_by ?? this.ledger.guardedEffectOf(entry),
      ...(entry.held_by === undefined ? {} : defined({ claims: this.claims })),
      state: SETTLED[state],
      ...(state === "done" ? defined({ answer }) : {}),
    });
  }
}

/** An effect that is only intended when its call is over was not made. */
const SETTLED: { [state in LedgerEntry["state"]]: GuardSettle["state"] } = {
  intended: "failed",
  refused: "failed",
  failed: "failed",
  done: "done",
  unknown: "unknown",
  undone: "undone",
};

/** The effect of another mission, as an entry of this mission's ledger. */
export function earlierElsewhere(entry: LedgerEntry, mission: string, holder: ClaimedEffect): LedgerEntry {
  const { task: _, args: __, answer: ___, by: ____, ...own } = entry;
  const { n, deed, at, turn, task, args, answer } = holder;
  return {
    ...own,
    key: sharedKey(mission, entry.id, n),
    state: "done",
    held_by: deed,
    at,
    turn,
    ...defined({ task, args, answer }),
  };
}
