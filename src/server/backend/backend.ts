import type { NavigatorClient } from "../../client/client";
import type { TaskServiceApi } from "../../client/tasks/types";

/** The services that servers of ours use, once a Temporal server is available. */
export interface Backend {
  taskService: TaskServiceApi;
  client: NavigatorClient;
  /** Why the server cannot be reached now; null if it can. A worker that does not answer is a different case. */
  unreachable?(): Promise<string | null>;
}
