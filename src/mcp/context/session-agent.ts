import { cutText } from "../../core/base/whole-characters";
import type { Mover } from "../../core/review/people/mover";
import type { Via } from "../../core/review/people/principal";
import type { ServerContext } from "./server-context";
import type { Call } from "./tool";

/** Identifies a session as an agent, also if it acts for a person (approvals reference, section 1). */

const MAX_NAME_CHARS = 100;

/** The agent that a session is, by the name that its client gives itself. No person can have such a name. */
export function sessionAgent({ extra, serverContext }: Pick<Call, "extra" | "serverContext">): Mover {
  const name = extra.client.name?.trim() || "client";
  return { id: `agent:${cutText(name, MAX_NAME_CHARS)}`, kind: "agent", via: viaOf(serverContext) };
}

/**
 * Who asks for the tasks that a session starts: its agent. Where agents may decide (`--may decide`) nobody is named: an
 * orchestrator that starts a task then also answers its gates, if they name no people.
 */
export function taskRequester({ extra, serverContext }: Pick<Call, "extra" | "serverContext">): {
  requested_by?: string;
} {
  return serverContext.mayDecide ? {} : { requested_by: sessionAgent({ extra, serverContext }).id };
}

/** The surface of a server: over HTTP, or over stdio (and in one process). */
export const viaOf = ({ via = "mcp" }: Pick<ServerContext, "via">): Via => via;
