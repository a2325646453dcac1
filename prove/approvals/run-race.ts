import type { Decision, Review } from "../../src/core/review/review";
import { newPrivateKey } from "../../src/node/identity/keys";
import type { Random } from "../frame/random";
import type { ApprovalRig } from "./approval-rig";
import { signedYes } from "./decision-attacks";
import { PAYERS, QUORUM } from "./team";

/** So many votes reach one review at once. */
const VOTES = 100;

/**
 * A hundred votes at once: those of the payers, each several times, of strangers, of people who may not pay, and without
 * signatures. Exactly the quorum counts, and the service charges once.
 */
export async function raceVotes(rig: ApprovalRig, random: Random): Promise<{ votes: number; fault: string | null }> {
  const { team } = rig;
  const mission = await rig.asked(random.int(1, 100_000));
  const { run, review, payment } = mission;
  const scene = { team, review };
  try {
    const kinds: (() => Promise<Decision>)[] = [
      () => signedYes(scene, random.pick(PAYERS)),
      () => signedYes(scene, random.pick(PAYERS), team.stranger),
      () => signedYes(scene, "dora"),
      () => signedYes(scene, `stranger-${random.int(1, 9)}`, newPrivateKey()),
      async () => ({ review: review.id, choice: "approve", by: random.pick(PAYERS), seal: String(review.seal) }),
    ];
    const made = Array.from({ length: VOTES - PAYERS.length }, () => random.pick(kinds)());
    const sure = await Promise.all(PAYERS.map((name) => signedYes(scene, name)));
    const votes = random.shuffled([...(await Promise.all(made)), ...sure]);
    const answers = await Promise.allSettled(votes.map((vote) => run.decide(vote)));
    const counted = answers.filter((answer) => answer.status === "fulfilled").length;
    // A server takes so many updates of one workflow at once, and answers some of the others with an error: they come again.
    const closed = await rig.until("the quorum agrees", async () => {
      const now = (await run.reviews()).find(({ id }) => id === review.id) as Review;
      if (now.status !== "open") return now;
      await Promise.allSettled(sure.map((vote) => run.decide(vote)));
      return undefined;
    });
    await run.result();
    const { votes: standing = [] } = closed;
    const voters = new Set(standing.map(({ by }) => by));
    const charges = rig.payments.of(payment.order).length;
    const isRight = counted <= QUORUM && standing.length === QUORUM && PAYERS.every((name) => voters.has(name));
    const fault =
      isRight && charges === 1
        ? null
        : `${standing.length} of ${VOTES} votes stand and ${counted} were taken, of ${[...voters].join(", ")}, and it was charged ${charges} times`;
    return { votes: VOTES, fault };
  } finally {
    await rig.end(mission);
  }
}
