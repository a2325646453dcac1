import { readUsage } from "../../agent/budget/mission-usage";
import { isObject } from "../../base/is-object";
import { jsonFault } from "../../base/json/json-problem";
import { isPackedLedger } from "../../effects/packed-ledger";
import type { Child, ChildReport } from "./fork";

const STATES: readonly unknown[] = ["open", "hitl", "over"] satisfies Child["state"][];
const VERDICTS: readonly unknown[] = [null, "passed", "failed"] satisfies Child["verdict"][];

/** The report of a branch or a subflow; undefined for anything else. A signal may come from anywhere. */
export function readChildReport(raw: unknown): ChildReport | undefined {
  if (!isObject(raw) || typeof raw.id !== "string" || typeof raw.branch !== "string") return undefined;
  if (!STATES.includes(raw.state) || !VERDICTS.includes(raw.verdict ?? null)) return undefined;
  const { effects_handed_back: effects, undo_on_failure: undo, used } = raw;
  if (undo !== undefined && !isBranchUndo(undo)) return undefined;
  if (effects !== undefined && !isPackedLedger(effects)) return undefined;
  if (used !== undefined && readUsage(used) === undefined) return undefined;
  return raw.output !== undefined && jsonFault(raw.output) ? undefined : (raw as unknown as ChildReport);
}

const isBranchUndo = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.step === "string" &&
  Array.isArray(value.lanes) &&
  value.lanes.every((lane) => typeof lane === "string");
