import { setTimeout as sleep } from "node:timers/promises";
import type { NavigatorClient } from "../../src/client/client";
import type { Json } from "../../src/core/base/json";
import type { InboxItem } from "../../src/core/review/inbox/inbox-item";
import type { Outside } from "./service";

const LOOK_MS = 1_000;

/** A person who answers all that is asked, unless she is away. */
export class Person {
  isAway = false;
  /** She lets questions about effects of unknown outcome wait. */
  ignoresUnknown = false;
  decisions = 0;
  private works = true;
  private readonly working: Promise<void>;

  constructor(
    private readonly client: NavigatorClient,
    private readonly outside: Pick<Outside, "charges">,
  ) {
    this.working = this.work();
  }

  async stop(): Promise<void> {
    this.works = false;
    await this.working;
  }

  private async work(): Promise<void> {
    for (; this.works; await sleep(LOOK_MS)) {
      if (this.isAway) continue;
      // The server, or all workers, may be away: she looks again later.
      await this.answerAll().catch(() => {});
    }
  }

  private async answerAll(): Promise<void> {
    const { items } = await this.client.inbox({ size: 100 });
    for (const item of items) {
      if (this.isAway || !this.works) return;
      await this.answer(item).catch(() => {});
    }
  }

  private async answer({ kind, workflow_id, review }: InboxItem): Promise<void> {
    if (kind === "parked") await this.client.agent(workflow_id).recordDecision({ id: "ok", value: "yes", by: BY });
    if (review === undefined) return;
    if (kind !== "unknown_effect")
      await this.client.reviewed(workflow_id).decide({ review: review.id, by: BY, choice: choiceOf(review.choices) });
    else if (!this.ignoresUnknown) await this.findOut(workflow_id, review.id);
    else return;
    this.decisions += 1;
  }

  /** She looks into the other system, by the key of the call. */
  private async findOut(workflowId: string, review: string): Promise<void> {
    const asked = (await this.client.reviewed(workflowId).reviews()).find(({ id }) => id === review);
    const what = this.outside.charges.get(String((asked?.data as { key?: string } | undefined)?.key));
    const said: { choice: string; value?: Json } =
      what === undefined
        ? { choice: "did_not_happen" }
        : { choice: "it_happened", value: { n: Number(what.split("/")[0]) } };
    await this.client.reviewed(workflowId).decide({ review, by: BY, ...said });
  }
}

const BY = "anna";

const choiceOf = (choices: readonly string[]): string =>
  ["approve", "passed"].find((one) => choices.includes(one)) ?? (choices[0] as string);
