import { randomUUID } from "node:crypto";
import { Client, Connection, type WorkflowHandle } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import type { AgentHandle, ReviewedHandle } from "../../src/client/handles";
import { rootIdOf, workflowIdFor } from "../../src/core/base/ids";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { readEffectKey } from "../../src/core/effects/effect-key";
import type { UndoPlan } from "../../src/core/effects/undo/undo-plan";
import type { ExecutionResult } from "../../src/core/plan/run/result";
import { MortalWorker } from "../../src/testing/mortal-worker";
import type { Scene } from "../../src/testing/scene";
import type { ProofServer } from "../frame/proof";
import type { Random } from "../frame/random";
import { payerWith } from "./agents";
import { EffectHttp } from "./effect-http";
import type { EffectService } from "./effect-service";
import { type MissionEnd, missionEndOf } from "./judge";
import { type Faults, faultsOf } from "./missions/faults";
import type { EffectMission } from "./missions/mission";
import { HELPER } from "./missions/program";
import { Person } from "./person";
import { endOfTask, GatePerson, type GraphMission, isOnGraph, taskOfMission } from "./run-graph";
import { type EffectRun, endOfMission } from "./run-in-memory";
import { endOfPlan, isPlanned, PlanTeller, planOfMission } from "./run-plan";
import { StagedTeller } from "./staged-teller";
import { Teller } from "./teller";

/** A mission that is under way. */
interface OpenMission {
  teller: Teller;
  faults: Faults;
}

/** A mission as it was started: `end` waits for it. */
interface StartedMission {
  run: ReviewedHandle;
  teller: Teller;
  person: Person;
  end(): Promise<MissionEnd>;
}

/** Calls of models and tools between two kills. */
const CALLS_BETWEEN = [5, 45] as const;
/** A kill that hits no call comes at most so many ms after one. */
const MAX_DELAY_MS = 200;
/** How often people look for questions. */
const LOOK_MS = 300;
/** A mission that takes longer is stuck. */
const MAX_MS = 600_000;

/**
 * Missions on a Temporal server, on one worker process that is killed again and again: before a tool has acted, after
 * it, or at any other moment. What is under way in all missions is lost with it.
 */
export class MissionsWithKills {
  kills = 0;
  private readonly open = new Map<string, OpenMission>();
  private left: number;
  private killing: Promise<void> | null = null;

  private constructor(
    private readonly connection: Connection,
    private readonly client: NavigatorClient,
    private readonly service: EffectService,
    private readonly random: Random,
  ) {
    this.left = random.int(...CALLS_BETWEEN);
  }

  private worker!: MortalWorker;
  private http!: EffectHttp;

  static async open(server: ProofServer, service: EffectService, random: Random): Promise<MissionsWithKills> {
    const connection = await Connection.connect({ address: server.address });
    const taskQueue = `prove-effects-${randomUUID()}`;
    const client = new NavigatorClient(new Client({ connection, namespace: server.namespace }), taskQueue);
    const missions = new MissionsWithKills(connection, client, service, random);
    missions.http = await EffectHttp.open(service, (mission) => missions.open.get(rootIdOf(mission))?.faults);
    const start = { ...server, taskQueue, tools: service.tools.specs, listeners: [] };
    // Answers are lost by kills, and as in the mission: not by number.
    missions.worker = new MortalWorker(start, missions.scene(), { loses: () => false });
    await missions.worker.launch();
    return missions;
  }

  /** Runs a mission to its end. */
  async run(mission: EffectMission, workflowId: string): Promise<EffectRun> {
    const started = await this.start(mission, workflowId);
    const { run, teller, person } = started;
    const deciding = new AbortController();
    const decided = this.decide(workflowId, person, deciding.signal);
    const ended = started.end();
    try {
      const end = await Promise.race([ended, failureOf(decided), this.worker.broken, tooLate(deciding.signal)]);
      return { end, person };
    } catch (error) {
      return { end: stuck(teller, error, await this.waitingFor(workflowId)), person };
    } finally {
      deciding.abort();
      await endRun(run);
      // Nothing asks the server any more when its connection is closed.
      await Promise.allSettled([decided, ended]);
      this.open.delete(rootIdOf(workflowId));
    }
  }

