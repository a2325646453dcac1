import { workflowIdFor } from "../../src/core/base/ids";
import type { Json } from "../../src/core/base/json";
import { inParallel } from "../frame/in-parallel";
import type { AnnouncedCall, Figures, Proof, ProofContext } from "../frame/proof";
import type { ToolContract } from "../frame/report";
import { shrink } from "../frame/shrink";
import type { SizesOf } from "../frame/sizes";
import { openOwnServer } from "../rig/own-server";
import { EffectService } from "./effect-service";
import { EffectFigures } from "./figures";
import { type EffectFault, type Judgement, judge } from "./judge";
import { judgeUndo } from "./judge-undo";
import { generateMission, generatePair } from "./missions/generate";
import type { EffectMission } from "./missions/mission";
import type { ProofTools } from "./missions/proof-tool";
import { smallerMissions } from "./missions/smaller-missions";
import { PAYMENTS, SHARED_PAYMENTS } from "./payment-tools";
import { openProject } from "./project-tools";
import { isOnGraph, runGraphInMemory, TASK_ID } from "./run-graph";
import { type EffectRun, runMissionInMemory } from "./run-in-memory";
import { type Pair, type PairEnd, runPairInMemory } from "./run-pair";
import { isPlanned, PLAN_ID, runPlanInMemory } from "./run-plan";
import { MissionsWithKills, workflowIdOf } from "./run-with-kills";
import type { EFFECTS_SIZES } from "./sizes";

/** How missions are run; tests give a host that is broken on purpose. */
export interface EffectsOptions {
  /** The tools of the built-in missions. */
  tools?: ProofTools;
  run?: (mission: EffectMission, id: string, service: EffectService) => Promise<EffectRun>;
  runPair?: (pair: Pair, service: EffectService) => Promise<PairEnd>;
}

/** The share of missions from which on people are asked too often for nothing. */
const MAX_NEEDLESS_SHARE = 0.01;
/** Missions at a time on the worker that is killed: most of what a lost worker takes is waiting. */
const PARALLEL = 16;

/**
 * Generates missions and runs them against a payment service that counts. The generator decides the wanted effects first; the
 * scripts of the model are full of mistakes. The judge compares the books of the service with the wanted effects.
 */
export const proveEffects =
  ({ tools, run = runMissionInMemory, runPair = runPairInMemory }: EffectsOptions = {}): Proof<typeof EFFECTS_SIZES> =>
  async (context) => {
    if (context.project === null) {
      const builtIn = tools ?? (context.sizes.cross > 0 ? SHARED_PAYMENTS : PAYMENTS);
      return new EffectsProof(context, builtIn, { run, runPair }).run();
    }
    const project = await openProject(context.project);
    const proof = new EffectsProof(context, project.tools, { run, runPair });
    project.check(context.sizes);
    // A case is one mission: then no tool is called.
    const calls = context.only === null ? await project.agreedCalls() : [];
    const figures: Figures = await proof.run();
    for (const call of calls) countContract(context, figures, call, await project.call(call));
    context.ofProject(project.proved((tool) => proof.figures.toolCounts(tool)));
    return figures;
  };

function countContract(
  { violation }: Context,
  figures: Figures,
  { tool }: AnnouncedCall,
  contract: ToolContract,
): void {
  const { args, key, checks } = contract;
  figures.tools_called = (figures.tools_called ?? 0) + 1;
  figures.contract_checks = (figures.contract_checks ?? 0) + checks.length;
  for (const { check, ok, answer } of checks)
    if (!ok)
      violation({
        what: `${tool}: ${check}, but it answered: ${answer}.`,
        where: `tool ${tool}`,
        case: null,
        smallest: { args, key },
      });
}

type Context = ProofContext<SizesOf<typeof EFFECTS_SIZES>>;

class EffectsProof {
  readonly figures = new EffectFigures();
  private readonly needless: { index: number; title: string }[] = [];

  constructor(
    private readonly context: Context,
    private readonly tools: ProofTools,
    private readonly hosts: Required<Pick<EffectsOptions, "run" | "runPair">>,
  ) {}

  async run() {
    const { missions, kills, undo } = this.context.sizes;
    // A case that is asked for by its number may be any: without kills it runs in memory.
    const killed = kills + undo === 0 ? undefined : await this.openKilled();
    try {
      await inParallel(
        this.context.cases(missions + kills + undo),
        (index) =>
          killed === undefined || index < missions
            ? this.inMemory(index)
            : killed.one(index, undo > 0 && index >= missions + kills),
        (index) => (killed === undefined || index < missions ? 1 : PARALLEL),
      );
    } finally {
      await killed?.close();
    }
    this.judgeNeedless();
    return this.figures.totals();
  }

  // --- in memory ---------------------------------------------------------------------------------------------------

