import { inParallel } from "../frame/in-parallel";
import type { Proof, ProofContext } from "../frame/proof";
import type { SizesOf } from "../frame/sizes";
import { whenInterrupted } from "../rig/interrupted";
import { ApprovalRig, type AskedMission } from "./approval-rig";
import { CALL_ATTACKS, type CallAttack } from "./call-attacks";
import { damagedExports } from "./damaged-exports";
import { DECISION_ATTACKS, type DecisionAttack } from "./decision-attacks";
import { expiredYes, tamperedCall } from "./run-calls";
import { DecisionsUnderAttack } from "./run-decisions";
import { AttackingProcesses } from "./run-processes";
import { raceVotes } from "./run-race";
import type { APPROVAL_SIZES } from "./sizes";
import { Team } from "./team";

type Context = ProofContext<SizesOf<typeof APPROVAL_SIZES>>;

export interface ApprovalProofOptions {
  /** What is tried on decisions; tests give attacks that succeed. */
  attacks?: readonly DecisionAttack[];
}

/** Missions that run in parallel. */
const PARALLEL = 6;

/**
 * Attacks approvals on every surface, on a real server with a payment service that counts: no attack may make a payment, and
 * each is refused with its code. Without its fault each must count: otherwise it would be refused for another reason.
 */
export const proveApprovals =
  ({ attacks = DECISION_ATTACKS }: ApprovalProofOptions = {}): Proof<typeof APPROVAL_SIZES> =>
  async (context) => {
    const proof = new ApprovalProof(context, attacks);
    await proof.run();
    return proof.figures;
  };

class ApprovalProof {
  readonly figures = {
    missions: 0,
    attacks: 0,
    refused_updates: 0,
    refused_signals: 0,
    refused_calls: 0,
    refused_by_cli: 0,
    refused_by_mcp_stdio: 0,
    refused_by_mcp_http: 0,
    controls: 0,
    racing_votes: 0,
    charges: 0,
    damages_found: 0,
    sound_exports: 0,
  };

  constructor(
    private readonly context: Context,
    private readonly attacks: readonly DecisionAttack[],
  ) {}

  async run(): Promise<void> {
    const { n, calls, races, processes, exports, sound } = this.context.sizes;
    if (n + calls + races + processes > 0) await this.onServer();
    if (exports + sound > 0 && this.context.only === null) await this.ofExports();
  }

  private async onServer(): Promise<void> {
    const team = Team.open();
    const stay = whenInterrupted(() => team.close());
    try {
      const rig = await ApprovalRig.open(this.context.server(), team);
      try {
        const other = await rig.asked(1);
        await this.cases(rig, other);
        await rig.end(other);
        this.figures.charges = rig.payments.count;
      } finally {
        await rig.close();
      }
    } finally {
      stay();
      team.close();
    }
  }

  private async cases(rig: ApprovalRig, other: AskedMission): Promise<void> {
    const { n, races, calls, processes } = this.context.sizes;
    const [swapping, atDesk] = [oneByOne(), oneByOne()];
    const attacking = processes > 0 ? await AttackingProcesses.open(rig) : null;
    const cases: Case[] = [
      ...times(processes, (index) => atDesk(() => this.byProcesses(attacking as AttackingProcesses, other, index))),
      ...times(n, (index) => this.decisions(rig, other, index)),
      ...times(races, (index) => this.race(rig, index)),
      ...times(calls, (index) => this.expired(rig, index)),
      ...CALL_ATTACKS.flatMap((attack) =>
        [true, false].flatMap((isForged) =>
          times(calls, (index) => {
            const tamper = () => this.call(rig, { attack, isForged }, index);
            return attack.swaps ? swapping(tamper) : tamper();
          }),
        ),
      ),
    ];
    try {
      await inParallel(
        this.context.cases(cases.length),
        async (index) => cases[index]?.(index),
        () => PARALLEL,
      );
    } finally {
      await attacking?.close();
    }
  }

