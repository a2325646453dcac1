import { createHmac, randomBytes } from "node:crypto";
import type { JsonObject } from "../../src/core/base/json";
import { type Decision, WITHDRAW } from "../../src/core/review/decision-input";
import { decisionText } from "../../src/core/review/decision-text";
import type { Review } from "../../src/core/review/review";
import { sealOf } from "../../src/core/review/seal";
import { signText } from "../../src/node/identity/detached-jws";
import type { PrivateKey } from "../../src/node/identity/keys";
import { signDecision } from "../../src/node/identity/sign-decision";
import type { Random } from "../frame/random";
import { REQUESTER, type Team } from "./team";

/** What an attacker of a decision sees. */
export interface DecisionScene {
  team: Team;
  review: Review;
  /** An open review of another mission. */
  other: Review;
  random: Random;
  /** How the decision is sent; the signature covers it. */
  via: "library" | "signal";
}

/** A decision that nobody may make, and the same without its one fault. */
export interface DecisionAttack {
  name: string;
  /** The code of the refusal. */
  code: string;
  /** What was decided before, in this order. */
  before?: (scene: DecisionScene) => Promise<Decision[]>;
  forged: (scene: DecisionScene, before: readonly Decision[]) => Promise<Decision> | Decision;
  /** Must count: otherwise the attack would be refused for another reason. */
  sound: (scene: DecisionScene) => Promise<Decision>;
}

type Voting = Pick<DecisionScene, "team" | "review"> & Partial<DecisionScene>;

/** The yes of somebody to the review, without a signature. */
const yes = ({ review: { id, seal }, via = "library" }: Voting, by: string): Decision => ({
  review: id,
  choice: "approve",
  by,
  via,
  ...(seal === undefined ? {} : { seal }),
});

/** The signed yes of one of the people. */
export const signedYes = (scene: Voting, by: string, key = scene.team.key(by)): Promise<Decision> =>
  signDecision(yes(scene, by), key);

/** Takes a yes back. */
export const takenBack = (scene: Voting, by: string, key = scene.team.key(by)): Promise<Decision> =>
  signDecision({ ...yes(scene, by), choice: WITHDRAW }, key);

const ofAnna = (scene: DecisionScene) => signedYes(scene, "anna");
const annaBefore = async (scene: DecisionScene) => [await ofAnna(scene)];

/** Signs without adding what `signDecision` adds. */
const signedAsItIs = async (decision: Decision, key: PrivateKey): Promise<Decision> => ({
  ...decision,
  signature: await signText(decisionText(decision), key),
});

/** A signature under a header that somebody made up. */
function madeUp(decision: Decision, header: object, prove: (signed: string) => string): Decision {
  const time = Date.now();
  const stamped: Decision = { ...decision, time, nonce: randomBytes(18).toString("base64url") };
  const [head, body] = [JSON.stringify(header), decisionText(stamped)].map((text) =>
    Buffer.from(text).toString("base64url"),
  );
  return { ...stamped, signature: `${head}..${prove(`${head}.${body}`)}` };
}

/** One field of a signed decision, changed. */
const CHANGES: readonly ((signed: Decision) => Partial<Decision>)[] = [
  () => ({ note: "and the next one, too" }),
  ({ time = 0 }) => ({ time: time + 1 }),
  () => ({ nonce: randomBytes(18).toString("base64url") }),
  () => ({ via: "page" }),
];