  private start(mission: EffectMission, workflowId: string): Promise<StartedMission> {
    const id = rootIdOf(workflowId);
    const { tools } = this.service;
    const opened = <T extends Teller>(teller: T): T => {
      this.open.set(id, { teller, faults: faultsOf(mission) });
      return teller;
    };
    if (isPlanned(mission)) return this.startPlan(opened(new PlanTeller(mission, tools)), id);
    if (isOnGraph(mission)) return this.startTask(mission, opened(new StagedTeller(mission, tools)), id);
    return this.startAgent(opened(new Teller(mission, tools)), id);
  }

  private async startAgent(teller: Teller, id: string): Promise<StartedMission> {
    const agent = payerWith(this.service.tools);
    const run = await this.client.startAgent({ id, agent, journal: {}, model: "scripted" });
    const person = new Person(teller, workflowIdFor("agent", id), this.service, true);
    const end = async () => endOfMission(await run.result(), teller, await missionLogOf(run));
    return { run, teller, person, end };
  }

  private async startPlan(teller: PlanTeller, id: string): Promise<StartedMission> {
    const run = await this.client.startPlan({ id, ...planOfMission(teller, this.service.tools), executor: true });
    const person = new Person(teller, workflowIdFor("plan", id), this.service, true);
    // The agents of plans and tasks are not counted here.
    const end = async () => endOfPlan((await run.result()) as ExecutionResult, teller, 0);
    return { run, teller, person, end };
  }

  private async startTask(mission: GraphMission, teller: StagedTeller, id: string): Promise<StartedMission> {
    const run = await this.client.startTask(taskOfMission(mission, id, this.service.tools));
    const person = new GatePerson(mission, teller, workflowIdFor("task", id), this.service, true);
    const end = async () => endOfTask(await run.result(), { teller, person, agents_run: 0 });
    return { run, teller, person, end };
  }

  /** Undoes a mission that has ended, while the worker is killed. @returns what was announced, and what came of it */
  async undo(workflowId: string): Promise<{ announced: UndoPlan; failed: string | null }> {
    const undo = await this.client.undo(workflowId);
    const late = new AbortController();
    try {
      await Promise.race([undo.run(), this.worker.broken, tooLate(late.signal)]);
      return { announced: undo.plan, failed: null };
    } catch (error) {
      return { announced: undo.plan, failed: error instanceof Error ? error.message : String(error) };
    } finally {
      late.abort();
    }
  }

