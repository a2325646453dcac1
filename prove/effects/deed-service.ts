import type { Json, JsonObject } from "../../src/core/base/json";
import { type Faults, faultKey } from "./missions/faults";
import type { ProofTools } from "./missions/proof-tool";
import type { ProgramPlace, ToldPlace } from "./missions/told-place";

/** Something that the service did. */
export interface Act {
  mission: string;
  deed: string;
  tool: string;
  place: ToldPlace;
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
  /** Where it was told, if its arguments do not say so. */
  at?: ProgramPlace | undefined;
}

/** What a call was answered. `lost`: the answer does not reach the caller. */
export type ServiceAnswer = { kind: "done"; act: Act } | { kind: "declined" } | { kind: "lost" };

/**
 * The service behind the tools: it counts what it does. It never acts twice for one key where the tool is called again
 * by rule (`write`); a key that cannot be called again (`irreversible`) is not remembered, so that a second call is seen.
 * Two acts under different keys are two acts.
 */
export class DeedService {
  readonly acts: Act[] = [];
  /** By tool. */
  readonly calls = new Map<string, number>();
  /** Calls that were answered by what was done under their key before. */
  readonly deduplicated: { mission: string; deed: string; place: ToldPlace; before: ToldPlace }[] = [];
  lookups = 0;
  lost = 0;
  declined = 0;
  /** Keys under which two different deeds were asked for. */
  readonly sharedKeys: { key: string; first: string; second: string }[] = [];
  /** Calls whose answers were lost, by deed. */
  readonly lostDeeds = new Set<string>();
  /** Undos that found nothing to take back, under a key of their own that was not used before. */
  readonly vainUndos: string[] = [];
  undone = 0;
  private readonly undoKeys = new Set<string>();
  private readonly met = new Set<string>();
  private readonly byKey = new Map<string, Act[]>();
  private readonly byDeed = new Map<string, Act[]>();
  /** The keys of a program's calls of a deed, in the order in which they came. */
  private readonly keysAt = new Map<string, string[]>();
  private readonly lastPlaces = new Map<string, ToldPlace>();
  private readonly found = new Map<string, number>();
  private readonly called = new Map<string, number>();

  constructor(readonly tools: ProofTools) {}

  /** @param faults what goes wrong at calls; each fault happens once */
  call(call: ServiceCall, faults: Faults = new Map()): ServiceAnswer {
    const { mission, tool, args, key } = call;
    this.calls.set(tool, (this.calls.get(tool) ?? 0) + 1);
    const deed = this.tools.of(tool).deedOf(args);
    const place = this.placeOf(call, deed);
    this.lastPlaces.set(key, place);
    count(this.called, programKey(mission, deed, place));
    const known = this.known(key);
    if (known && known.deed !== deed) this.sharedKeys.push({ key, first: known.deed, second: deed });
    const id = faultKey(deed, place);
    const happens = this.met.has(`${mission} ${id}`) ? undefined : faults.get(id);
    this.met.add(`${mission} ${id}`);
    if (happens === "declined") {
      this.declined += 1;
      return { kind: "declined" };
    }
    if (happens !== "lost_before") this.act(call, deed, place, known);
    if (happens === undefined) return { kind: "done", act: this.known(key) as Act };
    this.lost += 1;
    this.lostDeeds.add(`${mission} ${deed}`);
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
    if (act !== undefined) count(this.found, `${act.mission} ${act.deed}`);
    return act;
  }

  /** How often somebody found that a deed of a mission had happened whose answer was lost. */
  foundOut(mission: string, deed: string): number {
    return this.found.get(`${mission} ${deed}`) ?? 0;
  }

  known(key: string): Act | undefined {
    return this.byKey.get(key)?.findLast(({ undone }) => undone === undefined);
  }

  /** Where the last call with this key was told. */
  lastPlaceOf(key: string): ToldPlace | undefined {
    return this.lastPlaces.get(key);
  }

  /** How many calls of a deed the agent of a mission has made in one program. */
  callsIn(mission: string, deed: string, place: Pick<ToldPlace, "stage" | "telling">): number {
    return this.called.get(programKey(mission, deed, { ...place, work: 0 })) ?? 0;
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

  /** What was done for a deed of a mission and not taken back. */
  actsOf(mission: string, deed: string): Act[] {
    return this.byDeed.get(`${mission} ${deed}`)?.filter(({ undone }) => undone === undefined) ?? [];
  }

  /** What the service answers to the tool. */
  answerOf({ tool, deed, receipt }: Act): Json {
    return this.tools.of(tool).answer(deed, receipt);
  }

  private act({ mission, tool, key }: ServiceCall, deed: string, place: ToldPlace, known: Act | undefined): void {
    if (known && this.tools.of(tool).spec.effect === "write") {
      this.deduplicated.push({ mission, deed, place, before: known.place });
      return;
    }
    const receipt = this.acts.length + 1;
    const act: Act = { mission, deed, tool, place, key, receipt };
    this.acts.push(act);
    add(this.byKey, key, act);
    add(this.byDeed, `${mission} ${deed}`, act);
  }

  /** A call that does not say which one of equals it is, is known by its key. */
  private placeOf({ mission, tool, args, key, at }: ServiceCall, deed: string): ToldPlace {
    const carried = this.tools.of(tool).placeIn(args);
    if (carried !== undefined) return carried;
    if (at === undefined) throw new Error(`Nobody knows where the call of "${deed}" was told.`);
    const { stage, telling, work, attempt } = at;
    const program = `${mission} ${deed} ${stage}.${telling}.${work}.${attempt}`;
    const keys = this.keysAt.get(program) ?? [];
    this.keysAt.set(program, keys);
    if (!keys.includes(key)) keys.push(key);
    return { ...at, nth: keys.indexOf(key) + 1 };
  }
}

const programKey = (mission: string, deed: string, { stage, telling, work }: Omit<ToldPlace, "attempt" | "nth">) =>
  `${mission} ${deed} ${stage}.${telling}.${work}`;

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function add(lists: Map<string, Act[]>, name: string, act: Act): void {
  const list = lists.get(name);
  if (list) list.push(act);
  else lists.set(name, [act]);
}