/** The attacks on a decision (docs/prove.md). */
export const DECISION_ATTACKS: readonly DecisionAttack[] = [
  {
    name: "a stranger's key under the name of a person",
    code: "unknown_signer",
    forged: (scene) => signedYes(scene, "anna", scene.team.stranger),
    sound: ofAnna,
  },
  {
    name: "a stranger with a new name and a new key",
    code: "unknown_signer",
    forged: (scene) => signedYes(scene, "mallory"),
    sound: ofAnna,
  },
  {
    name: "the key of one person under the name of another",
    code: "bad_signature",
    forged: (scene) => signedYes(scene, "anna", scene.team.key("ben")),
    sound: ofAnna,
  },
  {
    name: "the name of a person without a signature",
    code: "unverified_decision",
    forged: (scene) => yes(scene, "anna"),
    sound: ofAnna,
  },
  {
    name: "the name of a stranger without a signature",
    code: "not_an_assignee",
    forged: (scene) => yes(scene, "mallory"),
    sound: ofAnna,
  },
  {
    name: "an agent under the name of a person",
    code: "agents_may_not_decide",
    forged: (scene) => ({ ...yes(scene, "anna"), kind: "agent", via: "mcp" }),
    sound: ofAnna,
  },
  {
    name: "an agent with the key of a person",
    code: "agents_may_not_decide",
    forged: (scene) => signDecision({ ...yes(scene, "anna"), kind: "agent", via: "mcp" }, scene.team.key("anna")),
    sound: (scene) => signDecision({ ...yes(scene, "anna"), kind: "person", via: "mcp" }, scene.team.key("anna")),
  },
  {
    name: "a name of the system",
    code: "invalid_input",
    forged: (scene) => {
      const name = scene.random.pick(["timer", "quorum", "navigator", "System", " timer"]);
      return signedYes(scene, name, scene.team.key("page"));
    },
    sound: (scene) => signedYes(scene, "anna", scene.team.key("page")),
  },
  {
    name: "a key that was revoked",
    code: "key_revoked",
    forged: (scene) => signedYes(scene, "eve", scene.team.revoked),
    sound: (scene) => signedYes(scene, "eve"),
  },
  {
    name: "a person who has left",
    code: "key_revoked",
    forged: (scene) => signedYes(scene, "gil"),
    sound: ofAnna,
  },
  {
    name: "a person who has left, by a service that vouches",
    code: "key_revoked",
    forged: (scene) => signedYes(scene, "gil", scene.team.key("page")),
    sound: (scene) => signedYes(scene, "anna", scene.team.key("page")),
  },
  {
    name: "a service that may not vouch",
    code: "bad_signature",
    forged: (scene) => signedYes(scene, "anna", scene.team.key("clerk")),
    sound: (scene) => signedYes(scene, "anna", scene.team.key("page")),
  },
  {
    name: "a person that the review does not name",
    code: "not_an_assignee",
    forged: (scene) => signedYes(scene, "dora"),
    sound: (scene) => signedYes(scene, "ben"),
  },
  {
    name: "the person who asked for the mission",
    code: "self_approval",
    forged: (scene) => signedYes(scene, REQUESTER),
    sound: ofAnna,
  },
  {
    name: "the delegate of the person who asked for the mission",
    code: "self_approval",
    forged: (scene) => signedYes(scene, "dan"),
    sound: ofAnna,
  },
  {
    name: "the signature of a stranger under the id of a person's key",
    code: "bad_signature",
    forged: (scene) => signedYes(scene, "anna", { ...scene.team.stranger, kid: scene.team.key("anna").kid }),
    sound: ofAnna,
  },
  {
    name: "a signature of no algorithm",
    code: "bad_signature",
    forged: (scene) => madeUp(yes(scene, "anna"), { alg: "none", kid: scene.team.key("anna").kid }, () => "AA"),
    sound: ofAnna,
  },
  {
    name: "a signature whose secret is the public key",
    code: "bad_signature",
    forged: (scene) => {
      const { kid, x } = scene.team.key("anna");
      return madeUp(yes(scene, "anna"), { alg: "HS256", kid }, (signed) =>
        createHmac("sha256", Buffer.from(x, "base64url")).update(signed).digest("base64url"),
      );
    },
    sound: ofAnna,
  },
  {
    name: "a signed decision with something changed",
    code: "bad_signature",
    forged: async (scene) => {
      const signed = await ofAnna(scene);
      return { ...signed, ...scene.random.pick(CHANGES)(signed) };
    },
    sound: ofAnna,
  },
  {
    name: "a signed yes to another amount",
    code: "bad_signature",
    forged: async (scene) => ({ ...(await ofAnna(scene)), value: { cents: scene.random.int(1, 1_000_000) } }),
    sound: (scene) =>
      signDecision({ ...yes(scene, "anna"), value: { cents: scene.random.int(1, 1_000_000) } }, scene.team.key("anna")),
  },
  {
    name: "a signed no that became a yes",
    code: "bad_signature",
    forged: async (scene) => ({
      ...(await signDecision({ ...yes(scene, "anna"), choice: "reject" }, scene.team.key("anna"))),
      choice: "approve",
    }),
    sound: ofAnna,
  },
  {
    name: "the seal of another review",
    code: "seal_mismatch",
    forged: (scene) => signDecision({ ...yes(scene, "anna"), seal: String(scene.other.seal) }, scene.team.key("anna")),
    sound: ofAnna,
  },
  {
    name: "a yes to another amount than is asked about now",
    code: "seal_mismatch",
    forged: (scene) => {
      const { data, nonce } = scene.review;
      const args = { ...(data.args as JsonObject), cents: scene.random.int(1, 9) };
      const seal = sealOf({ ...scene.review, data: { ...data, args } }, String(nonce));
      return signDecision({ ...yes(scene, "anna"), seal }, scene.team.key("anna"));
    },
    sound: ofAnna,
  },
  {
    name: "a yes to another review under the id of this one",
    code: "bad_signature",
    forged: async (scene) => ({
      ...(await ofAnna({ ...scene, review: scene.other })),
      review: scene.review.id,
      seal: String(scene.review.seal),
    }),
    sound: ofAnna,
  },
  {
    name: "a yes to another review",
    code: "review_not_found",
    forged: (scene) => ofAnna({ ...scene, review: scene.other }),
    sound: ofAnna,
  },
  {
    name: "a signature that names no seal",
    code: "seal_mismatch",
    forged: (scene) => {
      const { seal: _, ...stamped } = yes(scene, "anna");
      return signDecision(stamped, scene.team.key("anna"));
    },
    sound: ofAnna,
  },
  {
    name: "a signature without a nonce",
    code: "replayed_decision",
    forged: (scene) => signedAsItIs({ ...yes(scene, "anna"), time: Date.now() }, scene.team.key("anna")),
    sound: ofAnna,
  },
  {
    name: "a yes that was taken back, sent again",
    code: "replayed_decision",
    before: async (scene) => [await ofAnna(scene), await takenBack(scene, "anna")],
    forged: (_, [first]) => first as Decision,
    sound: ofAnna,
  },
  {
    name: "a second yes of one person",
    code: "already_voted",
    before: annaBefore,
    forged: ofAnna,
    sound: (scene) => signedYes(scene, "ben"),
  },
  {
    name: "a second yes of one person under the name of another",
    code: "bad_signature",
    before: annaBefore,
    forged: (scene) => signedYes(scene, "ben", scene.team.key("anna")),
    sound: (scene) => signedYes(scene, "ben"),
  },
  {
    name: "a second yes of one person under a name that nobody has",
    code: "bad_signature",
    before: annaBefore,
    forged: (scene) => signedYes(scene, scene.random.pick(["Anna", "anna2", "anna "]), scene.team.key("anna")),
    sound: (scene) => signedYes(scene, "ben"),
  },
  {
    name: "the yes of another, taken back",
    code: "not_found",
    before: annaBefore,
    forged: (scene) => takenBack(scene, "ben"),
    sound: (scene) => takenBack(scene, "anna"),
  },
  {
    name: "the yes of another, taken back under their name",
    code: "bad_signature",
    before: annaBefore,
    forged: (scene) => takenBack(scene, "anna", scene.team.key("ben")),
    sound: (scene) => takenBack(scene, "anna"),
  },
  {
    name: "the yes of another, taken back without a signature",
    code: "unverified_decision",
    before: annaBefore,
    forged: (scene) => ({ ...yes(scene, "anna"), choice: WITHDRAW }),
    sound: (scene) => takenBack(scene, "anna"),
  },
];
