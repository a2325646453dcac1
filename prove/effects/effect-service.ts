import type { Json, JsonObject } from "../../src/core/base/json";
import type { CallPlace, ProgramPlace } from "./missions/call-place";
import { type Faults, faultKey } from "./missions/faults";
import type { ProofTools } from "./missions/proof-tool";

/** Something that the service did. */
export interface Act {
  mission: string;
  effect: string;
  tool: string;
  place: CallPlace;
  key: string;
  receipt: number;
  undone?: true;
}

/** A call that reached the service. */
export interface ServiceCall {
  mission: string;
  tool: string;
  args: JsonObject;
  key: string;
  /** The place of its call, if its arguments do not have it. */
  at?: ProgramPlace | undefined;
}

/** What a call was answered. `lost`: the answer does not reach the caller. */
export type ServiceAnswer = { kind: "done"; act: Act } | { kind: "declined" } | { kind: "lost" };

/**
 * The service that the tools call: it counts its acts. It never acts twice for one key where the tool is called again
 * by rule (`write`); a key that cannot be called again (`irreversible`) is not remembered, so that a second call is seen.
 * Two acts under different keys are two acts.
 */
export class EffectService {
  readonly acts: Act[] = [];
  /** By tool. */
  readonly calls = new Map<string, number>();
  /** Calls that were answered by what was done under their key before. */
  readonly deduplicated: { mission: string; effect: string; place: CallPlace; before: CallPlace }[] = [];
  lookups = 0;
  lost = 0;
  declined = 0;
  /** Keys under which two different effects were asked for. */
  readonly sharedKeys: { key: string; first: string; second: string }[] = [];
  /** Calls whose answers were lost, by effect. */
  readonly lostEffects = new Set<string>();
  /** Undos that found nothing to take back, under a new key. */
  readonly vainUndos: string[] = [];
  undone = 0;
  private readonly undoKeys = new Set<string>();
  private readonly met = new Set<string>();
  private readonly byKey = new Map<string, Act[]>();
  private readonly byEffect = new Map<string, Act[]>();
  /** The keys of a program's calls of an effect, in the order in which they came. */
  private readonly keysAt = new Map<string, string[]>();
  private readonly lastPlaces = new Map<string, CallPlace>();
  private readonly found = new Map<string, number>();
  private readonly called = new Map<string, number>();

  constructor(readonly tools: ProofTools) {}

  /** @param faults what goes wrong at calls; each fault happens once */
  call(call: ServiceCall, faults: Faults = new Map()): ServiceAnswer {
    const { mission, tool, args, key } = call;
    this.calls.set(tool, (this.calls.get(tool) ?? 0) + 1);
    const effect = this.tools.of(tool).effectOf(args);
    const place = this.placeOf(call, effect);
    this.lastPlaces.set(key, place);
    count(this.called, programKey(mission, effect, place));
    const known = this.known(key);
    if (known && known.effect !== effect) this.sharedKeys.push({ key, first: known.effect, second: effect });
    const id = faultKey(effect, place);
    const happens = this.met.has(`${mission} ${id}`) ? undefined : faults.get(id);
    this.met.add(`${mission} ${id}`);
    if (happens === "declined") {
      this.declined += 1;
      return { kind: "declined" };
    }
    if (happens !== "lost_before") this.act(call, effect, place, known);
    if (happens === undefined) return { kind: "done", act: this.known(key) as Act };
    this.lost += 1;
    this.lostEffects.add(`${mission} ${effect}`);
    return { kind: "lost" };
  }

  /** What was done under this key. */
  lookUp(key: string): Act | undefined {
    this.lookups += 1;
    return this.findOut(key);
  }

  /** The same for people, who look in the books of the service when an answer was lost. */
  findOut(key: string): Act | undefined {
    const act = this.known(key);
    if (act !== undefined) count(this.found, `${act.mission} ${act.effect}`);
    return act;
  }

  /** How often somebody found that an effect of a mission had happened whose answer was lost. */
  foundOut(mission: string, effect: string): number {
    return this.found.get(`${mission} ${effect}`) ?? 0;
  }

  known(key: string): Act | undefined {
    return this.byKey.get(key)?.findLast(({ undone }) => undone === undefined);
  }

  /** The place of the last call with this key. */
  lastPlaceOf(key: string): CallPlace | undefined {
    return this.lastPlaces.get(key);
  }

  /** How many calls of an effect the agent of a mission has made in one program. */
  callsIn(mission: string, effect: string, place: Pick<CallPlace, "stage" | "script">): number {
    return this.called.get(programKey(mission, effect, { ...place, work: 0 })) ?? 0;
  }

  /** Takes back what was done under a key. A repeated key of the undo itself does nothing. */
  undo(key: string, undoKey: string): void {
    if (this.undoKeys.has(undoKey)) return;
    this.undoKeys.add(undoKey);
    const act = this.known(key);
    if (act === undefined) this.vainUndos.push(key);
    else act.undone = true;
    this.undone += 1;
  }

  /** What a mission did, in the order of doing. */
  actsOfMission(mission: string): Act[] {
    return this.acts.filter((act) => act.mission === mission);
  }

  /** The acts for an effect of a mission that nobody took back. */
  actsOf(mission: string, effect: string): Act[] {
    return this.byEffect.get(`${mission} ${effect}`)?.filter(({ undone }) => undone === undefined) ?? [];
  }

  /** What the service answers to the tool. */
  answerOf({ tool, effect, receipt }: Act): Json {
    return this.tools.of(tool).answer(effect, receipt);
  }

  private act({ mission, tool, key }: ServiceCall, effect: string, place: CallPlace, known: Act | undefined): void {
    if (known && this.tools.of(tool).spec.effect === "write") {
      this.deduplicated.push({ mission, effect, place, before: known.place });
      return;
    }
    const receipt = this.acts.length + 1;
    const act: Act = { mission, effect, tool, place, key, receipt };
    this.acts.push(act);
    add(this.byKey, key, act);
    add(this.byEffect, `${mission} ${effect}`, act);
  }

  /** A call without its place among equal ones is known by its key. */
  private placeOf({ mission, tool, args, key, at }: ServiceCall, effect: string): CallPlace {
    const given = this.tools.of(tool).placeIn(args);
    if (given !== undefined) return given;
    if (at === undefined) throw new Error(`Nobody knows which script made the call of "${effect}".`);
    const { stage, script, work, attempt } = at;
    const program = `${mission} ${effect} ${stage}.${script}.${work}.${attempt}`;
    const keys = this.keysAt.get(program) ?? [];
    this.keysAt.set(program, keys);
    if (!keys.includes(key)) keys.push(key);
    return { ...at, nth: keys.indexOf(key) + 1 };
  }
}

const programKey = (mission: string, effect: string, { stage, script, work }: Omit<CallPlace, "attempt" | "nth">) =>
  `${mission} ${effect} ${stage}.${script}.${work}`;

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function add(lists: Map<string, Act[]>, name: string, act: Act): void {
  const list = lists.get(name);
  if (list) list.push(act);
  else lists.set(name, [act]);
}
