import type { ToolRegistry } from "../../src/tools";
import { Setting } from "../setting";
import { type CompileOptions, compileConversation } from "./compile";
import { loopCalls, loopTokens } from "./loop-side";
import { chosen, type Mode, type TurnBenchOptions } from "./options";
import { type Part, type Played, playLoop } from "./play-conversation";
import { playInMemory } from "./play-in-memory";
import { type PlayOptions, type PlayOutcome, runConversations } from "./run-suite";
import type { Conversation, OpenTurnSuite } from "./suite";
import { addTotals, NO_TOKENS, type TokenTotals } from "./token-meter";
import {
  type CountFigures,
  type KillFigures,
  type LatencyFigures,
  type PlayFigures,
  renderTurns,
  type TurnReport,
} from "./turn-report";
import { turnTools } from "./turn-tools";

const LATENCIES_MS = [1_000, 3_000];

/** All that the command measures, as text, and whether all checks pass. */
export async function runBench(
  options: TurnBenchOptions,
  progress: (line: string) => void,
): Promise<{ text: string; isRight: boolean }> {
  const suite = await options.suite.open(progress);
  try {
    const report = await new TurnBench(suite, options, progress).report();
    const text = options.json ? JSON.stringify(report, null, 2) : renderTurns(report);
    return { text, isRight: report.problems.length === 0 };
  } finally {
    await suite.close();
  }
}

class TurnBench {
  private readonly problems: string[] = [];
  private readonly conversations: readonly Conversation[];
  /** Of the mode `flow`, by conversation: what Temporal must come to, too. */
  private readonly counted = new Map<string, TokenTotals>();
  private readonly specs: ToolRegistry;

  constructor(
    private readonly suite: OpenTurnSuite,
    private readonly options: TurnBenchOptions,
    private readonly progress: (line: string) => void,
  ) {
    this.conversations = chosen(suite.conversations, options.kinds, options.limit, options.seed);
    this.specs = turnTools(suite.tools.values(), () => Promise.reject(new Error("Only workers call tools.")));
  }

  async report(): Promise<TurnReport> {
    const { conversations, suite, options, problems } = this;
    const count: CountFigures[] = [];
    if (options.parts.includes("count")) for (const mode of options.modes) count.push(await this.count(mode));
    const onTemporal = options.parts.some((part) => part !== "count");
    const measured = onTemporal ? await this.onTemporal() : { play: null, latency: [], kill: null };
    return {
      suite: options.suite.about,
      conversations: conversations.length,
      of: suite.conversations.length,
      seed: options.seed,
      turns: turnsOf(conversations),
      calls: callsOf(conversations),
      programs: total(this.parts("flow", conversations, "").map(programsOf)),
      loop: {
        calls: total(conversations.map(loopCalls)),
        tokens: conversations.map((one) => loopTokens(one, suite.tools, true)).reduce(addTotals, NO_TOKENS),
        withoutResults: conversations.map((one) => loopTokens(one, suite.tools, false)).reduce(addTotals, NO_TOKENS),
      },
      count,
      ...measured,
      problems,
    };
  }

  /** All conversations in memory. */
  private async count(mode: Mode): Promise<CountFigures> {
    this.progress(`count, ${mode}: ${this.conversations.length} conversations ...`);
    const parts = this.parts(mode, this.conversations, mode);
    let tokens = NO_TOKENS;
    let passed = 0;
    for (const part of parts) {
      const session = await this.suite.session(part.conversation.id);
      const played = await playInMemory(part, session, this.specs);
      tokens = addTotals(tokens, played.tokens);
      if (mode === "flow") this.counted.set(part.conversation.id, played.tokens);
      if (played.problems.length === 0) passed += 1;
      this.problems.push(...played.problems);
    }
    const sum = (of: (part: Part) => number) => total(parts.map(of));
    return {
      mode,
      passed,
      modelCalls: sum(programsOf),
      dependent: sum(({ compiled }) => compiled.dependent),
      missions: sum(({ compiled }) => compiled.missions.length),
      tokens,
    };
  }

  private async onTemporal(): Promise<Pick<TurnReport, "play" | "latency" | "kill">> {
    const { parts } = this.options;
    const setting = await Setting.open([], this.progress);
    try {
      return {
        play: parts.includes("play") ? await this.play(setting) : null,
        latency: parts.includes("latency") ? await this.latency(setting) : [],
        kill: parts.includes("kill") ? await this.kill(setting) : null,
      };
    } finally {
      await setting.close();
    }
  }

