import type { JsonObject } from "../../src/core/base/json";
import type { Review } from "../../src/core/review/review";
import type { PrivateKey } from "../../src/node/identity/keys";
import type { McpHttpServer } from "../rig/mcp-http";
import type { McpProcess } from "../rig/mcp-process";
import type { Team } from "./team";

/** The surfaces that are separate processes. */
export type ProcessSurface = "cli" | "mcp_stdio" | "mcp_http";

/** What an attacker has: commands on any machine, and servers of MCP. */
export interface ProcessScene {
  team: Team;
  review: Review;
  /** An open review of another mission. */
  other: Review;
  /** `navigator ARGS` on a machine with this identity folder. @returns the code of the refusal; null = it counted */
  command(identity: string, args: readonly string[]): Promise<string | null>;
  /** MCP on stdio on the machine `desk`; the person there approves in dialogs. */
  stdio: McpProcess;
  /** The same, started with `--may decide`. */
  stdioMayDecide: McpProcess;
  http: McpHttpServer;
}

/** A decision through a process, which must be refused with this code. */
export interface ProcessAttack {
  name: string;
  surface: ProcessSurface;
  code: string;
  /** Some are signals: the command has sent it, and the mission counts it as refused. */
  isSignal?: true;
  forged(scene: ProcessScene): Promise<string | null>;
}

/** `navigator review decide` of the review. */
const decide = ({ review }: ProcessScene, ...more: string[]): string[] => [
  "review",
  "decide",
  review.id,
  "approve",
  ...more,
];

/** The tool of MCP with a choice: an agent's own decision. */
const asAgent = ({ review }: ProcessScene, by?: string): JsonObject => ({
  reviewId: review.id,
  choice: "approve",
  ...(by === undefined ? {} : { by }),
});

/** A yes in the dialog of a client. */
export const YES_IN_FORM: JsonObject = { decision: "approve", by: "anna" };

/** The code of a refusal, or how a dialog ended; null = it counted. */
async function refusalOf(call: () => Promise<JsonObject>): Promise<string | null> {
  try {
    const { answer } = await call();
    return answer === undefined || answer === "accepted" ? null : String(answer);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return code;
  }
}

/** A dialog at the machine `desk`, where this person claims to be logged in with this key. */
async function dialogAt({ team, stdio, review }: ProcessScene, person: string | null, key: PrivateKey) {
  team.machineWith("desk", person, key);
  return refusalOf(() => stdio.call("decide_review", { reviewId: review.id }));
}

/** A dialog of a client with this token. */
async function dialogWith({ http, review }: ProcessScene, token: string | null) {
  return refusalOf(async () =>
    (await http.session(token, () => YES_IN_FORM)).call("decide_review", { reviewId: review.id }),
  );
}

const LONG_AGO = "2026-01-02T00:00:00Z";

const tokenOf = ({ team }: ProcessScene, owner: string, expires?: string): string =>
  team.tokens.create({ owner, kind: "person", expires }).token;

