import type { Step } from "../../../src/core/agent/result/step";
import type { EffectEntry } from "../../../src/core/effects/entry";
import type { CountingService } from "./counting-service";
import type { EffectFault } from "./effect-faults";

/** What a host saw of a mission. */
export interface FaultOutcome {
  service: CountingService;
  /** `ok`, or what went wrong. */
  ended: string;
  /** Of the agents, in the order in which they began. */
  steps: Step[];
  effects: EffectEntry[];
  /** The codes of the reviews. */
  asked: string[];
  /** The last message of each model call. */
  heard: string[];
  /** The Mission Log of each model call. */
  logs: string[];
}

/** What anybody can see from outside, and what the mission itself says of it. */
export function expectFault(fault: EffectFault, outcome: FaultOutcome): void {
  const { service, ended, steps, effects, asked, heard, logs } = outcome;
  const keys = service.done.map(({ key }) => key);
  const warnings = steps.flatMap(withChildren).flatMap((step) => step.warnings);
  const told = warnings.filter(({ code }) => code === "same_effect" || code === "other_effect");
  expect({
    ended,
    done: service.done.map(({ what }) => what),
    // A service that acts once for each key would have done the same.
    keys: new Set(keys).size,
    told: told.map(({ code, message }) => [code, message]),
    asked,
    ledger: effects.map(shown),
  }).toEqual({
    ended: "ok",
    done: fault.done,
    keys: fault.done.length,
    told: (fault.told ?? []).map(([code, part]) => [code, expect.stringContaining(part)]),
    asked: fault.asked ?? [],
    ledger: fault.ledger,
  });
  expect(effects.map(({ key }) => key).sort()).toEqual(keys.sort());
  if (fault.heard !== undefined) expect(heard).toContainEqual(expect.stringContaining(fault.heard));
  if (fault.logged !== undefined) expect(logs).toContainEqual(expect.stringContaining(fault.logged));
  if (fault.returned !== undefined) expect(steps[0]?.return).toEqual(fault.returned);
}

const withChildren = (step: Step): Step[] => [step, ...step.child_steps.flatMap(withChildren)];

const shown = ({ tool, args, state, reused, resembles }: EffectEntry): string =>
  [
    tool,
    args?.n,
    state,
    ...(reused === undefined ? [] : ["reused"]),
    ...(resembles === undefined ? [] : ["resembles"]),
  ].join(" ");
