import { createHmac, timingSafeEqual } from "node:crypto";
import path from "node:path";
import type { ProjectName } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { keptSecret } from "../../node/private-files";
import type { Config } from "../../node/settings";

/**
 * State that a client carries from one request to the next (mcp reference, section 4.2). It is signed, so a client can read it and
 * cannot change it: any server process with the same key takes it, also after a restart.
 */

/** A person may think for this long. Afterwards the call is made again, and asks again. */
export const STATE_MS = 60 * 60 * 1_000;

/** Why a state that came back is not taken. */
type StateProblem =
  | "tampered"
  | "expired"
  | "another_call"
  | "another_client"
  | "another_person"
  | "review_changed"
  | "review_closed";

/** A state is not what this server gave for this call, or its time is over. */
export const refusedState = (reason: StateProblem, message: string): NavigatorError =>
  new NavigatorError("invalid_input", message, {
    hint: "Call again with the same `version` and without requestState and inputResponses: the person is asked again, if there is still something to ask. Without `version` a result counts for the step where the task is now.",
    details: { path: "requestState", reason },
  });

/** Whether an error is a `refusedState`. */
export const isRefusedState = ({ code, details }: NavigatorError): boolean =>
  code === "invalid_input" && details?.path === "requestState";

/** Signs and reads states with one key, which is read when it is first needed. */
export class StateSeal {
  private known: string | undefined;

  constructor(
    private readonly keyOf: () => string,
    private readonly now: () => number = Date.now,
  ) {}

  private get key(): string {
    this.known ??= this.keyOf();
    return this.known;
  }

  /** A short proof that this server wrote a text. @param use keeps proofs of different uses apart */
  mac(use: string, text: string): string {
    return createHmac("sha256", this.key).update(`navigator/${use}\n${text}`).digest("base64url");
  }

  /** @returns a text of letters, digits, `-`, `_` and one dot */
  seal(state: object): string {
    const body = Buffer.from(JSON.stringify({ ...state, until: this.now() + STATE_MS })).toString("base64url");
    return `${body}.${this.mac("request-state", body)}`;
  }

  /** What `seal` was given. @throws NavigatorError `invalid_input` */
  open(text: string): unknown {
    const [body = "", mac = "", ...more] = text.split(".");
    if (more.length > 0 || !isSame(mac, this.mac("request-state", body)))
      throw refusedState("tampered", "The requestState was not made by this server, or it was changed.");
    const { until, ...state } = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
    if (until > this.now()) return state;
    throw refusedState("expired", "The requestState is too old: a question waits for an hour.");
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

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