  /** What a mission that does not end is busy with, in words. */
  private async waitingFor(workflowId: string): Promise<string> {
    const handle = this.client.temporal.workflow.getHandle(workflowId);
    const { raw } = await handle.describe();
    const activities = (raw.pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure }) =>
        `${activityType?.name} (attempt ${attempt}) ${lastFailure?.message ?? ""}`,
    );
    const children = (raw.pendingChildren ?? []).map((child) => `the run ${child.workflowId}`);
    const { attempt } = raw.pendingWorkflowTask ?? {};
    const task =
      attempt === undefined
        ? []
        : [`a workflow task (attempt ${attempt}${lastTaskFailure(await handle.fetchHistory())})`];
    const { open } = await this.client.openReviews({ within: workflowId }).catch(() => ({ open: [] }));
    return [...activities, ...children, ...task, ...open.map(({ review }) => `the review ${review.id}`)].join(", ");
  }

  async close(): Promise<void> {
    await this.killing;
    await this.worker.close();
    await this.http.close();
    await this.connection.close();
  }

  private scene(): Scene {
    return {
      complete: async (workflowId, call) => {
        await this.mayKill();
        const mission = this.open.get(rootIdOf(workflowId));
        if (mission === undefined) throw new Error(`no mission runs as ${workflowId}`);
        return mission.teller.answer(call, workflowId);
      },
      tools: this.service.tools.names,
      callTool: async (name, args, { idempotencyKey: key, agent }) => {
        const mission = missionOf(key);
        const { teller } = this.open.get(rootIdOf(mission)) ?? {};
        const at = teller?.placeOf(this.service.tools.of(name).effectOf(args), agent);
        const call = { mission, tool: name, args, key, at };
        if (this.random.chance(0.5)) await this.mayKill();
        const answer = await this.http.call(call);
        await this.mayKill();
        return answer;
      },
      lookUpEffect: (_, key) => this.http.lookUp(key),
      undoEffect: async (_name, _args, _result, { callKey, idempotencyKey }) => {
        if (this.random.chance(0.5)) await this.mayKill();
        const answer = await this.http.undo(callKey, idempotencyKey);
        await this.mayKill();
        return answer;
      },
      prices: {},
      onChunk: {},
      chunks: [],
      sent: [],
    };
  }

  /** Kills the worker when it is time: now, so that the call is lost, or a little later. */
  private async mayKill(): Promise<void> {
    this.left -= 1;
    if (this.left > 0 || this.killing !== null) return;
    const delay = this.random.chance(0.6) ? 0 : this.random.int(1, MAX_DELAY_MS);
    this.killing = after(delay)
      .then(() => this.worker.replace())
      .finally(() => {
        this.kills += 1;
        this.left = this.random.int(...CALLS_BETWEEN);
        this.killing = null;
      });
    if (delay > 0) return;
    await this.killing;
    throw new Error("the worker that asked is dead");
  }

  /** Decides what the mission and the agents below it ask. Rejects when a decision is refused for no good reason. */
  private async decide(workflowId: string, person: Person, signal: AbortSignal): Promise<void> {
    const decisions = new Map<string, ReturnType<Person["decide"]>>();
    while (!signal.aborted) {
      await after(LOOK_MS);
      const { open } = await this.client.openReviews({ within: workflowId }).catch(() => ({ open: [] }));
      for (const { workflow_id, review } of open) {
        const name = `${workflow_id} ${review.id}`;
        // What was decided is decided again in the same way: the decision may have been lost with the worker.
        const decision = decisions.get(name) ?? person.decide(review, askerOf(workflow_id));
        decisions.set(name, decision);
        await this.client
          .reviewed(workflow_id)
          .decide({ ...decision, review: review.id })
          .catch((error: unknown) => {
            if (!(error instanceof NavigatorError) || error.code === "invalid_decision") throw error;
          });
      }
    }
  }
}

/** The workflow of a generated mission. */
export const workflowIdOf = (mission: EffectMission, id: string): string =>
  workflowIdFor(isPlanned(mission) ? "plan" : isOnGraph(mission) ? "task" : "agent", id);

/** The agent that asks, by its workflow: agents that are run as tools have the tool's name in their ids. */
const askerOf = (workflowId: string): string | null => (workflowId.includes(`/${HELPER}/`) ? HELPER : null);

/** The mission that a key belongs to. */
function missionOf(key: string): string {
  const place = readEffectKey(key);
  if (place === undefined) throw new Error(`The key of an effect is ${key}.`);
  return place.mission;
}

/** Why a workflow task failed last, as far as the history shows it: it has only the first of several attempts. */
function lastTaskFailure({ events }: Awaited<ReturnType<WorkflowHandle["fetchHistory"]>>): string {
  const failed = events?.findLast(({ workflowTaskFailedEventAttributes: sent }) => sent != null);
  const message = failed?.workflowTaskFailedEventAttributes?.failure?.message;
  return message == null ? "" : `, event ${failed?.eventId}: ${message}`;
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Rejects as the work does; never resolves. */
const failureOf = (work: Promise<void>): Promise<never> => work.then(() => new Promise<never>(() => {}));

function tooLate(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not end within ${MAX_MS / 1000} s`)), MAX_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

/** Only a worker answers, and the worker may be dead just now. */
async function missionLogOf(run: AgentHandle): Promise<string> {
  for (const until = Date.now() + MAX_MS; ; ) {
    try {
      return await run.missionLog();
    } catch (error) {
      if (!(error instanceof NavigatorError) || error.code !== "no_worker" || Date.now() > until) throw error;
      await after(LOOK_MS);
    }
  }
}

const stuck = (teller: Teller, error: unknown, waitingFor: string): MissionEnd =>
  missionEndOf({
    failed: `${error instanceof Error ? error.message : String(error)}${waitingFor === "" ? "" : `; it waits for ${waitingFor}`}`,
    sent: [...teller.sent.values()],
  });

/** A mission that has not ended would ask the next worker of this queue. */
async function endRun(run: ReviewedHandle): Promise<void> {
  await run.workflow.terminate("the proof is over").catch(() => {});
}
