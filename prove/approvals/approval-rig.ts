import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, type Worker } from "@temporalio/worker";
import { NavigatorClient } from "../../src/client/client";
import type { AgentHandle } from "../../src/client/handles";
import { NavigatorError } from "../../src/core/base/navigator-error";
import type { CallToolInput } from "../../src/core/calls/activities";
import type { Review } from "../../src/core/review/review";
import { createModels } from "../../src/models";
import { readPeople } from "../../src/node/identity/people-on-disk";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { quietRuntime } from "../../src/testing/quiet";
import { ToolRegistry } from "../../src/tools";
import { createWorker } from "../../src/worker/create-worker";
import type { ProofServer } from "../frame/proof";
import { PAY, PAYER_SCRIPT, type Payment, PaymentService, payer, SWAPPED } from "./payments";
import { REQUESTER, type Team } from "./team";

/** A mission that waits for its yes. */
export interface AskedMission {
  run: AgentHandle;
  /** The workflow. */
  id: string;
  payment: Payment;
  review: Review;
}

/** What happens to a call on its way to the worker. It may take its time, and change what arrives. */
export type OnTheWay = (call: CallToolInput) => Promise<CallToolInput>;

/** How often somebody looks whether something has happened. */
const LOOK_MS = 25;
/** What has not happened by then does not happen any more. */
const MAX_MS = 120_000;

/** Missions that pay, on the server of the proof, with a worker in this process that serves the team's project. */
export class ApprovalRig {
  readonly payments = new PaymentService();
  private readonly ways = new Map<string, OnTheWay>();
  private orders = 0;

  private constructor(
    readonly team: Team,
    readonly server: ProofServer,
    readonly taskQueue: string,
    private readonly tools: ToolRegistry,
    private readonly connections: { connection: Connection; native: NativeConnection },
    private readonly client: NavigatorClient,
  ) {}

  private worker!: Worker;
  private running!: Promise<void>;

  static async open(server: ProofServer, team: Team): Promise<ApprovalRig> {
    quietRuntime();
    const { address, namespace } = server;
    const [connection, native] = await Promise.all([
      Connection.connect({ address }),
      NativeConnection.connect({ address }),
    ]);
    await ensureSearchAttributes(connection, namespace);
    const taskQueue = `prove-approvals-${randomUUID()}`;
    const client = new NavigatorClient(new Client({ connection, namespace }), taskQueue);
    const rig = new ApprovalRig(team, server, taskQueue, new ToolRegistry(), { connection, native }, client);
    rig.tools.add(rig.payments.tool(PAY));
    rig.swap("1");
    await rig.start();
    return rig;
  }

  private async start(): Promise<void> {
    const onTheWay = (workflowId: string, call: CallToolInput) => this.ways.get(workflowId)?.(call) ?? call;
    this.worker = await createWorker({
      connection: this.connections.native,
      namespace: this.server.namespace,
      taskQueue: this.taskQueue,
      tools: this.tools,
      models: createModels({ env: {}, script: PAYER_SCRIPT }),
      people: readPeople(this.team.peopleFile),
      blockedTimeoutMs: 0,
      overrides: {
        interceptors: {
          activity: [
            ({ info }) => ({
              inbound: {
                execute: async (input, next) => {
                  if (info.activityType !== "callTool") return next(input);
                  const [call, ...rest] = input.args as [CallToolInput, ...unknown[]];
                  const arrived = await onTheWay(info.workflowExecution?.workflowId as string, call);
                  return next({ ...input, args: [arrived, ...rest] });
                },
              },
            }),
          ],
        },
      },
    });
    this.running = this.worker.run();
  }

  /** Starts a mission, and waits until it asks. @param cents what it shall pay */
  async asked(cents: number, tool = PAY): Promise<AskedMission> {
    this.orders += 1;
    const payment = { order: this.orders, cents };
    const run = await this.client.startAgent({
      id: `prove-approvals-${randomUUID()}`,
      agent: payer(tool),
      context: { ...payment },
      model: "scripted",
      requested_by: REQUESTER,
    });
    const { workflowId } = run.workflow;
    return { run, id: workflowId, payment, review: await this.openReview(run) };
  }

  /** The review that a mission waits for, as soon as it does. @param except an earlier review that does not count */
  openReview(run: AgentHandle, except?: string): Promise<Review> {
    return this.until("it asks", async () =>
      (await reviewsOf(run)).find(({ status, id }) => status === "open" && id !== except),
    );
  }

  /** What happens to the calls of a mission before they arrive. */
  intercept({ id }: AskedMission, way: OnTheWay): void {
    this.ways.set(id, way);
  }

  /** The worker has this version of the swapped tool from now on. */
  swap(version: string): void {
    this.tools.replace("swapped", []);
    this.tools.add(this.payments.tool(SWAPPED, version), "swapped");
  }

  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    for (const end = Date.now() + MAX_MS; ; ) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end) throw new Error(`It did not happen within ${MAX_MS / 1_000} s that ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** A mission that has not ended would ask the next worker of this queue. */
  async end({ run, id }: AskedMission): Promise<void> {
    this.ways.delete(id);
    await run.workflow.terminate("the proof is over").catch(() => {});
  }

  async close(): Promise<void> {
    this.worker.shutdown();
    await this.running;
    await this.connections.native.close();
    await this.connections.connection.close();
  }
}

/** A mission that has just begun, and waits for the specs of its tools, does not answer yet. */
async function reviewsOf(run: AgentHandle): Promise<Review[]> {
  try {
    return await run.reviews();
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "wrong_kind") return [];
    throw error;
  }
}