/** The attacks through processes (docs/prove.md). */
export const PROCESS_ATTACKS: readonly ProcessAttack[] = [
  {
    name: "a stranger's machine",
    surface: "cli",
    code: "unknown_signer",
    forged: (scene) => scene.command(scene.team.identityOf("mallory"), decide(scene)),
  },
  {
    name: "a stranger's machine, as a signal",
    surface: "cli",
    code: "refused signal",
    isSignal: true,
    forged: (scene) => scene.command(scene.team.identityOf("mallory"), decide(scene, "--signal")),
  },
  {
    name: "a machine on which somebody is logged in under the name of a person, with another key",
    surface: "cli",
    code: "unknown_signer",
    forged: (scene) => scene.command(scene.team.machineWith("spoofed", "anna", scene.team.stranger), decide(scene)),
  },
  {
    name: "a machine on which somebody is logged in under the name of a person, with the key of another",
    surface: "cli",
    code: "bad_signature",
    forged: (scene) => scene.command(scene.team.machineWith("spoofed", "anna", scene.team.key("ben")), decide(scene)),
  },
  {
    name: "a machine with a key that was revoked",
    surface: "cli",
    code: "key_revoked",
    forged: (scene) => scene.command(scene.team.machineWith("spoofed", "eve", scene.team.revoked), decide(scene)),
  },
  {
    name: "--by with the name of another",
    surface: "cli",
    code: "unverified_decision",
    forged: (scene) => scene.command(scene.team.identityOf("ben"), decide(scene, "--by", "anna")),
  },
  {
    name: "--by with the name of a person where nobody is logged in",
    surface: "cli",
    code: "unverified_decision",
    forged: (scene) =>
      scene.command(scene.team.machineWith("spoofed", null, scene.team.stranger), decide(scene, "--by", "anna")),
  },
  {
    name: "the machine of a person that the review does not name",
    surface: "cli",
    code: "not_an_assignee",
    forged: (scene) => scene.command(scene.team.identityOf("dora"), decide(scene)),
  },
  {
    name: "the machine of a person who has left",
    surface: "cli",
    code: "key_revoked",
    forged: (scene) => scene.command(scene.team.identityOf("gil"), decide(scene)),
  },
  {
    name: "the seal of another review",
    surface: "cli",
    code: "seal_mismatch",
    forged: (scene) => scene.command(scene.team.identityOf("anna"), decide(scene, "--seal", String(scene.other.seal))),
  },
  {
    name: "an agent under the name of the person who is logged in",
    surface: "mcp_stdio",
    code: "agents_may_not_decide",
    forged: (scene) => {
      scene.team.machineWith("desk", "anna", scene.team.key("anna"));
      return refusalOf(() => scene.stdio.call("decide_review", asAgent(scene, "anna")));
    },
  },
  {
    name: "an agent under its own name",
    surface: "mcp_stdio",
    code: "agents_may_not_decide",
    forged: (scene) => refusalOf(() => scene.stdio.call("decide_review", asAgent(scene))),
  },
  {
    name: "an agent that may decide, about what cannot be taken back",
    surface: "mcp_stdio",
    code: "agents_may_not_decide",
    forged: (scene) => refusalOf(() => scene.stdioMayDecide.call("decide_review", asAgent(scene))),
  },
  {
    name: "an agent that may decide, under the name of a person",
    surface: "mcp_stdio",
    code: "agents_may_not_decide",
    forged: (scene) => refusalOf(() => scene.stdioMayDecide.call("decide_review", asAgent(scene, "anna"))),
  },
  {
    name: "a dialog where nobody is logged in",
    surface: "mcp_stdio",
    code: "not_asked",
    forged: (scene) => dialogAt(scene, null, scene.team.stranger),
  },
  {
    name: "a dialog under the name of a person, with a key of one's own",
    surface: "mcp_stdio",
    code: "not_asked",
    forged: (scene) => dialogAt(scene, "anna", scene.team.stranger),
  },
  {
    name: "a dialog under the name of a person, with the key of another",
    surface: "mcp_stdio",
    code: "not_asked",
    forged: (scene) => dialogAt(scene, "anna", scene.team.key("ben")),
  },
  {
    name: "a dialog of a person that the review does not name",
    surface: "mcp_stdio",
    code: "not_asked",
    forged: (scene) => dialogAt(scene, "dora", scene.team.key("dora")),
  },
  {
    name: "an agent without a token under the name of a person",
    surface: "mcp_http",
    code: "agents_may_not_decide",
    forged: (scene) =>
      refusalOf(async () => (await scene.http.session(null)).call("decide_review", asAgent(scene, "anna"))),
  },
  {
    name: "an agent with the token of a person, under their name",
    surface: "mcp_http",
    code: "agents_may_not_decide",
    forged: (scene) =>
      refusalOf(async () =>
        (await scene.http.session(tokenOf(scene, "anna"))).call("decide_review", asAgent(scene, "anna")),
      ),
  },
  {
    name: "a dialog without a token",
    surface: "mcp_http",
    code: "not_asked",
    forged: (scene) => dialogWith(scene, null),
  },
  {
    name: "a dialog with the token of a service",
    surface: "mcp_http",
    code: "not_asked",
    forged: (scene) => dialogWith(scene, scene.team.tokens.create({ owner: "mcp", kind: "service" }).token),
  },
  {
    name: "a dialog with the token of a person that the review does not name",
    surface: "mcp_http",
    code: "not_asked",
    forged: (scene) => dialogWith(scene, tokenOf(scene, "dora")),
  },
  {
    name: "a token that nobody has made",
    surface: "mcp_http",
    code: "401",
    forged: (scene) => dialogWith(scene, `navigator_0123456789abcdef_${"A".repeat(43)}`),
  },
  {
    name: "a token that was revoked",
    surface: "mcp_http",
    code: "401",
    forged: (scene) => {
      const { token, record } = scene.team.tokens.create({ owner: "anna", kind: "person" });
      scene.team.tokens.revoke(record.id);
      return dialogWith(scene, token);
    },
  },
  {
    name: "a token that is over",
    surface: "mcp_http",
    code: "401",
    forged: (scene) => dialogWith(scene, tokenOf(scene, "anna", LONG_AGO)),
  },
  {
    name: "the token of a person who has left",
    surface: "mcp_http",
    code: "401",
    forged: (scene) => dialogWith(scene, tokenOf(scene, "gil")),
  },
];

/** The yes of one person on each surface, all without a fault: together they are the quorum. */
export const PROCESS_CONTROLS: readonly Omit<ProcessAttack, "code">[] = [
  {
    name: "a person at their own machine",
    surface: "cli",
    forged: (scene) => scene.command(scene.team.identityOf("anna"), decide(scene)),
  },
  {
    // The form names anna: the person logged in decides.
    name: "a dialog of the person who is logged in",
    surface: "mcp_stdio",
    forged: (scene) => dialogAt(scene, "ben", scene.team.key("ben")),
  },
  {
    name: "a dialog with the token of a person",
    surface: "mcp_http",
    forged: (scene) => dialogWith(scene, tokenOf(scene, "cleo")),
  },
];
