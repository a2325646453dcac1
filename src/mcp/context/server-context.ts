import type { NavigatorClient } from "../../client/client";
import type { Logger } from "../../node/log";
import type { Project } from "../../project/load";
import type { TaskServiceApi } from "../../queue/types";

/** What the tools work on, once a Temporal server is there. */
export interface Backend {
  taskService: TaskServiceApi;
  client: NavigatorClient;
  /** Why the server cannot be reached just now; null when it can. Told apart from a worker that does not answer. */
  unreachable?(): Promise<string | null>;
}

/** What one MCP server is made of. All state that matters is in Temporal: losing a server loses nothing. */
export interface ServerContext {
  /**
   * Asked at every call, so that a server starts, and lists its tools, before Temporal is there. Gives the same backend
   * again once it is connected.
   *
   * @throws NavigatorError
   */
  backend(): Promise<Backend>;
  /** Agents by name, and the folder that workflow files are read from. */
  project: Pick<Project, "folder" | "agents" | "definitions">;
  /** For agents that name no model. */
  model: string;
  log: Logger;
  version: string;
  /** Whether callers may name files of this machine: they run on it, as the same user. */
  files: boolean;
  /** How long a dialog waits for the person; default: 45 s, 5 minutes where the client listens to progress. */
  patience_ms?: number;
  /** What is listed has changed: who serves several clients tells all of them. */
  announce?(): void;
}
