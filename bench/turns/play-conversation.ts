import { setTimeout as sleep } from "node:timers/promises";
import type { NavigatorClient } from "../../src/client/client";
import type { ToolRegistry } from "../../src/tools";
import type { Compiled, CompiledMission } from "./compile";
import { agentOf } from "./mission-agent";
import type { WorldSession } from "./outside-world";
import type { Conversation, SuiteSession, UserTurn } from "./suite";

/** One conversation, and the programs of its missions. */
export interface Part {
  conversation: Conversation;
  compiled: Compiled;
  /** The name of the agent of each mission. */
  agents: string[];
}

export interface Played {
  /** What the checkers of the suite say, and what the bench saw itself. */
  problems: string[];
  /** From the first start to the last result, without the time of the checkers. */
  ms: number;
}

const LOOK_MS = 30;
/** A worker that was killed may be away for some seconds, several times in a row. */
const PATIENCE_MS = 300_000;

/** Plays a conversation through the real engine: a mission asks its user for the next words, and goes on when they come. */
export class Player {
  constructor(
    private readonly client: NavigatorClient,
    private readonly specs: ToolRegistry,
  ) {}

  async play(part: Part, session: WorldSession): Promise<Played> {
    const { conversation, compiled, agents } = part;
    const problems: string[] = [];
    const judging = { ms: 0 };
    const begun = performance.now();
    const judge = async (turn: number) => {
      const before = performance.now();
      problems.push(...(await session.suite.judge(turn)));
      judging.ms += performance.now() - before;
    };
    const done = { calls: 0, models: 0 };
    try {
      for (const [index, mission] of compiled.missions.entries())
        await this.serve(mission, agents[index] as string, conversation, session, done, judge);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
    const ms = performance.now() - begun - judging.ms;
    problems.push(...wrongDeeds(conversation, session), ...(await session.suite.end()));
    return { problems: problems.map((problem) => `${conversation.id}: ${problem}`), ms };
  }

  /** @throws Error when the mission fails, or ends too early */
  private async serve(
    mission: CompiledMission,
    name: string,
    conversation: Conversation,
    session: WorldSession,
    done: { calls: number; models: number },
    judge: (turn: number) => Promise<void>,
  ): Promise<void> {
    const agent = agentOf(mission, name, this.specs);
    // The same start again finds the mission.
    const run = await patient(() => this.client.startAgent({ agent, model: "scripted", id: name }));
    const end = { isThere: false };
    const over = patient(() => run.result())
      .then(({ fail }) => {
        if (fail) throw new Error(`${name}: ${fail.reason}: ${fail.message}`);
        return undefined;
      })
      .finally(() => {
        end.isThere = true;
      });
    // It is waited for below, unless the conversation has another problem before.
    over.catch(() => {});
    for (const [at, { turn, calls, programs }] of mission.turns.entries()) {
      done.calls += calls;
      done.models += programs.length;
      session.turn = turn;
      if (at === mission.turns.length - 1) {
        await over;
        return judge(turn);
      }
      await Promise.race([session.reached(done.calls, done.models), over]);
      const review = await Promise.race([asked(run, at, end), over]);
      if (review === undefined) throw new Error(`${name} has ended before its user had said everything.`);
      await judge(turn);
      session.turn = turn + 1;
      const { says } = conversation.turns[turn + 1] as UserTurn;
      await patient(() => run.decide({ review, choice: "next", value: says, by: "user" }).catch(unlessTaken));
    }
  }
}

/** The question to the user that is open, the `at`-th of the mission; undefined when the mission has ended. */
async function asked(
  run: { reviews(): Promise<{ id: string; status: string }[]> },
  at: number,
  end: { readonly isThere: boolean },
): Promise<string | undefined> {
  for (const until = performance.now() + PATIENCE_MS; !end.isThere; await sleep(LOOK_MS)) {
    const reviews = await patient(() => run.reviews(), end);
    const open = reviews.filter(({ status }) => status === "open");
    if (reviews.length > at && open.length === 1) return (open[0] as { id: string }).id;
    if (performance.now() > until) throw new Error(`Nobody was asked: ${JSON.stringify(reviews)}`);
  }
  return undefined;
}

/** A worker may be killed between taking a decision and saying so: then it is decided, or the mission has even ended with it. */
function unlessTaken(error: { code?: string }): void {
  if (error.code !== "already_decided" && error.code !== "not_found") throw error;
}

/** The worker may be away: then it is asked again. */
async function patient<T>(work: () => Promise<T>, end?: { readonly isThere: boolean }): Promise<T> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(50)) {
    try {
      return await work();
    } catch (error) {
      if (end?.isThere || performance.now() > until) throw error;
    }
  }
}

/** The other side really run: a call of the model, a call of a tool, and so on. Gives the time without that of the checkers. */
export async function playLoop({ turns }: Conversation, suite: SuiteSession, latency_ms: number): Promise<Played> {
  const problems: string[] = [];
  let ms = 0;
  for (const [turn, { calls }] of turns.entries()) {
    const begun = performance.now();
    for (const { tool, args } of calls) {
      await sleep(latency_ms);
      await suite.call(turn, tool, args);
    }
    // It answers the user.
    await sleep(latency_ms);
    ms += performance.now() - begun;
    problems.push(...(await suite.judge(turn)));
  }
  return { problems: [...problems, ...(await suite.end())], ms };
}

/** Nothing may be done twice, left out or done in another order. */
function wrongDeeds({ turns }: Conversation, { deeds, keys }: WorldSession): string[] {
  const gold = turns.flatMap(({ calls }) => calls);
  const made = deeds.map(({ tool, args }) => JSON.stringify([tool, args]));
  const wanted = gold.map(({ tool, args }) => JSON.stringify([tool, args]));
  let at = 0;
  const strange = made.filter((deed) => {
    const found = wanted.indexOf(deed, at);
    if (found < 0) return true;
    at = found + 1;
    return false;
  });
  return [
    ...strange.map((deed) => `was done twice, or in another order: ${deed}`),
    ...(keys.size === gold.length ? [] : [`${keys.size} calls have reached the world, and not ${gold.length}`]),
  ];
}
