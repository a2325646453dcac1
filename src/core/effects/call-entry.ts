import type { Failure } from "../base/failure";
import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { cutText } from "../base/whole-characters";
import { readEffectKey } from "./effect-key";
import { ANSWER_LOST, type EffectEntry, type EffectFacts, keptArgs, MAX_MESSAGE_CHARS } from "./entry";

/** The part of a call's input by which a history shows its effect. Its fields are those of `CallToolInput`. */
export interface CallEntryInput {
  idempotency_key: string;
  name: string;
  args: JsonObject;
  task: string | null;
  turn: number;
  effect?: EffectFacts;
}

/** The entry of a call that is made; undefined: it is none of a tool with an effect. */
export function entryOfCall(call: Json | undefined): EffectEntry | undefined {
  if (!isObject(call) || !isObject(call.effect) || typeof call.idempotency_key !== "string") return undefined;
  const { idempotency_key: key, name, args, turn, task, effect } = call;
  const place = readEffectKey(typeof effect.deed === "string" ? effect.deed : key);
  if (place === undefined) return undefined;
  const { kind, ...facts } = effect;
  const { id, lane: scope, n } = place;
  return {
    key,
    id,
    tool: String(name),
    effect: kind === "irreversible" ? "irreversible" : "write",
    state: "intended",
    lane: scope,
    n,
    at: 0,
    turn: Number(turn),
    call: 0,
    ...(typeof task === "string" ? { task } : {}),
    ...keptArgs(isObject(args) ? args : {}),
    ...(facts as Partial<EffectEntry>),
  };
}

/** What becomes of the effect of a call that failed. */
export function afterFailure({ message, details }: Pick<Failure, "message" | "details">): Partial<EffectEntry> {
  const code = isObject(details) ? details.code : undefined;
  if (ANSWER_LOST.includes(String(code))) return { state: "unknown" };
  return { state: "failed", message: cutText(message, MAX_MESSAGE_CHARS) };
}
