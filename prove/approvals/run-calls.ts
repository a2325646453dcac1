import { NavigatorError } from "../../src/core/base/navigator-error";
import type { CallToolInput } from "../../src/core/calls/activities";
import { signDecision } from "../../src/node/identity/sign-decision";
import type { Random } from "../frame/random";
import type { ApprovalRig, AskedMission } from "./approval-rig";
import type { ApprovedCall, CallAttack } from "./call-attacks";
import { signedYes } from "./decision-attacks";
import { PAY, SWAPPED } from "./payments";
import { PAYERS } from "./team";

/** What went wrong; null = nothing. */
type Fault = string | null;

/** A call that was approved and made, as the worker got it: attackers have seen it, too. */
async function madeCall(rig: ApprovalRig, random: Random): Promise<ApprovedCall> {
  const mission = await rig.asked(random.int(1, 100_000));
  let made: CallToolInput | undefined;
  rig.intercept(mission, async (call) => {
    made = call;
    return call;
  });
  await everybodyApproves(rig, mission, PAYERS);
  await mission.run.result();
  if (made?.approval === undefined) throw new Error("The call was made without an approval.");
  return { ...made, approval: made.approval };
}

/**
 * A mission whose call is tampered with after three people have approved. The forged one must not be made, and the program
 * sees the code; the sound one is made once.
 */
export async function tamperedCall(
  rig: ApprovalRig,
  attack: CallAttack,
  { isForged, random }: { isForged: boolean; random: Random },
): Promise<Fault> {
  const made = attack.copies ? await madeCall(rig, random) : null;
  if (attack.swaps) rig.swap("1");
  const mission = await rig.asked(random.int(1, 100_000), attack.swaps ? SWAPPED : PAY);
  const guest = attack.guest ? [rig.team.addPayer()] : [];
  const voters = [...PAYERS.slice(0, PAYERS.length - guest.length), ...guest];
  rig.intercept(mission, async (call) =>
    (isForged ? attack.forged : attack.sound)(call as ApprovedCall, {
      rig,
      mission,
      voters,
      made: made ?? (call as ApprovedCall),
    }),
  );
  try {
    await everybodyApproves(rig, mission, voters);
    const step = await mission.run.result();
    const charges = rig.payments.of(mission.payment.order);
    if (!isForged)
      return JSON.stringify(charges) === JSON.stringify([mission.payment])
        ? null
        : `Without its fault the call was not made: ${JSON.stringify(step.return ?? step.fail ?? null)}`;
    if (charges.length > 0) return `It was charged ${charges.length} times`;
    const copied = made === null ? 1 : rig.payments.of(Number(made.args.order)).length;
    if (copied !== 1) return `The other mission's order was charged ${copied} times`;
    const shown = JSON.stringify(step.return ?? step.fail ?? null);
    return shown.includes(`"code":"${attack.code}"`)
      ? null
      : `The program saw ${shown}, and not the code ${attack.code}`;
  } finally {
    await rig.end(mission);
  }
}

/** A yes that was given too long ago: the call is not made, and it is asked about again. Nothing old counts for the new question. */
export async function expiredYes(rig: ApprovalRig, random: Random): Promise<Fault> {
  const mission = await rig.asked(random.int(1, 100_000));
  const { run, review, payment } = mission;
  const { team } = rig;
  const longAgo = Date.now() - 2 * 24 * 60 * 60 * 1_000;
  try {
    const old = await Promise.all(
      PAYERS.map((by) => signDecision({ ...yesTo(mission), by }, team.key(by), longAgo - random.int(0, 1_000))),
    );
    for (const decision of old) await run.decide(decision);
    const asked = await rig.openReview(run, review.id);
    const replays: [string, () => Promise<unknown>][] = [
      ["already_decided", () => run.decide(old[0] as (typeof old)[number])],
      ["bad_signature", () => run.decide({ ...(old[0] as (typeof old)[number]), review: asked.id })],
      [
        "seal_mismatch",
        async () =>
          run.decide(await signDecision({ ...yesTo(mission), review: asked.id, by: "anna" }, team.key("anna"))),
      ],
    ];
    for (const [code, replay] of replays) {
      const found = await codeOf(replay);
      if (found !== code) return `A yes to the old question was ${found ?? "counted for the new one"}, and not ${code}`;
    }
    const before = rig.payments.of(payment.order).length;
    if (before > 0) return `It was charged ${before} times with a yes that was too old`;
    await everybodyApproves(rig, { ...mission, review: asked }, PAYERS);
    await run.result();
    const after = rig.payments.of(payment.order).length;
    return after === 1 ? null : `After the new yes it was charged ${after} times`;
  } finally {
    await rig.end(mission);
  }
}

const yesTo = ({ review: { id, seal } }: AskedMission) => ({ review: id, choice: "approve", seal: String(seal) });

async function everybodyApproves({ team }: ApprovalRig, { run, review }: AskedMission, voters: readonly string[]) {
  for (const name of voters) await run.decide(await signedYes({ team, review }, name));
}

async function codeOf(decide: () => Promise<unknown>): Promise<string | null> {
  try {
    await decide();
    return null;
  } catch (error) {
    if (error instanceof NavigatorError) return error.code;
    throw error;
  }
}
