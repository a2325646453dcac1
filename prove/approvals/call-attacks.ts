import type { CallToolInput } from "../../src/core/calls/activities";
import type { SealedApproval } from "../../src/core/review/approval";
import type { RecordedDecision } from "../../src/core/review/review";
import { callSeal } from "../../src/core/review/seal";
import { TIMER } from "../../src/core/review/timers";
import { signDecision } from "../../src/node/identity/sign-decision";
import type { ApprovalRig, AskedMission } from "./approval-rig";
import { takenBack } from "./decision-attacks";

/** What an attacker of an approved call sees: the call is on its way to the worker, and has not arrived. */
export interface CallScene {
  rig: ApprovalRig;
  mission: AskedMission;
  /** The three people who approved. The last one is a guest that no other case knows, if the attack asks for one. */
  voters: readonly string[];
  /** An approved call of another mission, which was made; for attacks that copy none, this one. */
  made: ApprovedCall;
}

export type ApprovedCall = CallToolInput & { approval: SealedApproval };

type Tampering = (call: ApprovedCall, scene: CallScene) => Promise<CallToolInput> | CallToolInput;

/** What somebody does between the yes and the call, so that it must not be made. */
export interface CallAttack {
  name: string;
  /** The code that the program sees. */
  code: string;
  /** One of the voters is a guest. */
  guest?: true;
  /** The call is of a tool with one version at a time: these cases run one after another. */
  swaps?: true;
  /** It copies a call of another mission. */
  copies?: true;
  forged: Tampering;
  /** The same without its fault: the call is made. */
  sound: Tampering;
}

const asItIs: Tampering = (call) => call;
const more = ({ args }: ApprovedCall) => ({ ...args, cents: Number(args.cents) * 10 });
const approvedBy = (call: ApprovedCall, change: Partial<SealedApproval>): CallToolInput => ({
  ...call,
  approval: { ...call.approval, ...change },
});
const each = (call: ApprovedCall, change: (decision: RecordedDecision, i: number) => RecordedDecision) =>
  approvedBy(call, { decisions: call.approval.decisions.map(change) });

/** The call with another amount, asked about as such, under a seal that fits it. */
function resealed(call: ApprovedCall): ApprovedCall {
  const { approval } = call;
  const args = more(call);
  const seal = callSeal(call.name, args, approval.sealed, approval.review, approval.nonce);
  return { ...call, args, approval: { ...approval, asked_args: args, seal } };
}

