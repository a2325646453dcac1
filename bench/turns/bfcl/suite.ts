import { randomUUID } from "node:crypto";
import type { Json, JsonObject } from "../../../src/core/base/json";
import type { Conversation, OpenTurnSuite, SuiteSession, SuiteTool, TurnSuite } from "../suite";
import { BridgeProcess } from "./bridge-process";
import { installedPython } from "./install";
import { READS } from "./reads";

interface Loaded {
  tools: Omit<SuiteTool, "isRead">[];
  conversations: Conversation[];
}

/** The multi-turn part of the Berkeley Function Calling Leaderboard: 800 conversations, four times 200. */
export const BFCL: TurnSuite = {
  name: "bfcl",
  about: "BFCL v4 multi-turn, bfcl-eval 2026.3.23 (Apache 2.0)",
  kinds: ["base", "miss_func", "miss_param", "long_context"],
  async open(progress) {
    const { python, bridge, home } = installedPython(progress);
    // The package makes folders for results; they shall not be in the package.
    const process_ = new BridgeProcess(python, [bridge], { ...process.env, BFCL_PROJECT_ROOT: home });
    try {
      return opened(process_, await process_.ask<Loaded>("load"));
    } catch (error) {
      await process_.close();
      throw error;
    }
  },
};

function opened(bridge: BridgeProcess, { tools, conversations }: Loaded): OpenTurnSuite {
  const known = new Map(tools.map((tool) => [tool.name, { ...tool, isRead: READS.has(tool.name) }]));
  return {
    tools: known,
    conversations,
    session: async (conversation) => {
      const session = `s_${randomUUID().replaceAll("-", "")}`;
      await bridge.ask("open", { conversation, session });
      return new BfclSession(bridge, session);
    },
    close: () => bridge.close(),
  };
}

class BfclSession implements SuiteSession {
  constructor(
    private readonly bridge: BridgeProcess,
    private readonly session: string,
  ) {}

  /** @throws Error when a tool that the bench takes for a read has changed the state */
  async call(turn: number, tool: string, args: JsonObject): Promise<Json> {
    const asked = { session: this.session, turn, tool, args, watch: READS.has(tool) };
    const { answer, changed } = await this.bridge.ask<{ answer: Json; changed: boolean }>("call", asked);
    if (changed) throw new Error(`${tool} is listed as a read, and has changed the state.`);
    return answer;
  }

  async judge(turn: number): Promise<string[]> {
    return (await this.bridge.ask<{ problems: string[] }>("judge", { session: this.session, turn })).problems;
  }

  async end(): Promise<string[]> {
    return (await this.bridge.ask<{ problems: string[] }>("end", { session: this.session })).problems;
  }
}
