import type { WorkflowHandle } from "@temporalio/client";
import type { NavigatorClient } from "../../client/client";
import type { AgentHandle } from "../../client/handles";
import type { Step } from "../../core/agent/result/step";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";
import { joinLines } from "../../core/base/one-line";
import { failedCallOf } from "../../core/history/read/failed-call";
import { renderPeoplesLog } from "../../core/journal/mission-log";
import type { Review } from "../../core/review/review";
import { currentPerson } from "../../node/identity/key-store";
import { shellWord } from "../../node/shell-word";
import type { Project } from "../../project/load";
import { recordCommand, renderStep, reviewsText, waitingText } from "../show/render-step";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { followModelText } from "./model-text";
import { reportBlocked } from "./notices";
import type { Session } from "./session";
import { startWorker } from "./worker-session";

const POLL_MS = 300;

/**
 * Watches a run until it ends or waits for a person. The command brings its own worker; others may serve the same
 * queue.
 */
export async function watchRun(
  io: CommandIo,
  session: Session,
  project: Project,
  handle: AgentHandle,
  watching: Watching,
): Promise<ExitCode> {
  const { workflowId } = handle.workflow;
  return withOwnWorker({ io, session, project, workflowId }, async () => {
    const text = watching.text ? await followModelText(io, session.config, { ...session, workflowId }) : null;
    try {
      return await follow(io, session.client, handle, { ...watching, ended: async () => text?.stop() });
    } finally {
      await text?.stop();
    }
  });
}

interface Watching {
  /** The status of a return that means waiting; null = none. */
  waitingStatus: string | null;
  /** Whether to continue while it waits for a person. */
  stay: boolean;
  /** The command that continues it. */
  again: string;
  /** Whether to show the answers of models as they come. */
  text?: boolean;
}

/** @property ended called before the answer is written */
type Followed = Watching & { ended(): Promise<void> };

/** Watches while a worker with the project's tools does the work. The worker stops when the watching ends. */
export function withOwnWorker<T>(
  { io, session, project, workflowId }: { io: CommandIo; session: Session; project: Project; workflowId: string },
  watch: () => Promise<T>,
): Promise<T> {
  return withWorker(session, project, async () => {
    const blocked = reportBlocked(io, session.client, workflowId);
    try {
      return await watch();
    } finally {
      await blocked.stop();
    }
  });
}

/** Does something while a worker with the project's tools does the work. The worker stops when it ends. */
export async function withWorker<T>(session: Session, project: Project, work: () => Promise<T>): Promise<T> {
  // A failed call is reported by the run itself, in its Step and its log.
  const own = await startWorker(session.config, session, project, { quiet: true });
  const running = own.run();
  const interrupted = interruption();
  try {
    return await Promise.race([
      work(),
      running.then(() =>
        Promise.reject(
          new NavigatorError("no_worker", "The worker stopped before the run ended.", {
            exitCode: EXIT.failed,
            hint: "Start a worker again: the run continues.",
          }),
        ),
      ),
      interrupted.comes,
    ]);
  } finally {
    if (own.worker.getState() === "RUNNING") own.worker.shutdown();
    await running.finally(interrupted.stop);
  }
}

/** Ctrl-C ends the watching, not the run. A second one ends the process at once. */
function interruption(): { comes: Promise<never>; stop(): void } {
  let stop = () => {};
  const comes = new Promise<never>((_, reject) => {
    const interrupt = () => {
      stop();
      reject(
        new NavigatorError("interrupted", "Stopped before the run ended. Nothing is lost.", {
          hint: "To continue, run the same command with its --id, or start any worker: navigator worker",
          exitCode: EXIT.failed,
        }),
      );
    };
    process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
    stop = () => void process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  });
  return { comes, stop };
}

async function follow(
  io: CommandIo,
  client: NavigatorClient,
  handle: AgentHandle,
  watching: Followed,
): Promise<ExitCode> {
  const over = new AbortController();
  const result = resultUnless(over.signal, handle);
  try {
    return await followed(io, { client, handle }, result, watching);
  } finally {
    // The command may end before the run does: the call must not outlive its connection.
    over.abort();
    await result.catch(() => {});
  }
}

async function followed(
  io: CommandIo,
  { client, handle }: { client: NavigatorClient; handle: AgentHandle },
  result: Promise<Step>,
  { waitingStatus, stay, again, ended }: Followed,
): Promise<ExitCode> {
  let over: Step | undefined;
  const finished = result.then((step) => {
    over = step;
  });
  const shown = new Set<string>();
  let lookAt = 0;
  /** @returns the exit code if the command has nothing to wait for any more */
  const look = async (): Promise<ExitCode | undefined> => {
    const status = await handle.status();
    const below = status.state === "running" && Date.now() >= lookAt ? await reviewsBelow(client, handle) : [];
    if (Date.now() >= lookAt) lookAt = Date.now() + LOOK_BELOW_MS;
    if (status.state === "waiting" || below.length > 0) {
      const open = status.state === "waiting" ? openOf(await handle.reviews()) : below;
      const parked = status.waiting !== undefined;
      if (!stay && (parked || open.length > 0)) {
        await ended();
        return waiting(io, { client, handle }, { waitingValue: status.waiting, open, again });
      }
      for (const review of open) {
        if (!shown.has(review.id))
          io.err(`Waiting for a person: ${joinLines(review.title)}  (navigator review show ${shellWord(review.id)})`);
        shown.add(review.id);
      }
      if (parked && !shown.has(PARKED))
        io.err(`Waiting for a decision: ${recordCommand(handle.id, await personHere(client))}`);
      if (parked) shown.add(PARKED);
    } else shown.delete(PARKED);
    for (const row of await handle.journal()) {
      if (!shown.has(row.id)) io.err(`  recorded ${row.id}: ${row.text}`);
      shown.add(row.id);
    }
    return undefined;
  };
  let silentSince: number | undefined;
  for (;;) {
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
    if (over) {
      await ended();
      return report(io, handle, over, waitingStatus);
    }
    try {
      const code = await look();
      if (code !== undefined) return code;
      silentSince = undefined;
    } catch (error) {
      // The command has a worker: the server is about to give it the task that another one failed at.
      silentSince ??= Date.now();
      if (!isSilent(error) || Date.now() - silentSince > SILENT_MS) throw error;
      if (!shown.has(SILENT))
        io.err(`Its last workflow task failed, and is tried again soon: ${handle.workflow.workflowId}`);
      shown.add(SILENT);
    }
  }
}

