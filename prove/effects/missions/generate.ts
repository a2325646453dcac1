import type { Random } from "../../frame/random";
import {
  type CallFault,
  type DeedCall,
  deedName,
  type EffectMission,
  type MeantDeed,
  type MissionStage,
  mapCalls,
  type Telling,
  type ToldForm,
} from "./mission";
import type { ProofTool, ProofTools } from "./proof-tool";

/** A stage chooses among so many deeds of a tool: few, so that equal ones are frequent. */
const DEEDS = 9;
/** From this number on deeds are what only one of two missions means. */
const PARTNERS_DEEDS = 10_000;
/** From this number on deeds are wrong ones. */
const WRONG_DEEDS = 1_000;
const WORDS = ["thanks", "for June", "invoice 7", "as agreed", "2nd reminder", "urgent!", "", 'said "ok"'];

/** Of the forms that a program chooses from, from here on: calls without a task. */
const PLAIN = 0.6;

/** The shares of missions whose stages are tasks of a plan, and steps of a graph. */
const PLANS = 0.2;
const GRAPHS = 0.2;

/** What does the stages of a mission: one agent, the tasks of a plan, or the steps of a graph. */
type Shape = "agent" | "plan" | "graph";

/** A mission: first what is meant, then how it is told. */
export function generateMission(random: Random, tools: ProofTools): EffectMission {
  const share = random.next();
  const shape = share < PLANS ? "plan" : share < PLANS + GRAPHS ? "graph" : "agent";
  return new Generator(random, tools.all, tools).mission(shape);
}

/** A mission, and another one that means a share of its deeds, too. */
export function generatePair(random: Random, tools: ProofTools, share: number): EffectMission {
  // What one mission alone means must differ from what the other one means.
  const endless = tools.all.filter(({ kinds }) => kinds === Number.POSITIVE_INFINITY);
  const mission = new Generator(random, endless, tools).mission("agent");
  const deeds = mission.stages.flatMap(({ deeds }) => deeds);
  const isOne = (deed: MeantDeed) => deeds.filter((other) => deedName(other) === deedName(deed)).length === 1;
  const eligible = deeds.filter((deed) => !deed.regretted && mayShare(tools.of(deed.tool)) && isOne(deed));
  const count = Math.floor(deeds.length * share + random.next());
  const shared = random.shuffled(eligible).slice(0, count);
  const asked = shared.map((deed) => ({ ...deed, times: random.chance(0.8) ? deed.times : random.int(1, 3) }));
  return { ...mission, partner: new Generator(random, endless, tools, PARTNERS_DEEDS).mission("agent", asked) };
}

/** Whether two missions that mean a deed of this tool do it once. */
export const mayShare = (tool: ProofTool): boolean =>
  tool.spec.identity_scope === "namespace" && !tool.everyCallCounts && tool.kinds === Number.POSITIVE_INFINITY;

class Generator {
  private readonly ids = new Map<string, TaskUse>();
  private unique = 0;
  /** Agents return what they were answered: they do not hear that a record stands for another deed. */
  private returns = false;

  constructor(
    private readonly random: Random,
    /** Those that the mission calls. */
    private readonly called: readonly ProofTool[],
    private readonly tools: ProofTools,
    private readonly firstDeed = 0,
  ) {}

  /** @param shared meant in its first stage, besides its own */
  mission(shape: Shape, shared: readonly MeantDeed[] = []): EffectMission {
    const { random } = this;
    const endless = this.called.filter(({ kinds }) => kinds === Number.POSITIVE_INFINITY);
    const parallel = shape === "plan" && random.chance(0.4) && endless.length > 0;
    const count = random.int(1, 3);
    // Which of two equal deeds beside each other is done is nobody's to say: stages at once mean different ones.
    const meant = random.list(count, (stage) =>
      parallel
        ? this.meant(endless, this.firstDeed + stage * DEEDS)
        : [...this.meant(this.called, this.firstDeed), ...(stage === 0 ? shared : [])],
    );
    if (shape === "agent") return { stages: meant.map((deeds, number) => this.stage(deeds, number)) };
    if (shape === "graph") return this.onGraph(meant);
    const stages = meant.map((deeds, number) => this.stageOfItsOwn(this.stage(deeds, number)));
    const on_failure = stages.map(() => random.pick(["retry", "replan"] as const));
    return { stages, plan: { parallel, on_failure, keeps: random.list(3, () => random.chance(0.5)) } };
  }

  /** Gates send back to their own stage, or further back. Whoever does a stage again tells it in another way. */
  private onGraph(meant: readonly MeantDeed[][]): EffectMission {
    const { random } = this;
    this.returns = true;
    const sends_back = meant.map((_, gate) =>
      random.list(random.pick([0, 1, 1, 2]), () => (random.chance(0.3) ? random.int(0, gate) : gate)),
    );
    const stages = meant.map((deeds, number) => {
      const again = sends_back.flat().filter((to) => to <= number).length;
      const visits = random.list(Math.min(again, MAX_VISITS) + 1, () => this.stageOfItsOwn(this.stage(deeds, number)));
      return joined(visits, deeds.length);
    });
    return { stages, graph: { sends_back } };
  }

