import { NavigatorClient } from "../../src/client/client";
import type { Setting } from "../setting";
import { agentOf, check, progress, runsOf, tell } from "./facts";

/** The replies of the flooded agent: it parks, and takes what was decided. */
export const FLOODED = ["```clojure\n(return {:status :waiting})\n```", '```clojure\n(return (task "ok" nil))\n```'];

/** A parked run that is flooded with refused signals, and whose worker is killed (SIGKILL) in the middle. */
export async function flood(setting: Setting, count: number, senders: number): Promise<void> {
  const queue = setting.queue("flood");
  const client = new NavigatorClient(setting.client, queue);
  let worker = await setting.worker("navigator", queue);
  let kills = 0;
  let signals = count;
  const agent = agentOf("flooded", { tools: [] });
  const run = await client.startAgent({ id: `flooded-${Date.now()}`, agent, model: "scripted" });
  const id = run.workflow.workflowId;
  const handle = client.temporal.workflow.getHandle(id);
  while ((await run.status()).state !== "waiting") await new Promise((resolve) => setTimeout(resolve, 100));
  const refusals = new Map<string, number>();
  let sent = 0;
  const send = async (): Promise<void> => {
    try {
      await handle.signal("recordDecision", { id: "", value: 1, by: "flood" });
    } catch (error) {
      const why = reasonOf(error);
      refusals.set(why, (refusals.get(why) ?? 0) + 1);
    }
  };
  const step = Math.max(100, Math.round(count / 10));
  const started = Date.now();
  const sender = async (): Promise<void> => {
    while (sent < signals) {
      sent += 1;
      if (sent === Math.round(count / 2)) {
        await worker.kill();
        kills += 1;
        worker = await setting.worker("navigator", queue);
      }
      if (sent % step === 0) progress(`${sent} signals in ${((Date.now() - started) / 1_000).toFixed(0)} s`);
      await send();
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  progress(`${sent} signals in ${((Date.now() - started) / 1_000).toFixed(0)} s; anna decides in the middle of more`);
  signals += 1_000;
  const more = Promise.all(Array.from({ length: senders }, sender));
  const decided = Date.now();
  await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
  const answered = Date.now() - decided;
  await more;
  const end = await run.result();
  tell("a parked run in a flood", {
    "signals sent": sent,
    "workers killed with -9": kills,
    "ms until the decision was answered": answered,
    "signals that the server turned away": [...refusals.values()].reduce((sum, n) => sum + n, 0),
    ...Object.fromEntries([...refusals].map(([why, n]) => [`  ${why}`, n])),
    seconds: ((Date.now() - started) / 1_000).toFixed(0),
    returned: JSON.stringify(end.return),
    ...(await runsOf(client, id)),
  });
  check(end.return === "yes", "the decision is taken");
}

/** Why the server turned a call away. */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { details?: string } }).cause;
  return (cause?.details ?? (error as Error).message).slice(0, 80);
}