/** After a task has failed some times the server waits for some seconds until it gives it out again. */
const SILENT_MS = 60_000;
/** The command shows it once. */
const SILENT = "(silent)";

const isSilent = (error: unknown): boolean => error instanceof NavigatorError && error.code === "no_worker";

/** How often the agents that it runs are looked at. */
const LOOK_BELOW_MS = 1_000;

const openOf = (reviews: readonly Review[]): Review[] => reviews.filter(({ status }) => status === "open");

/** What the agents below it ask people: the mission itself only waits for their answers. */
async function reviewsBelow(client: NavigatorClient, handle: AgentHandle): Promise<Review[]> {
  const { open } = await client.openReviews({ within: handle.workflow.workflowId });
  const asking = await Promise.all(
    open.map(({ workflow_id }) => client.agent(workflow_id).status().catch(unlessEnded)),
  );
  // The list is that of the server, and a decision may have come since.
  return open.filter((_, i) => (asking[i]?.state ?? "running") !== "running").map(({ review }) => review);
}

function unlessEnded(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

async function report(io: CommandIo, handle: AgentHandle, step: Step, waitingStatus: string | null): Promise<ExitCode> {
  const mission_log = renderPeoplesLog((await handle.projection()).rows);
  const progress = await handle.progress();
  io.result({ id: handle.id, step, ...defined({ failed_call: failedCallOf(step) }) }, () =>
    renderStep(step, { mission_log, progress }, io.color),
  );
  if (step.fail !== null) return EXIT.failed;
  if (waitingStatus === null || statusOf(step.return) !== waitingStatus) return EXIT.done;
  io.err(
    `It waits for a person. Keep its journal: navigator journal export ${shellWord(handle.id)} > journal.json\nAdd the decision to it, and run the agent again with --journal @journal.json`,
  );
  return EXIT.waiting;
}

function statusOf(value: Json): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value.status : undefined;
}

interface Waiting {
  /** What a parked mission returned. */
  waitingValue: Json | undefined;
  open: Review[];
  again: string;
}

/** Who is logged in: their commands need no --by. */
async function personHere({ project }: NavigatorClient): Promise<string | undefined> {
  return currentPerson(project);
}

/** A mission that waits for a person, whatever for: a decision in its journal, an approval, a question, a budget. */
async function waiting(
  io: CommandIo,
  { client, handle }: { client: NavigatorClient; handle: AgentHandle },
  { waitingValue, open, again }: Waiting,
): Promise<ExitCode> {
  const mission_log = renderPeoplesLog((await handle.projection()).rows);
  const progress = await handle.progress();
  const person = await personHere(client);
  const reviews = open.map(({ id, title, choices }) => ({ id, title, choices }));
  const written = { mission_log, progress };
  io.result({ id: handle.id, status: "waiting", waiting: waitingValue ?? null, reviews }, () =>
    waitingValue === undefined
      ? reviewsText({ open, again }, written, io.color, person)
      : waitingText({ id: handle.id, waiting: waitingValue }, written, io.color, person),
  );
  return EXIT.waiting;
}

/** The command shows it once, until the mission continues. */
const PARKED = "(parked)";

/** The server is asked anew after this time. */
const ROUND_MS = 120_000;

/**
 * Waits for the result of a mission, however long it takes, unless the signal is aborted first. The SDK adds a listener to its signal
 * with each call to the server, some three a minute, and removes none: so each round has a new signal.
 */
export async function resultUnless<T>(
  over: AbortSignal,
  handle: { workflow: Pick<WorkflowHandle, "client">; result(): Promise<T> },
  round_ms = ROUND_MS,
): Promise<T> {
  const { client } = handle.workflow;
  for (;;) {
    const round = new AbortController();
    const end = () => round.abort();
    over.addEventListener("abort", end, { once: true });
    try {
      return await client.withDeadline(Date.now() + round_ms, () =>
        client.withAbortSignal(round.signal, () => handle.result()),
      );
    } catch (error) {
      const isRoundOver = error instanceof NavigatorError && error.code === "no_worker";
      if (over.aborted || !isRoundOver) throw error;
    } finally {
      over.removeEventListener("abort", end);
    }
  }
}
