import type { Random } from "../../frame/random";
import {
  type CallFault,
  type EffectCall,
  type EffectMission,
  effectName,
  type MissionStage,
  mapCalls,
  type Script,
  type ScriptForm,
  type WantedEffect,
} from "./mission";
import type { ProofTool, ProofTools } from "./proof-tool";

/** A stage chooses among so many effects of a tool: few, so that equal ones are frequent. */
const EFFECTS = 9;
/** From this number on effects are what only one of two missions means. */
const PARTNERS_EFFECTS = 10_000;
/** From this number on effects are wrong ones. */
const WRONG_EFFECTS = 1_000;
const WORDS = ["thanks", "for June", "invoice 7", "as agreed", "2nd reminder", "urgent!", "", 'noted "ok"'];

/** Of the forms that a program chooses from, from here on: calls without a task. */
const PLAIN = 0.6;

/** The shares of missions whose stages are tasks of a plan, and steps of a graph. */
const PLANS = 0.2;
const GRAPHS = 0.2;

/** What does the stages of a mission: one agent, the tasks of a plan, or the steps of a graph. */
type Shape = "agent" | "plan" | "graph";

/** A mission: first the wanted effects, then its scripts. */
export function generateMission(random: Random, tools: ProofTools): EffectMission {
  const share = random.next();
  const shape = share < PLANS ? "plan" : share < PLANS + GRAPHS ? "graph" : "agent";
  return new Generator(random, tools.all, tools).mission(shape);
}

/** A mission, and another one that means a share of its effects, too. */
export function generatePair(random: Random, tools: ProofTools, share: number): EffectMission {
  // What one mission alone means must differ from what the other one means.
  const endless = tools.all.filter(({ kinds }) => kinds === Number.POSITIVE_INFINITY);
  const mission = new Generator(random, endless, tools).mission("agent");
  const effects = mission.stages.flatMap(({ effects }) => effects);
  const isOne = (effect: WantedEffect) =>
    effects.filter((other) => effectName(other) === effectName(effect)).length === 1;
  const eligible = effects.filter((effect) => !effect.regretted && mayShare(tools.of(effect.tool)) && isOne(effect));
  const count = Math.floor(effects.length * share + random.next());
  const shared = random.shuffled(eligible).slice(0, count);
  const asked = shared.map((effect) => ({ ...effect, times: random.chance(0.8) ? effect.times : random.int(1, 3) }));
  return { ...mission, partner: new Generator(random, endless, tools, PARTNERS_EFFECTS).mission("agent", asked) };
}

/** Whether two missions that mean an effect of this tool do it once. */
export const mayShare = (tool: ProofTool): boolean =>
  tool.spec.identity_scope === "namespace" && !tool.everyCallCounts && tool.kinds === Number.POSITIVE_INFINITY;

class Generator {
  private readonly ids = new Map<string, TaskUse>();
  private unique = 0;
  /** Agents return the answers to their calls: they do not learn that a record stands for another effect. */
  private returns = false;

  constructor(
    private readonly random: Random,
    /** Those that the mission calls. */
    private readonly called: readonly ProofTool[],
    private readonly tools: ProofTools,
    private readonly firstEffect = 0,
  ) {}

  /** @param shared wanted in its first stage, besides its own */
  mission(shape: Shape, shared: readonly WantedEffect[] = []): EffectMission {
    const { random } = this;
    const endless = this.called.filter(({ kinds }) => kinds === Number.POSITIVE_INFINITY);
    const parallel = shape === "plan" && random.chance(0.4) && endless.length > 0;
    const count = random.int(1, 3);
    // Which of two equal parallel effects is done is open: parallel stages mean different ones.
    const wanted = random.list(count, (stage) =>
      parallel
        ? this.wanted(endless, this.firstEffect + stage * EFFECTS)
        : [...this.wanted(this.called, this.firstEffect), ...(stage === 0 ? shared : [])],
    );
    if (shape === "agent") return { stages: wanted.map((effects, number) => this.stage(effects, number)) };
    if (shape === "graph") return this.onGraph(wanted);
    const stages = wanted.map((effects, number) => this.stageOfItsOwn(this.stage(effects, number)));
    const on_failure = stages.map(() => random.pick(["retry", "replan"] as const));
    return { stages, plan: { parallel, on_failure, keeps: random.list(3, () => random.chance(0.5)) } };
  }

  /** Gates send back to their own stage, or further back. An agent that does a stage again uses another script. */
  private onGraph(wanted: readonly WantedEffect[][]): EffectMission {
    const { random } = this;
    this.returns = true;
    const sends_back = wanted.map((_, gate) =>
      random.list(random.pick([0, 1, 1, 2]), () => (random.chance(0.3) ? random.int(0, gate) : gate)),
    );
    const stages = wanted.map((effects, number) => {
      const again = sends_back.flat().filter((to) => to <= number).length;
      const visits = random.list(Math.min(again, MAX_VISITS) + 1, () =>
        this.stageOfItsOwn(this.stage(effects, number)),
      );
      return joined(visits, effects.length);
    });
    return { stages, graph: { sends_back } };
  }

