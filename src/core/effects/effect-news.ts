import type { Json, JsonObject } from "../base/json";
import type { EffectEntry } from "./entry";

/** The news about an effect: its state now, and the facts that came with that state. */
export interface EffectNews extends Pick<EffectEntry, "key" | "tool" | "effect" | "state"> {
  /** The arguments of a call that is made now. */
  args?: JsonObject;
  /** The answer that it gave. */
  answer?: Json;
  by?: string;
  message?: string;
  /** How often its answer was given again. */
  reused?: number;
  /** The key within its mission, of an effect that all missions share. */
  deed?: string;
  /** The turn of the call that is made now. */
  turn?: number;
  /** The tool is called only after people agreed. */
  approval?: true;
  /** The first effect of a turn: the reply that asks for it. */
  asked_by?: AskingReply;
  /** The review that agreed to the call that is made now. */
  review?: string;
}

/** A reply whose program or calls ask for effects. */
export interface AskingReply {
  content: string;
  model?: string | undefined;
}
