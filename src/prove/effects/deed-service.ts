import type { JsonObject } from "../../core/base/json";
import { type CallFault, deedName } from "./mission";
import { PAYMENT_TOOLS, type PaymentArgs, type PaymentTool, type ToldPlace, toldPlaceOf } from "./payment-tools";

/** Something that the service did. */
export interface Act {
  mission: string;
  deed: string;
  tool: PaymentTool;
  place: ToldPlace;
  key: string;
  receipt: number;
  undone?: true;
}

/** A call that reached the service. */
export interface PaymentCall {
  mission: string;
  tool: PaymentTool;
  args: PaymentArgs;
  key: string;
}

/** What a call was answered. `lost`: the answer does not reach the caller. */
export type PaymentAnswer = { kind: "done"; act: Act } | { kind: "declined" } | { kind: "lost" };

/**
 * A payment service that counts what it does. It never acts twice for one key where the tool is called again by rule
 * (`write`); a key that cannot be called again (`irreversible`) is not remembered, so that a second call is seen. Two acts
 * under different keys are two acts.
 */
export class PaymentService {
  readonly acts: Act[] = [];
  calls = 0;
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

  /** @param fault what goes wrong at a call; each fault happens once */
  call({ mission, tool, args, key }: PaymentCall, fault: CallFault | undefined): PaymentAnswer {
    this.calls += 1;
    const deed = deedName({ tool, to: args.to, cents: args.cents });
    const known = this.known(key);
    if (known && known.deed !== deed) this.sharedKeys.push({ key, first: known.deed, second: deed });
    const happens = fault !== undefined && !this.met.has(`${mission} ${tool} ${args.memo}`) ? fault : undefined;
    this.met.add(`${mission} ${tool} ${args.memo}`);
    if (happens === "declined") {
      this.declined += 1;
      return { kind: "declined" };
    }
    if (happens !== "lost_before") this.act({ mission, tool, args, key }, deed, known);
    if (happens === undefined) return { kind: "done", act: this.known(key) as Act };
    this.lost += 1;
    this.lostDeeds.add(`${mission} ${deed}`);
    return { kind: "lost" };
  }

  /** What was done under this key. */
  lookUp(key: string): Act | undefined {
    this.lookups += 1;
    return this.known(key);
  }

  /** The same for people, who look in the books of the service. */
  known(key: string): Act | undefined {
    return this.byKey.get(key)?.findLast(({ undone }) => undone === undefined);
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

  private act({ mission, tool, args, key }: PaymentCall, deed: string, known: Act | undefined): void {
    if (known && PAYMENT_TOOLS[tool].effect === "write") {
      this.deduplicated.push({ mission, deed, place: toldPlaceOf(args.memo), before: known.place });
      return;
    }
    const receipt = this.acts.length + 1;
    const act: Act = { mission, deed, tool, place: toldPlaceOf(args.memo), key, receipt };
    this.acts.push(act);
    add(this.byKey, key, act);
    add(this.byDeed, `${mission} ${deed}`, act);
  }
}

function add(lists: Map<string, Act[]>, name: string, act: Act): void {
  const list = lists.get(name);
  if (list) list.push(act);
  else lists.set(name, [act]);
}

/** What the service answers to the tool. */
export const answerOf = ({ deed, receipt }: Act): JsonObject => ({ deed, receipt });