  /** The agent of a task or a step ends with its return, or gives up: it does not continue after a failure that it caught. */
  private stageOfItsOwn({ effects, scripts }: MissionStage): MissionStage {
    const sent = scripts.map(({ forms, end }): Script => {
      const plain = forms.map((form) => {
        if (form.kind !== "agents") for (const call of form.calls) delete call.caught;
        return form;
      });
      return {
        forms: plain,
        end: end.kind === "returns_wrong" && this.random.chance(0.7) ? { kind: "gives_up" } : end,
      };
    });
    return { effects, scripts: sent };
  }

  // --- the wanted effects -------------------------------------------------------------------------------------------

  private wanted(tools: readonly ProofTool[], first: number): WantedEffect[] {
    const { random } = this;
    const effects = new Map<string, WantedEffect>();
    for (let left = random.int(1, 4); left > 0; left--) {
      const times = random.chance(0.25) ? random.int(2, 4) : 1;
      const tool = random.pick(tools);
      const effect = { tool: tool.name, args: tool.effect(first + random.int(0, EFFECTS - 1)), times };
      effects.set(effectName(effect), effect);
    }
    return [...effects.values()];
  }

  // --- the scripts -------------------------------------------------------------------------------------------------

  private stage(wanted: readonly WantedEffect[], number: number): MissionStage {
    const { random } = this;
    const effects = [...wanted];
    const scripts = random.list(random.int(0, 2), () => this.failing(effects, wanted.length, number));
    scripts.push({
      forms: this.forms(effects, this.calls(effects, wanted.length), number, true),
      end: { kind: "succeeds" },
    });
    return { effects, scripts };
  }

  private failing(effects: WantedEffect[], wanted: number, stage: number): Script {
    const { random } = this;
    const calls = this.calls(effects, wanted);
    if (random.chance(0.15)) this.mistake(effects, calls);
    const forms = this.forms(effects, calls, stage, true);
    if (random.chance(0.2)) return { forms, end: { kind: "returns_wrong" } };
    return { forms, end: { kind: "fails", after: random.int(0, forms.length) } };
  }

  /** The model writes other arguments than those that are wanted, and mends them later. */
  private mistake(effects: WantedEffect[], calls: EffectCall[]): void {
    const call = this.random.pick(calls);
    const { tool } = effects[call.effect] as WantedEffect;
    const wrong = this.tools.of(tool);
    if (wrong.kinds < Number.POSITIVE_INFINITY) return;
    this.unique += 1;
    const number = this.firstEffect + WRONG_EFFECTS + this.unique;
    effects.push({ tool, args: wrong.effect(number), times: 1, regretted: true });
    Object.assign(call, { effect: effects.length - 1, nth: 1 });
  }

  /** Every effect as often as it is wanted, in any order. */
  private calls(effects: readonly WantedEffect[], wanted: number): EffectCall[] {
    const { random } = this;
    const all = effects
      .slice(0, wanted)
      .flatMap(({ times }, effect) =>
        random.list(times, (at): EffectCall => ({ effect, nth: at + 1, words: random.pick(WORDS) })),
      );
    for (const call of all) {
      if (random.chance(0.06)) call.fault = random.pick<CallFault>(["lost_before", "lost_after", "declined"]);
      if (random.chance(call.fault === undefined ? 0.05 : 0.3)) call.caught = true;
    }
    return random.shuffled(all);
  }

  private forms(
    effects: readonly WantedEffect[],
    calls: readonly EffectCall[],
    stage: number,
    agents: boolean,
  ): ScriptForm[] {
    const { random } = this;
    const forms: ScriptForm[] = [];
    const used = new Set<string>();
    let left = [...calls];
    const equal = left.find(({ effect }) => (effects[effect] as WantedEffect).times > 1);
    if (equal && random.chance(0.5)) {
      const loop = left.filter(({ effect, caught }) => effect === equal.effect && caught === undefined);
      left = left.filter((call) => !loop.includes(call));
      forms.push({ kind: "loop", style: random.pick(["for", "loop", "map"]), calls: loop });
    }
    while (left.length > 0) {
      const some = left.splice(0, random.int(1, 3));
      forms.push(this.form(effects, some, { stage, agents, used }));
    }
    return random.shuffled(forms);
  }

  private form(
    effects: readonly WantedEffect[],
    calls: EffectCall[],
    { stage, agents, used }: { stage: number; agents: boolean; used: Set<string> },
  ): ScriptForm {
    const { random } = this;
    const wanted = (some: readonly EffectCall[]) => some.map(({ effect }) => effects[effect] as WantedEffect);
    // A call that failed is no effect of its task: a record that is given does not count it among equal ones, and what
    // is sent again after the mission continued is not done again.
    const mayRecord = !calls.some(({ effect }) => {
      const { tool, times } = effects[effect] as WantedEffect;
      return times > 1 && this.tools.of(tool).isDoneOnce;
    });
    const kind = mayRecord ? random.next() : PLAIN + random.next() * (1 - PLAIN);
    if (kind < 0.35) return { kind: "task", ...this.taskId(wanted(calls), stage, used), calls };
    if (kind < 0.5) return { kind: "parallel", calls };
    if (kind < 0.6)
      return {
        kind: "parallel",
        calls,
        tasks: calls.map((call) => this.taskId(wanted([call]), stage, used, false).id),
      };
    if (kind < 0.75 && agents) return this.agentsForm(effects, calls, stage);
    return { kind: "plain", calls };
  }

