import type { Json, JsonObject } from "../base/json";
import { readEffectKey } from "./effect-key";
import { keptAnswer } from "./entry";

/**
 * Who makes an effect that all missions share (effects reference, section 10). The equal effects of all missions are
 * counted, and each has one owner: the mission that makes it. A mission names the effect that it asks for by the key of
 * the effect within the mission. Of the effects of other missions its first key matches the first, its second key the
 * second.
 */

/** A mission asks whether it may make an effect. */
export interface GuardClaim extends EffectInGuard {
  /** The number that the effect has already. */
  n?: number;
  /** The mission asks for a further effect: not one that another mission has made. */
  again?: true;
  /** The claim of another mission that is found not to have made it: the effect is taken over, if nobody has claimed it since. */
  over?: number;
}

/** What a mission reports about its effect. */
export interface EffectInGuard {
  deed: string;
  /** The run that makes the call. */
  workflow_id: string;
  tool: string;
  /** Ms since 1970. */
  at: number;
  turn: number;
  task?: string;
  args?: JsonObject;
}

/** An effect that a mission has claimed. */
export interface ClaimedEffect extends EffectInGuard {
  n: number;
  /** `claimed`: its call is made now, as far as the guard knows. */
  state: ClaimedState;
  /** How often it was claimed: the number of the last claim. */
  claims: number;
  answer?: Json;
}

type ClaimedState = "claimed" | "done" | "failed" | "unknown" | "undone";

/** `yours`: the call may be made. Otherwise another mission makes it, or may have made it. */
export type GuardAnswer = { state: "yours"; n: number } | { state: "held"; holder: ClaimedEffect };

/** What became of an effect. */
export interface GuardSettle {
  n: number;
  /** Of the owner that matches; absent: of any, for an effect that was taken back. */
  deed?: string;
  /** The claim that matches, as another mission names it; absent: any claim of the owner. */
  claims?: number;
  state: Exclude<ClaimedState, "claimed">;
  answer?: Json;
}

/** The state of a guard as JSON, for continue-as-new. */
export interface GuardState {
  next: number;
  effects: GuardedEffect[];
}

interface GuardedEffect extends ClaimedEffect {
  /** The effects of other missions that match it. */
  others: string[];
}

/** So many effects are kept, the newest. */
export const MAX_CLAIMED = 200;
/** The guard keeps so many effects of other missions for each effect, the newest. */
export const MAX_OTHERS = 200;
/** Characters of all effect keys, and of all arguments and answers, in the state. */
const MAX_STATE_CHARS = 400_000;

/** Who makes each of the equal effects of all missions, and what became of it. */
export class EffectGuard {
  private next: number;
  /** By number. */
  private effects: GuardedEffect[];

  constructor(state: GuardState = { next: 1, effects: [] }) {
    this.next = state.next;
    this.effects = state.effects.map((one) => ({ ...one, others: [...one.others] }));
  }

  /** The same claim again gets the same answer, until somebody reports the outcome of the effect. */
  claim({ n: known, again, over, ...asked }: GuardClaim): GuardAnswer {
    const own = this.effects.find((one) => one.deed === asked.deed && one.state !== "undone");
    if (own) return own.state === "done" ? claimedBy(own) : take(own, asked);
    const other = again ? undefined : this.ofOthers(asked.deed);
    if (other === undefined) return this.add(asked, known);
    note(other.others, asked.deed);
    const isFree = other.state === "failed" || (over === other.claims && other.state !== "done");
    return isFree ? take(other, asked) : claimedBy(other);
  }

  /** @returns false if the effect is not known, has another owner, or is done */
  settle({ n, deed: missionKey, claims, state, answer }: GuardSettle): boolean {
    const effect = this.effects.find((one) => one.n === n);
    if (effect === undefined || (missionKey !== undefined && effect.deed !== missionKey)) return false;
    // An effect that was done stays done; that it was not done is true for one claim only.
    if (claims !== undefined && effect.claims !== claims && state !== "done") return false;
    if (state === "undone" ? effect.state !== "done" : effect.state === "done" || effect.state === "undone")
      return false;
    effect.state = state;
    if (state === "done" && answer !== undefined) Object.assign(effect, keptAnswer(answer));
    return true;
  }

  /** The effects that are claimed, by number. */
  claimed(): ClaimedEffect[] {
    return this.effects.map(shown);
  }

  state(): GuardState {
    let chars = 0;
    let values = 0;
    const kept: GuardedEffect[] = [];
    for (const { args, answer, others, ...effect } of [...this.effects].reverse()) {
      chars += JSON.stringify([effect, others]).length;
      values += JSON.stringify([args, answer]).length;
      const all = { ...(args === undefined ? {} : { args }), ...(answer === undefined ? {} : { answer }) };
      kept.push({
        ...effect,
        ...(values > MAX_STATE_CHARS ? {} : all),
        others: chars > MAX_STATE_CHARS ? [] : [...others],
      });
    }
    return { next: this.next, effects: kept.reverse() };
  }

  /** The effect of another mission that matches this one: one that failed only if there is no other. */
  private ofOthers(missionKey: string): GuardedEffect | undefined {
    const own = ofMission(missionKey);
    const isOwn = (one: string) => one.startsWith(own);
    const open = this.effects.filter(({ state }) => state !== "undone");
    const known = open.find(({ others }) => others.includes(missionKey));
    if (known) return known;
    const free = open.filter((one) => !isOwn(one.deed) && !one.others.some(isOwn));
    return free.find(({ state }) => state !== "failed") ?? free[0];
  }

  private add(asked: EffectInGuard, known: number | undefined): GuardAnswer {
    const isForgotten = known !== undefined && !this.effects.some((one) => one.n === known);
    const n = isForgotten ? known : this.next;
    this.next = Math.max(this.next, n + 1);
    this.effects = [...this.effects, { ...asked, n, state: "claimed" as const, claims: 1, others: [] }].sort(
      (a, b) => a.n - b.n,
    );
    if (this.effects.length > MAX_CLAIMED) {
      const oldest = this.effects.findIndex(({ state }) => state !== "claimed" && state !== "unknown");
      this.effects.splice(Math.max(0, oldest), 1);
    }
    return { state: "yours", n };
  }
}

/**
 * The mission makes the effect now. The mission that claimed it before matches the same effect, unless its call had
 * failed: it may ask again.
 */
function take(effect: GuardedEffect, asked: EffectInGuard): GuardAnswer {
  if (effect.deed !== asked.deed) {
    effect.others = effect.others.filter((other) => other !== asked.deed);
    if (effect.state !== "failed") note(effect.others, effect.deed);
  }
  for (const name of ["task", "args", "answer"] as const) delete effect[name];
  Object.assign(effect, asked, { state: "claimed", claims: effect.claims + 1 });
  return { state: "yours", n: effect.n };
}

const claimedBy = (effect: GuardedEffect): GuardAnswer => ({ state: "held", holder: shown(effect) });

const shown = ({ others: _, ...effect }: GuardedEffect): ClaimedEffect => ({ ...effect });

function note(others: string[], missionKey: string): void {
  if (others.includes(missionKey)) return;
  others.push(missionKey);
  if (others.length > MAX_OTHERS) others.shift();
}

/** The prefix of the keys of all equal effects of a mission. */
function ofMission(missionKey: string): string {
  const place = readEffectKey(missionKey);
  return place === undefined ? missionKey : `${place.mission}~${place.id}~`;
}

/** The mission that an effect key belongs to. */
export const missionOf = (missionKey: string): string => readEffectKey(missionKey)?.mission ?? missionKey;