/** The attacks on an approved call (docs/prove.md). */
export const CALL_ATTACKS: readonly CallAttack[] = [
  {
    name: "other arguments than were approved",
    code: "seal_broken",
    forged: (call) => ({ ...call, args: more(call) }),
    sound: (call) => ({ ...call, args: Object.fromEntries(Object.entries(call.args).reverse()) }),
  },
  {
    name: "other arguments in the call and in its approval",
    code: "seal_broken",
    forged: (call) => ({ ...call, args: more(call), approval: { ...call.approval, asked_args: more(call) } }),
    sound: asItIs,
  },
  {
    name: "other arguments under a seal that fits them",
    code: "seal_broken",
    forged: resealed,
    sound: asItIs,
  },
  {
    name: "other arguments under a seal that fits them, which everybody names",
    code: "bad_signature",
    forged: (call) => {
      const other = resealed(call);
      return each(other, (decision) => ({ ...decision, seal: other.approval.seal }));
    },
    sound: asItIs,
  },
  {
    name: "a change of the arguments that nobody made",
    code: "bad_signature",
    forged: (call) => ({
      ...each(call, (decision) => ({ ...decision, value: { cents: Number(call.args.cents) * 10 } })),
      args: more(call),
    }),
    sound: asItIs,
  },
  {
    name: "signatures that were taken off",
    code: "unverified_decision",
    forged: (call) => each(call, ({ signature: _, ...decision }) => decision),
    sound: asItIs,
  },
  {
    name: "fewer yeses than the quorum",
    code: "unverified_decision",
    forged: (call) => approvedBy(call, { decisions: call.approval.decisions.slice(1) }),
    sound: asItIs,
  },
  {
    name: "fewer yeses, and a quorum that fits them",
    code: "seal_broken",
    forged: (call) =>
      approvedBy(call, {
        decisions: call.approval.decisions.slice(1),
        sealed: { ...call.approval.sealed, quorum: call.approval.decisions.length - 1 },
      }),
    sound: asItIs,
  },
  {
    name: "the key of another call",
    code: "seal_broken",
    forged: (call) => ({ ...call, idempotency_key: call.idempotency_key.replace(/\d+$/, (n) => `${Number(n) + 1}`) }),
    sound: asItIs,
  },
  {
    name: "one yes three times",
    code: "unverified_decision",
    forged: (call) => each(call, () => call.approval.decisions[0] as RecordedDecision),
    sound: (call) => approvedBy(call, { decisions: [...call.approval.decisions].reverse() }),
  },
  {
    name: "one yes under three names",
    code: "bad_signature",
    forged: (call) => each(call, ({ by }) => ({ ...(call.approval.decisions[0] as RecordedDecision), by })),
    sound: asItIs,
  },
  {
    name: "an approval that nobody gave",
    code: "seal_broken",
    forged: (call) => approvedBy(call, { decisions: [] }),
    sound: asItIs,
  },
  {
    name: "the signed no of everybody",
    code: "seal_broken",
    forged: async (call, { rig: { team } }) => {
      const { review, seal, decisions } = call.approval;
      const no = ({ by, at }: RecordedDecision) =>
        signDecision({ review, seal, by, choice: "reject" }, team.key(by)).then((signed) => ({ ...signed, at }));
      return approvedBy(call, { decisions: await Promise.all(decisions.map(no)) });
    },
    sound: asItIs,
  },
  {
    name: "what everybody signed about something else, without a seal",
    code: "seal_broken",
    forged: async (call, { rig: { team } }) => {
      const { review, decisions } = call.approval;
      const vote = ({ by, at }: RecordedDecision) =>
        signDecision({ review, by, choice: "approve" }, team.key(by)).then((signed) => ({ ...signed, at }));
      return approvedBy(call, { decisions: await Promise.all(decisions.map(vote)) });
    },
    sound: asItIs,
  },
  {
    name: "the signed yes of a service in place of a person's",
    code: "unverified_decision",
    forged: async (call, { rig: { team } }) => {
      const { review, seal, decisions } = call.approval;
      const [first, ...others] = decisions as [RecordedDecision, ...RecordedDecision[]];
      const vote = { review, seal, by: "page", choice: "approve", kind: "service" } as const;
      const signed = await signDecision(vote, team.key("page"));
      return approvedBy(call, { decisions: [...others, { ...signed, at: first.at }] });
    },
    sound: asItIs,
  },
  {
    name: "the no that nobody's time limit took",
    code: "seal_broken",
    forged: (call) => {
      const { review } = call.approval;
      const principal = { id: TIMER, kind: "timer", verified: true, via: "library" } as const;
      return approvedBy(call, { decisions: [{ review, choice: "reject", by: TIMER, principal, at: Date.now() }] });
    },
    sound: asItIs,
  },
  {
    name: "a default that the tool does not have",
    code: "unverified_decision",
    forged: (call) => {
      const { review } = call.approval;
      const principal = { id: TIMER, kind: "timer", verified: true, via: "library" } as const;
      return approvedBy(call, {
        decisions: [{ review, choice: "approve", by: TIMER, principal, at: Date.now() }],
      });
    },
    sound: asItIs,
  },
  {
    name: "a yes that lasts longer than was asked",
    code: "seal_broken",
    forged: (call) =>
      approvedBy(call, {
        sealed: { ...call.approval.sealed, valid_for_ms: call.approval.sealed.valid_for_ms * 2 },
      }),
    sound: asItIs,
  },
  {
    name: "the approval of a call that another mission has made",
    code: "seal_broken",
    copies: true,
    forged: (call, { made }) => ({ ...call, args: made.args, approval: made.approval }),
    sound: asItIs,
  },
  {
    name: "another version of the tool",
    code: "seal_broken",
    swaps: true,
    forged: (call, { rig }) => {
      rig.swap("2");
      return call;
    },
    sound: (call, { rig }) => {
      rig.swap("1");
      return call;
    },
  },
  {
    name: "a yes that was taken back",
    code: "approval_revoked",
    forged: async (call, { rig: { team }, mission: { run, review }, voters }) => {
      await run.decide(await takenBack({ team, review }, voters[0] as string));
      return call;
    },
    // A person without a vote takes nothing back.
    sound: async (call, { rig: { team }, mission: { run, review } }) => {
      await run.decide(await takenBack({ team, review }, "eve")).catch(() => {});
      return call;
    },
  },
  {
    name: "a key that was revoked between the yes and the call",
    code: "approval_revoked",
    guest: true,
    forged: (call, { rig: { team }, voters }) => {
      team.revokeKeysOf(voters.at(-1) as string);
      return call;
    },
    sound: (call, { rig: { team } }) => {
      team.revokeKeysOf(team.addPayer());
      return call;
    },
  },
];