  private agentsForm(effects: readonly WantedEffect[], calls: EffectCall[], stage: number): ScriptForm {
    const { random } = this;
    const cut = random.chance(0.4) ? random.int(0, calls.length) : 0;
    const parts = [calls.slice(0, cut), calls.slice(cut)].filter((part) => part.length > 0);
    const works = parts.map((part) => ({
      scripts: random.list(random.chance(0.3) ? 2 : 1, (at): Script => {
        const sent = random.shuffled(part).map((call): EffectCall => ({ ...call, words: random.pick(WORDS) }));
        for (const call of sent) delete call.caught;
        const forms = this.forms(effects, sent, stage, false);
        const isLast = at === 1 || !random.chance(0.3);
        return { forms, end: isLast ? { kind: "succeeds" } : { kind: "fails", after: random.int(0, forms.length) } };
      }),
    }));
    for (const { scripts } of works) Object.assign(scripts.at(-1) as Script, { end: { kind: "succeeds" } });
    // In parallel, only the arguments of a call show which agent made it.
    const carries = calls.every(
      ({ effect }) => this.tools.of((effects[effect] as WantedEffect).tool).memo !== undefined,
    );
    return { kind: "agents", works, parallel: random.chance(0.5) && carries };
  }

  /**
   * A task's name: a new one; one that an earlier program of the stage gave to anything; rarely one that means other effects
   * of an earlier stage; or one that wanted this effect in an earlier stage, and is reset. In one program, and for equal effects of another stage, a name stands for one thing only.
   */
  private taskId(
    wanted: readonly WantedEffect[],
    stage: number,
    used: Set<string>,
    mayReset = true,
  ): { id: string; reset?: true } {
    const { random } = this;
    const names = wanted.map(effectName);
    const tools = wanted.map(({ tool }) => this.tools.of(tool));
    // An effect that a record for another one has kept from being done could not be done later.
    if (tools.some(({ refusesOthers, isDoneOnce }) => refusesOthers || isDoneOnce)) {
      this.unique += 1;
      return { id: `only-${this.unique}` };
    }
    const known = [...this.ids].filter(([id]) => !used.has(id));
    const here = known.filter(
      ([, use]) =>
        use.stage === stage &&
        !names.some((name) => use.before?.has(name)) &&
        (!use.reset || (mayReset && isOnly(use, names))) &&
        (!this.returns || (names.length === 1 && isOnly(use, names))),
    );
    const done = known.filter(([, use]) => mayReset && use.stage < stage && isOnly(use, names));
    const others = known.filter(([, use]) => use.stage < stage && !names.some((name) => use.effects.has(name)));
    let found: [string, TaskUse] = [`pay-${this.ids.size + 1}`, { stage, effects: new Set() }];
    if (here.length > 0 && random.chance(0.5)) found = random.pick(here);
    else if (done.length > 0 && names.length === 1 && random.chance(0.5)) found = random.pick(done);
    else if (others.length > 0 && random.chance(0.05)) found = random.pick(others);
    const [id, use] = found;
    const reset = use.reset || (use.stage < stage && isOnly(use, names));
    used.add(id);
    const before = use.stage < stage && !reset ? use.effects : use.before;
    const effects = new Set([...use.effects, ...names]);
    this.ids.set(id, { stage, effects, ...(before && { before }), ...(reset && { reset }) });
    return { id, ...(reset && { reset }) };
  }
}

/** From this visit on a stage has the same script. */
const MAX_VISITS = 2;

/** One stage with the scripts of several. The effects that are wanted come first in each, then its own mistakes. */
function joined(visits: readonly MissionStage[], wanted: number): MissionStage {
  const effects = (visits[0] as MissionStage).effects.slice(0, wanted);
  const scripts: Script[] = [];
  for (const visit of visits) {
    const by = effects.length - wanted;
    effects.push(...visit.effects.slice(wanted));
    scripts.push(...visit.scripts.map((sent) => mapCalls(sent, (call) => shifted(call, wanted, by))));
  }
  return { effects, scripts };
}

const shifted = (call: EffectCall, wanted: number, by: number): EffectCall =>
  call.effect < wanted ? call : { ...call, effect: call.effect + by };

/** What the name of a task has stood for. */
interface TaskUse {
  stage: number;
  effects: Set<string>;
  /** What it stood for in earlier stages: there is a record, and it is not asked for again. */
  before?: Set<string>;
  /** In this stage it means its effect another time: every program resets it. */
  reset?: true;
}

const isOnly = ({ effects }: TaskUse, names: readonly string[]): boolean =>
  effects.size > 0 && names.every((name) => effects.has(name)) && [...effects].every((name) => names.includes(name));
