import type { Review } from "../../src/core/review/review";
import type { Random } from "../frame/random";
import { type CommandPlace, runCommand } from "../rig/command";
import { McpHttpServer } from "../rig/mcp-http";
import { McpProcess } from "../rig/mcp-process";
import type { ApprovalRig } from "./approval-rig";
import {
  PROCESS_ATTACKS,
  PROCESS_CONTROLS,
  type ProcessScene,
  type ProcessSurface,
  YES_IN_FORM,
} from "./process-attacks";

/** What the attacks on one mission have shown. */
export interface ProcessOutcome {
  refused: Record<ProcessSurface, number>;
  controls: number;
  faults: { attack: string; surface: string; fault: string }[];
}

/** The servers of MCP and the command, as processes on machines of the team. */
export class AttackingProcesses {
  private constructor(
    private readonly rig: ApprovalRig,
    private readonly servers: Pick<ProcessScene, "stdio" | "stdioMayDecide" | "http">,
  ) {}

  static async open(rig: ApprovalRig): Promise<AttackingProcesses> {
    const { team } = rig;
    const person = () => YES_IN_FORM;
    const desk = placeOf(rig, team.machineWith("desk", null, team.stranger));
    const [stdio, stdioMayDecide, http] = await Promise.all([
      McpProcess.open(desk.env, desk.folder, { person }),
      McpProcess.open(desk.env, desk.folder, { args: ["--may", "decide"] }),
      McpHttpServer.open(placeOf(rig, team.identityOf("mcp"))),
    ]);
    return new AttackingProcesses(rig, { stdio, stdioMayDecide, http });
  }

  /** One mission: every attack is refused, then a person approves on each surface, and it is charged once. */
  async attack(other: Review, random: Random): Promise<ProcessOutcome> {
    const { rig } = this;
    const outcome: ProcessOutcome = { refused: { cli: 0, mcp_stdio: 0, mcp_http: 0 }, controls: 0, faults: [] };
    const mission = await rig.asked(random.int(1, 100_000));
    const { run, review, payment } = mission;
    const command: ProcessScene["command"] = async (identity, args) =>
      (await runCommand(args, placeOf(rig, identity))).code;
    const scene: ProcessScene = { team: rig.team, review, other, command, ...this.servers };
    const refusedSignals = async () => (await run.status()).refused_signals;
    const votes = async () => (await run.reviews()).find(({ id }) => id === review.id)?.votes ?? [];
    try {
      for (const { name: attack, surface, code, isSignal, forged } of random.shuffled(PROCESS_ATTACKS)) {
        const before = isSignal ? await refusedSignals() : 0;
        const stood = (await votes()).length;
        let found = await forged(scene);
        if (isSignal && found === null)
          found = await rig.until("a signal is refused or counts", async () => {
            if ((await refusedSignals()) > before) return code;
            return (await votes()).length > stood ? "it counted" : undefined;
          });
        if (found === code) outcome.refused[surface] += 1;
        else
          outcome.faults.push({
            attack,
            surface,
            fault: found === null ? "It counted" : `It was refused as ${found}, and not as ${code}`,
          });
      }
      const counted = await votes();
      if (counted.length > 0)
        outcome.faults.push({
          attack: "all",
          surface: "processes",
          fault: `These votes count: ${counted.map(({ by }) => by).join(", ")}`,
        });
      for (const { name: attack, surface, forged } of PROCESS_CONTROLS) {
        const refusal = await forged(scene);
        if (refusal === null) outcome.controls += 1;
        else
          outcome.faults.push({ attack, surface, fault: `It was refused, and nothing is wrong with it: ${refusal}` });
      }
      if (outcome.faults.length > 0) return outcome;
      await run.result();
      const charged = JSON.stringify(rig.payments.of(payment.order));
      if (charged !== JSON.stringify([payment]))
        outcome.faults.push({ attack: "all", surface: "service", fault: `It has charged ${charged}` });
      return outcome;
    } finally {
      await rig.end(mission);
    }
  }

  async close(): Promise<void> {
    const { stdio, stdioMayDecide, http } = this.servers;
    await Promise.all([stdio.kill(), stdioMayDecide.kill(), http.close()]);
  }
}

/** The team's project, seen from the machine with this identity folder. */
function placeOf({ team, server, taskQueue }: ApprovalRig, identity: string): CommandPlace {
  const { PATH, NAVIGATOR_CACHE } = process.env;
  return {
    folder: team.folder,
    env: {
      PATH,
      ...(NAVIGATOR_CACHE === undefined ? {} : { NAVIGATOR_CACHE }),
      HOME: identity,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: server.namespace,
      NAVIGATOR_PROJECT: "none",
      NAVIGATOR_TASK_QUEUE: taskQueue,
      NAVIGATOR_IDENTITY: identity,
    },
  };
}
