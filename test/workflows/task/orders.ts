import type { NavigatorClient } from "../../../src/client/client";
import type { TaskHandle } from "../../../src/client/handles";
import { type Rig, sharedRigs } from "../../support/rig";
import { endOrders, openShop, SCRIPT, type Shop, type Start, startOrder } from "./order-graph";

/** What each test of a file gets anew: a shop with tools that count, a worker that has them, and a client. */
export interface Orders {
  readonly shop: Shop;
  readonly client: NavigatorClient;
  /** Starts the order graph with agents, unless told otherwise; `shop: undefined` leaves every node to be driven from outside. */
  start(what?: Partial<Start>): Promise<TaskHandle>;
  /** The worker goes, and another comes on a task queue of its own. */
  reopen(options: Options): Promise<void>;
}

type Options = Parameters<ReturnType<typeof sharedRigs>>[0];

export function useOrders(): Orders {
  const openRig = sharedRigs();
  let shop: Shop;
  let rig: Rig;
  beforeEach(async () => {
    shop = openShop();
    rig = await openRig({ tools: shop.tools, script: SCRIPT });
  });
  // What is still waiting is ended: tasks that nobody serves any more slow down everyone who lists them.
  afterEach(async () => {
    await endOrders(rig.client);
    await rig.stop();
  });
  return {
    get shop() {
      return shop;
    },
    get client() {
      return rig.client;
    },
    start: (what) => startOrder(rig.client, { shop, ...what }),
    reopen: async (options) => {
      await rig.stopWorker();
      await rig.stop();
      rig = await openRig(options);
    },
  };
}

export const decide = (handle: TaskHandle, review: string, choice: string) =>
  handle.decide({ review, choice, by: "anna" });

/** What the Temporal Web UI shows of a running task. */
export async function detailsOf(handle: TaskHandle): Promise<string> {
  const metadata = await handle.workflow.query<{ currentDetails?: string }>("__temporal_workflow_metadata");
  return metadata.currentDetails ?? "";
}
