import type { McpServer } from "@modelcontextprotocol/server";
import type { Logger } from "../../node/log";
import type { Project } from "../../project/load";
import type { Backend } from "../../server/backend/backend";
import type { Identity } from "./identity";
import type { ProtocolEra } from "./request";
import type { StateSeal } from "./sealed-state";
import type { ServedTool } from "./served-tool";
import type { McpTaskSource } from "./task-source";

/** The parts of one MCP server. All important state is in Temporal: losing a server loses nothing. */
export interface ServerContext {
  /**
   * Called for every request, so that a server starts, and lists its tools, before Temporal is available. Returns the
   * same backend again once it is connected.
   *
   * @throws NavigatorError
   */
  backend(): Promise<Backend>;
  /** What `backend` waits for now, for people; null: nothing. */
  waitsFor?(): string | null;
  /** Agents by name, and the folder that workflow files are read from. */
  project: Pick<Project, "folder" | "agents" | "definitions"> & { models?: Pick<Project["models"], "own"> };
  /** For agents that name no model. */
  model: string;
  log: Logger;
  version: string;
  /** Whether callers may name files of this machine: they run on it, as the same user. */
  files: boolean;
  /**
   * The store whose tasks the orchestrator mirrors here, e.g. `GitHub issues`. Answers then repeat the moves that it has
   * not confirmed; without it, only `get_pending_syncs` lists them.
   */
  primaryStore?: string | undefined;
  /** `core`: only the tools of one orchestrator's loop, for small contexts; default: all. */
  tools?: "core" | "all";
  /** What the server knows of the people of the project; default: nobody. */
  identity?: Identity;
  /** The surface; default: mcp, which is stdio. */
  via?: "mcp" | "http";
  /** The agent of a session may decide reviews, where no people are named and nothing irreversible follows. */
  mayDecide?: boolean;
  /** The folder with the views that hosts show in the chat; absent = they are not built, and there are none. */
  appFolder?: string | undefined;
  /** The address of Mission Control, for links in views; absent = it is not known. */
  pageUrl?: string | undefined;
  /** How long a dialog waits for the person; default: 45 s, or 5 minutes if the client listens to progress. */
  patience_ms?: number;
  /** Signs what clients carry from one request to the next. */
  seal: StateSeal;
  /** Where requests have no session: what stays of a caller from one to the next, by the id of the caller. */
  callers?(id: string): object;
  /** More tools than Navigator's, and what else they need: of tests of the protocol. */
  extras?: ServerExtras;
  /** A list has changed: a server with several clients notifies all of them. */
  announce?(): void;
}

/** What a test of the protocol adds to a server. */
export interface ServerExtras {
  /** @param server the server that they are for, once it is made */
  tools(server: () => McpServer): readonly ServedTool[];
  register(server: McpServer, era: ProtocolEra): void;
  tasks: McpTaskSource;
}