  /** The agent of a task or a step ends with its return, or gives up: it does not go on after what it caught. */
  private stageOfItsOwn({ deeds, tellings }: MissionStage): MissionStage {
    const told = tellings.map(({ forms, end }): Telling => {
      const plain = forms.map((form) => {
        if (form.kind !== "agents") for (const call of form.calls) delete call.caught;
        return form;
      });
      return {
        forms: plain,
        end: end.kind === "returns_wrong" && this.random.chance(0.7) ? { kind: "gives_up" } : end,
      };
    });
    return { deeds, tellings: told };
  }

  // --- what is meant -----------------------------------------------------------------------------------------------

  private meant(tools: readonly ProofTool[], first: number): MeantDeed[] {
    const { random } = this;
    const deeds = new Map<string, MeantDeed>();
    for (let left = random.int(1, 4); left > 0; left--) {
      const times = random.chance(0.25) ? random.int(2, 4) : 1;
      const tool = random.pick(tools);
      const deed = { tool: tool.name, args: tool.deed(first + random.int(0, DEEDS - 1)), times };
      deeds.set(deedName(deed), deed);
    }
    return [...deeds.values()];
  }

  // --- how it is told ----------------------------------------------------------------------------------------------

  private stage(meant: readonly MeantDeed[], number: number): MissionStage {
    const { random } = this;
    const deeds = [...meant];
    const tellings = random.list(random.int(0, 2), () => this.failing(deeds, meant.length, number));
    tellings.push({
      forms: this.forms(deeds, this.calls(deeds, meant.length), number, true),
      end: { kind: "succeeds" },
    });
    return { deeds, tellings };
  }

  private failing(deeds: MeantDeed[], meant: number, stage: number): Telling {
    const { random } = this;
    const calls = this.calls(deeds, meant);
    if (random.chance(0.15)) this.mistake(deeds, calls);
    const forms = this.forms(deeds, calls, stage, true);
    if (random.chance(0.2)) return { forms, end: { kind: "returns_wrong" } };
    return { forms, end: { kind: "fails", after: random.int(0, forms.length) } };
  }

  /** The model writes other arguments than those that are meant, and mends them later. */
  private mistake(deeds: MeantDeed[], calls: DeedCall[]): void {
    const call = this.random.pick(calls);
    const { tool } = deeds[call.deed] as MeantDeed;
    const wrong = this.tools.of(tool);
    if (wrong.kinds < Number.POSITIVE_INFINITY) return;
    this.unique += 1;
    const number = this.firstDeed + WRONG_DEEDS + this.unique;
    deeds.push({ tool, args: wrong.deed(number), times: 1, regretted: true });
    Object.assign(call, { deed: deeds.length - 1, nth: 1 });
  }

  /** Every deed as often as it is meant, in any order. */
  private calls(deeds: readonly MeantDeed[], meant: number): DeedCall[] {
    const { random } = this;
    const all = deeds
      .slice(0, meant)
      .flatMap(({ times }, deed) =>
        random.list(times, (at): DeedCall => ({ deed, nth: at + 1, words: random.pick(WORDS) })),
      );
    for (const call of all) {
      if (random.chance(0.06)) call.fault = random.pick<CallFault>(["lost_before", "lost_after", "declined"]);
      if (random.chance(call.fault === undefined ? 0.05 : 0.3)) call.caught = true;
    }
    return random.shuffled(all);
  }

  private forms(deeds: readonly MeantDeed[], calls: readonly DeedCall[], stage: number, agents: boolean): ToldForm[] {
    const { random } = this;
    const forms: ToldForm[] = [];
    const used = new Set<string>();
    let left = [...calls];
    const equal = left.find(({ deed }) => (deeds[deed] as MeantDeed).times > 1);
    if (equal && random.chance(0.5)) {
      const loop = left.filter(({ deed, caught }) => deed === equal.deed && caught === undefined);
      left = left.filter((call) => !loop.includes(call));
      forms.push({ kind: "loop", style: random.pick(["for", "loop", "map"]), calls: loop });
    }
    while (left.length > 0) {
      const some = left.splice(0, random.int(1, 3));
      forms.push(this.form(deeds, some, { stage, agents, used }));
    }
    return random.shuffled(forms);
  }

