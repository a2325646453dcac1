import { randomUUID } from "node:crypto";
import type { CommandIo } from "../../src/cli/terminal/io";
import type { NavigatorClient } from "../../src/client/client";
import type { AgentHandle } from "../../src/client/handles";
import type { Step } from "../../src/core/agent/result/step";
import type { Review } from "../../src/core/review/review";
import type { Project } from "../../src/project/load";
import { startWorkerProcess, type WorkerProcess } from "../order/demo/worker-process";
import { type Answer, Person } from "./person";
import { endText, turnText } from "./print";

export interface StageOptions {
  io: CommandIo;
  folder: string;
  project: Project;
  client: NavigatorClient;
  model: string;
  yes: boolean;
  /** Where the server is, for workers. */
  env: Record<string, string>;
}

export interface Ended {
  workflow_id: string;
  step: Step;
  mission_log: string;
  reviews: Review[];
}

/** The answer of a person to a review; several for a quorum. */
export type Suggest = (review: Review) => Answer | Answer[] | Promise<Answer | Answer[]>;

const POLL_MS = 150;

/** What an example plays on: a client, workers to start and to kill, people, and eyes on what its runs do. */
export class Stage {
  readonly ended: Ended[] = [];
  private readonly workers: WorkerProcess[] = [];
  private readonly undos: (() => unknown)[] = [];
  private readonly person: Person;

  constructor(private readonly options: StageOptions) {
    this.person = new Person(options.io, options.yes);
  }

  get client(): NavigatorClient {
    return this.options.client;
  }
  get project(): Project {
    return this.options.project;
  }
  get model(): string {
    return this.options.model;
  }
  /** The example's folder. */
  get folder(): string {
    return this.options.folder;
  }

  /** An id that no run had before. */
  newId = (name: string): string => `${name}-${randomUUID().slice(0, 8)}`;

  show = (line: string): void => this.options.io.err(`  ${line}`);

  /** A worker of the example, as a separate process; `env` is what its tools need. */
  worker = async (env: Record<string, string> = {}): Promise<WorkerProcess> => {
    const worker = await startWorkerProcess({
      config: this.options.folder,
      taskQueue: this.client.taskQueue,
      env: { ...this.options.env, ...env },
    });
    this.workers.push(worker);
    this.show(`worker ${worker.pid} is up`);
    return worker;
  };

  /** Prints the steps of a run turn by turn, lets people answer its questions, and returns its end. */
  watch = async (run: AgentHandle, suggest: Suggest = approveIt): Promise<Step> => {
    this.options.io.err(`\n${run.workflow.workflowId}`);
    const shown = new Set<string>();
    let turns = 0;
    let over: Step | undefined;
    const finished = run.result().then((step) => {
      over = step;
    });
    const showStep = (step: Step) => {
      for (const turn of (step.turns ?? []).slice(turns)) {
        turns += 1;
        this.options.io.err(turnText(turn, this.options.io.color));
      }
    };
    while (over === undefined) {
      await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
      if (over !== undefined) break;
      showStep(await run.step());
      for (const review of await run.reviews())
        if (review.status === "open" && !shown.has(review.id)) {
          shown.add(review.id);
          await this.answer(run, review, suggest);
        }
    }
    showStep(over);
    const [mission_log, reviews] = [(await run.projection()).mission_log, await run.reviews()];
    this.ended.push({ workflow_id: run.workflow.workflowId, step: over, mission_log, reviews });
    if (!this.options.io.json) this.options.io.out(endText(over, mission_log, this.options.io.color));
    return over;
  };

  /** Comes back when a run asks people something; null when it ended without. */
  untilAsked = async (run: AgentHandle): Promise<Review | null> => {
    for (;;) {
      const open = (await run.reviews()).find(({ status }) => status === "open");
      if (open) return open;
      const { state } = await run.status();
      if (state === "completed" || state === "failed") return null;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };

  /** Ends something that the example started; done however the example ends, the last first. */
  atEnd = (undo: () => unknown): void => void this.undos.unshift(undo);

  async end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    for (const undo of this.undos) await undo();
  }

  private async answer(run: AgentHandle, review: Review, suggest: Suggest): Promise<void> {
    for (const answer of await this.person.answers(review, [await suggest(review)].flat())) {
      await run.decide({ review: review.id, ...answer });
      this.show(`${answer.by} decided: ${answer.choice}${answer.note === undefined ? "" : ` (${answer.note})`}`);
    }
  }
}

const approveIt: Suggest = ({ choices }) => ({ choice: choices[0] as string, by: "anna" });