  private async play(setting: Setting): Promise<PlayFigures> {
    const some = this.conversations.slice(0, this.options.played);
    const { tokens, took_ms, problems } = await this.run(setting, some, "play", { countTokens: true });
    const differ = some.filter(({ id }) => isOther(this.counted.get(id), tokens.get(id)));
    this.problems.push(...differ.map(({ id }) => `${id}: the prompts on Temporal are others than those in memory`));
    const compared = some.filter(({ id }) => this.counted.has(id)).length;
    const passed = some.length - failedIn(problems);
    return { conversations: some.length, calls: callsOf(some), passed, compared, took_ms };
  }

  /** Both sides with a model that takes its time. */
  private async latency(setting: Setting): Promise<LatencyFigures[]> {
    const some = this.conversations.slice(0, this.options.sample);
    const figures: LatencyFigures[] = [];
    for (const latency_ms of [0, ...LATENCIES_MS]) {
      // One after another without a latency: what the engine takes must not be what others make it wait.
      const atOnce = latency_ms === 0 ? 1 : 3;
      const { ms } = await this.run(setting, some, `latency-${latency_ms}`, { workers: 1, atOnce, latency_ms });
      const loop = await this.loopTimes(some, latency_ms);
      this.problems.push(...loop.flatMap((one) => one.problems));
      const loop_ms = total(loop.map((one) => one.ms));
      const modelCalls = total(this.parts("flow", some, "").map(programsOf));
      const loop_calls = total(some.map(loopCalls));
      figures.push({
        ...{ latency_ms, conversations: some.length, turns: turnsOf(some), modelCalls, loopCalls: loop_calls },
        ...{ ms: total(ms), loop_ms },
      });
    }
    return figures;
  }

  private async kill(setting: Setting): Promise<KillFigures> {
    const { killed, workers, killEvery } = this.options;
    const some = this.conversations.slice(0, killed);
    const options = { workers: workers * 2, killEvery };
    const { kills, repeated, took_ms, problems } = await this.run(setting, some, "killed", options);
    const passed = some.length - failedIn(problems);
    return { conversations: some.length, calls: callsOf(some), passed, every: killEvery, kills, repeated, took_ms };
  }

  private async run(
    setting: Setting,
    some: readonly Conversation[],
    name: string,
    given: Partial<PlayOptions>,
  ): Promise<PlayOutcome> {
    this.progress(`${name}: ${some.length} conversations on Temporal ...`);
    const { workers, atOnce } = this.options;
    const defaults = { name, workers, atOnce, latency_ms: 0, killEvery: 0, countTokens: false };
    const parts = this.parts("flow", some, name);
    const outcome = await runConversations(setting, this.suite, parts, { ...defaults, ...given }, this.progress);
    this.problems.push(...outcome.problems);
    return outcome;
  }

  /** @param name of the agents, which must differ from run to run */
  private parts(mode: Mode, some: readonly Conversation[], name: string): Part[] {
    const worded = mode === "worded";
    const options: CompileOptions = { ending: worded ? "flow" : mode, worded };
    return some.map((conversation, number) => {
      const compiled = compileConversation(conversation, this.suite.tools, options);
      return { conversation, compiled, agents: compiled.missions.map((_, at) => `${name}-${number}-${at}`) };
    });
  }

  /** The loop itself has no engine: it calls the suite's simulators. One after another where the model takes no time. */
  private async loopTimes(some: readonly Conversation[], latency_ms: number): Promise<Played[]> {
    const playOne = async (one: Conversation) => playLoop(one, await this.suite.session(one.id), latency_ms);
    if (latency_ms > 0) return Promise.all(some.map(playOne));
    const played: Played[] = [];
    for (const one of some) played.push(await playOne(one));
    return played;
  }
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const turnsOf = (some: readonly Conversation[]): number => total(some.map(({ turns }) => turns.length));
const callsOf = (some: readonly Conversation[]): number =>
  total(some.flatMap(({ turns }) => turns.map(({ calls }) => calls.length)));
const programsOf = ({ compiled }: Part): number =>
  total(compiled.missions.flatMap(({ turns }) => turns.map(({ programs }) => programs.length)));
const failedIn = (problems: readonly string[]): number =>
  new Set(problems.map((problem) => problem.slice(0, problem.indexOf(":")))).size;
const isOther = (counted: TokenTotals | undefined, played: TokenTotals | undefined): boolean =>
  counted !== undefined && JSON.stringify(counted) !== JSON.stringify(played);