  private async inMemory(index: number): Promise<void> {
    const { cross } = this.context.sizes;
    const random = this.context.random(index);
    const mission = cross > 0 ? generatePair(random, this.tools, cross) : generateMission(random, this.tools);
    const { service, runs, judged } = await this.tryInMemory(mission);
    this.figures.countShape(mission);
    for (const [at, run] of runs.entries()) this.figures.countRun(run, judged[at] as Judgement);
    const shared = judged[runs.length];
    if (shared !== undefined) this.figures.countShared(shared);
    this.figures.countService(service);
    for (const run of runs) this.noteNeedless(index, run);
    const [fault] = judged.flatMap(({ faults }) => faults);
    if (fault !== undefined) await this.report(index, mission, fault);
  }

  /** Runs a mission, or a pair of them. @returns the last judgement is of what the missions of a pair share */
  private async tryInMemory(
    mission: EffectMission,
  ): Promise<{ service: EffectService; runs: EffectRun[]; judged: Judgement[] }> {
    const service = new EffectService(this.tools);
    if (isPair(mission)) {
      const { runs, judged, shared } = await this.hosts.runPair(mission, service);
      return { service, runs, judged: [...judged, shared] };
    }
    const { id, run } = await this.runInMemory(mission, service);
    return { service, runs: [run], judged: [judge(mission, id, { service, end: run.end })] };
  }

  private async runInMemory(mission: EffectMission, service: EffectService): Promise<{ id: string; run: EffectRun }> {
    if (isPlanned(mission)) return { id: PLAN_ID, run: await runPlanInMemory(mission, service) };
    if (isOnGraph(mission)) return { id: TASK_ID, run: await runGraphInMemory(mission, service) };
    const id = workflowIdFor("agent", "proof");
    return { id, run: await this.hosts.run(mission, id, service) };
  }

  // --- with kills --------------------------------------------------------------------------------------------------

  private async openKilled(): Promise<KilledMissions> {
    const server = await openOwnServer();
    const service = new EffectService(this.tools);
    const missions = await MissionsWithKills.open(server, service, this.context.random(-1)).catch(async (error) => {
      await server.stop();
      throw error;
    });
    return {
      one: async (index, undoes) => {
        const mission = generateMission(this.context.random(index), this.tools);
        const id = workflowIdOf(mission, `proof-${index}`);
        const made = await missions.run(mission, id);
        this.figures.countShape(mission);
        const judged = judge(mission, id, { service, end: made.end });
        this.figures.countRun(made, judged);
        this.noteNeedless(index, made);
        const faults = [...judged.faults];
        if (undoes && made.end.failed === null) {
          const undone = await missions.undo(id);
          this.figures.countUndo(undone.announced);
          faults.push(...judgeUndo(id, service, undone));
        }
        const [fault] = faults;
        if (fault !== undefined) await this.report(index, mission, fault);
      },
      close: async () => {
        this.figures.worker_kills = missions.kills;
        this.figures.countService(service);
        await missions.close();
        await server.stop();
      },
    };
  }

  // --- violations --------------------------------------------------------------------------------------------------

  /** The mission is made smaller in memory, where it runs at once, as long as it shows the same there. */
  private async report(index: number, mission: EffectMission, fault: EffectFault): Promise<void> {
    const shows = async (smaller: EffectMission) => sameFault((await this.tryInMemory(smaller)).judged, fault);
    const smallest = (await shows(mission))
      ? await shrink(mission, smallerMissions, async (smaller) => (await shows(smaller)) !== undefined)
      : mission;
    const { text } = (smallest === mission ? undefined : await shows(smallest)) ?? fault;
    this.context.violation({
      what: text,
      where: `mission ${index}`,
      case: index,
      smallest: smallest as unknown as Json,
    });
  }

  private noteNeedless(index: number, { person }: EffectRun): void {
    const [title] = person.needless;
    if (title !== undefined) this.needless.push({ index, title });
  }

  private judgeNeedless(): void {
    const [first] = this.needless;
    const { missions } = this.figures;
    if (first === undefined || this.needless.length < missions * MAX_NEEDLESS_SHARE) return;
    this.context.violation({
      what: `A person was asked "${first.title}" although nothing equal had been done or lost before: in ${this.needless.length} of ${missions} missions, which is too many.`,
      where: `mission ${first.index}`,
      case: first.index,
      smallest: generateMission(this.context.random(first.index), this.tools) as unknown as Json,
    });
  }
}

interface KilledMissions {
  one(index: number, undoes: boolean): Promise<void>;
  close(): Promise<void>;
}

const sameFault = (judged: readonly Judgement[], { kind }: EffectFault): EffectFault | undefined =>
  judged.flatMap(({ faults }) => faults).find((fault) => fault.kind === kind);

const isPair = (mission: EffectMission): mission is Pair => mission.partner !== undefined;