  private async byProcesses(attacking: AttackingProcesses, { review }: AskedMission, index: number): Promise<void> {
    const { refused, controls, faults } = await attacking.attack(review, this.context.random(index));
    this.figures.missions += 1;
    this.figures.attacks += refused.cli + refused.mcp_stdio + refused.mcp_http + faults.length;
    this.figures.refused_by_cli += refused.cli;
    this.figures.refused_by_mcp_stdio += refused.mcp_stdio;
    this.figures.refused_by_mcp_http += refused.mcp_http;
    this.figures.controls += controls;
    this.noteFaults(faults, index);
  }

  private async call(
    rig: ApprovalRig,
    { attack, isForged }: { attack: CallAttack; isForged: boolean },
    index: number,
  ): Promise<void> {
    const fault = await tamperedCall(rig, attack, { isForged, random: this.context.random(index) });
    this.figures.missions += 1;
    if (isForged) this.figures.attacks += 1;
    if (fault !== null)
      return this.context.violation({
        what: `${fault}: ${attack.name}.`,
        where: "between the yes and the call",
        case: index,
        smallest: { attack: attack.name, surface: "call" },
      });
    this.figures[isForged ? "refused_calls" : "controls"] += 1;
  }

  private async expired(rig: ApprovalRig, index: number): Promise<void> {
    const fault = await expiredYes(rig, this.context.random(index));
    this.figures.missions += 1;
    this.figures.attacks += 4;
    if (fault === null) this.figures.refused_calls += 1;
    else
      this.context.violation({
        what: `${fault}.`,
        where: "a yes that was given too long ago",
        case: index,
        smallest: { attack: "a yes that was given too long ago" },
      });
  }

  private async decisions(rig: ApprovalRig, other: AskedMission, index: number): Promise<void> {
    const { n } = this.context.sizes;
    const random = this.context.random(index);
    const found = await DecisionsUnderAttack.run(
      rig,
      { index, missions: n, random, other: other.review },
      this.attacks,
    );
    this.figures.missions += 1;
    this.figures.attacks += found.refused_updates + found.refused_signals + found.faults.length;
    this.figures.refused_updates += found.refused_updates;
    this.figures.refused_signals += found.refused_signals;
    this.figures.controls += found.controls;
    this.noteFaults(found.faults, index);
  }

  private noteFaults(faults: readonly { attack: string; surface: string; fault: string }[], index: number): void {
    for (const { attack, surface, fault } of faults)
      this.context.violation({
        what: `${fault}: ${attack}, by ${surface}.`,
        where: `mission ${index}`,
        case: index,
        smallest: { attack, surface },
      });
  }

  private async race(rig: ApprovalRig, index: number): Promise<void> {
    const { votes, fault } = await raceVotes(rig, this.context.random(index));
    this.figures.missions += 1;
    this.figures.racing_votes += votes;
    if (fault === null) return;
    this.context.violation({ what: `${fault}.`, where: "a race of votes", case: index, smallest: { votes } });
  }

  private async ofExports(): Promise<void> {
    const { exports: damaged, sound } = this.context.sizes;
    const found = await damagedExports({ seed: this.context.seed, sound, damaged }, (done) =>
      this.context.progress(done, sound + damaged),
    );
    this.figures.damages_found = found.damaged - found.missed.length;
    this.figures.sound_exports = found.sound - found.refused.length;
    for (const { case: made, damage } of found.missed)
      this.context.violation({
        what: `The damage was not found: ${damage}.`,
        where: `export ${made}`,
        case: null,
        smallest: { export: made, damage },
      });
    for (const { case: made, problems } of found.refused)
      this.context.violation({
        what: `A sound export was refused: ${problems.map(({ message }) => message).join(" ")}`,
        where: `export ${made}`,
        case: null,
        smallest: { export: made },
      });
  }
}

/** What is done as the case of this number. */
type Case = (index: number) => Promise<void>;

const times = (count: number, run: Case): Case[] => Array.from({ length: count }, () => run);

/** Work that is done one after another, in the order in which it is given. */
function oneByOne(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.catch(() => {}).then(work);
    return last;
  };
}
