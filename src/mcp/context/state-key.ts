import { createHmac } from "node:crypto";
import path from "node:path";
import type { ProjectName } from "../../core/base/ids";
import { keptSecret } from "../../node/private-files";
import type { Config } from "../../node/settings";
import { StateSeal } from "./state-seal";

/**
 * The seal of a project's MCP servers. All servers of a user on one machine have the same key, also after a restart: a private file
 * below NAVIGATOR_IDENTITY. Servers on several machines are given one with NAVIGATOR_MCP_STATE_KEY.
 */
export function stateSeal({ identity, mcpStateKey }: Pick<Config, "identity" | "mcpStateKey">, project: ProjectName) {
  return new StateSeal(() => {
    const key = mcpStateKey ?? keptSecret(path.join(identity, "mcp"), "request-state.key");
    // No project can be called "none".
    return createHmac("sha256", key)
      .update(`project ${project ?? "none"}`)
      .digest("base64url");
  });
}