  private form(
    deeds: readonly MeantDeed[],
    calls: DeedCall[],
    { stage, agents, used }: { stage: number; agents: boolean; used: Set<string> },
  ): ToldForm {
    const { random } = this;
    const meant = (some: readonly DeedCall[]) => some.map(({ deed }) => deeds[deed] as MeantDeed);
    // A call that failed is no effect of its task: a record that is given does not count it among equal ones, and what
    // is told again after the mission went on is not done again.
    const mayRecord = !calls.some(({ deed }) => {
      const { tool, times } = deeds[deed] as MeantDeed;
      return times > 1 && this.tools.of(tool).isDoneOnce;
    });
    const kind = mayRecord ? random.next() : PLAIN + random.next() * (1 - PLAIN);
    if (kind < 0.35) return { kind: "task", ...this.taskId(meant(calls), stage, used), calls };
    if (kind < 0.5) return { kind: "parallel", calls };
    if (kind < 0.6)
      return { kind: "parallel", calls, tasks: calls.map((call) => this.taskId(meant([call]), stage, used, false).id) };
    if (kind < 0.75 && agents) return this.agentsForm(deeds, calls, stage);
    return { kind: "plain", calls };
  }

  private agentsForm(deeds: readonly MeantDeed[], calls: DeedCall[], stage: number): ToldForm {
    const { random } = this;
    const cut = random.chance(0.4) ? random.int(0, calls.length) : 0;
    const parts = [calls.slice(0, cut), calls.slice(cut)].filter((part) => part.length > 0);
    const works = parts.map((part) => ({
      tellings: random.list(random.chance(0.3) ? 2 : 1, (at): Telling => {
        const told = random.shuffled(part).map((call): DeedCall => ({ ...call, words: random.pick(WORDS) }));
        for (const call of told) delete call.caught;
        const forms = this.forms(deeds, told, stage, false);
        const isLast = at === 1 || !random.chance(0.3);
        return { forms, end: isLast ? { kind: "succeeds" } : { kind: "fails", after: random.int(0, forms.length) } };
      }),
    }));
    for (const { tellings } of works) Object.assign(tellings.at(-1) as Telling, { end: { kind: "succeeds" } });
    // Beside each other, only what a call itself carries says which agent made it.
    const carries = calls.every(({ deed }) => this.tools.of((deeds[deed] as MeantDeed).tool).memo !== undefined);
    return { kind: "agents", works, parallel: random.chance(0.5) && carries };
  }

  /**
   * A task's name: a new one; one that an earlier program of the stage gave to anything; rarely one that means other deeds
   * of an earlier stage; or one that meant this deed in an earlier stage, and is reset. In one program, and for equal deeds of another stage, a name stands for one thing only.
   */
  private taskId(
    meant: readonly MeantDeed[],
    stage: number,
    used: Set<string>,
    mayReset = true,
  ): { id: string; reset?: true } {
    const { random } = this;
    const names = meant.map(deedName);
    const tools = meant.map(({ tool }) => this.tools.of(tool));
    // A deed that a record for another one has kept from being done could not be done later.
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
    const others = known.filter(([, use]) => use.stage < stage && !names.some((name) => use.deeds.has(name)));
    let found: [string, TaskUse] = [`pay-${this.ids.size + 1}`, { stage, deeds: new Set() }];
    if (here.length > 0 && random.chance(0.5)) found = random.pick(here);
    else if (done.length > 0 && names.length === 1 && random.chance(0.5)) found = random.pick(done);
    else if (others.length > 0 && random.chance(0.05)) found = random.pick(others);
    const [id, use] = found;
    const reset = use.reset || (use.stage < stage && isOnly(use, names));
    used.add(id);
    const before = use.stage < stage && !reset ? use.deeds : use.before;
    const deeds = new Set([...use.deeds, ...names]);
    this.ids.set(id, { stage, deeds, ...(before && { before }), ...(reset && { reset }) });
    return { id, ...(reset && { reset }) };
  }
}

/** From this visit on a stage is told in the same way. */
const MAX_VISITS = 2;

/** One stage that is told in the ways of several. The deeds that are meant come first in each, then its own mistakes. */
function joined(visits: readonly MissionStage[], meant: number): MissionStage {
  const deeds = (visits[0] as MissionStage).deeds.slice(0, meant);
  const tellings: Telling[] = [];
  for (const visit of visits) {
    const by = deeds.length - meant;
    deeds.push(...visit.deeds.slice(meant));
    tellings.push(...visit.tellings.map((told) => mapCalls(told, (call) => shifted(call, meant, by))));
  }
  return { deeds, tellings };
}

const shifted = (call: DeedCall, meant: number, by: number): DeedCall =>
  call.deed < meant ? call : { ...call, deed: call.deed + by };

/** What the name of a task has stood for. */
interface TaskUse {
  stage: number;
  deeds: Set<string>;
  /** What it stood for in earlier stages: there is a record, and it is not asked for again. */
  before?: Set<string>;
  /** In this stage it means its deed another time: every program resets it. */
  reset?: true;
}

const isOnly = ({ deeds }: TaskUse, names: readonly string[]): boolean =>
  deeds.size > 0 && names.every((name) => deeds.has(name)) && [...deeds].every((name) => names.includes(name));
