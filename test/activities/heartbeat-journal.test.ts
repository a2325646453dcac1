import {
  ActivityCancelledError,
  ActivityCompletionError,
  ActivityNotFoundError,
  type Client,
} from "@temporalio/client";
import { ActivityCancellationDetails } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { HeartbeatJournal } from "../../src/activities/heartbeat-journal";

/** What the server was sent, and what it does with each heartbeat. */
let sent: unknown[];
let answer: (details: unknown) => Promise<void>;
beforeEach(() => {
  sent = [];
  answer = async () => {};
});

const client = {
  withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
  activity: {
    heartbeat: async (_token: Uint8Array, details: unknown) => {
      sent.push(details);
      await answer(details);
    },
  },
} as unknown as Client;

const inActivity = <T>(work: () => Promise<T>, heartbeatDetails?: unknown): Promise<T> =>
  new MockActivityEnvironment({ heartbeatDetails }, { client }).run<[], T, () => Promise<T>>(work);

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("what is kept was taken by the server when `keep` resolves; the next attempt has it", async () => {
  let take = () => {};
  answer = () =>
    new Promise((resolve) => {
      take = resolve;
    });
  await inActivity(async () => {
    const journal = HeartbeatJournal.open<string>();
    expect(journal.kept).toBe("before");
    let isKept = false;
    const keeping = journal.keep("one").then(() => {
      isKept = true;
    });
    await turn();
    expect([sent, isKept]).toEqual([["one"], false]);
    take();
    await keeping;
    journal.close();
  }, "before");
});

test("heartbeats go out one after the other, each with what was kept last", async () => {
  const takes: (() => void)[] = [];
  answer = () => new Promise((resolve) => void takes.push(resolve));
  await inActivity(async () => {
    const journal = HeartbeatJournal.open<number>();
    const keeping = [journal.keep(1), journal.keep(2)];
    journal.store(3);
    await turn();
    expect(sent).toHaveLength(1);
    takes[0]?.();
    await turn();
    expect(sent.at(-1)).toBe(3);
    takes[1]?.();
    await Promise.all(keeping);
    journal.close();
  });
});

test("while nothing is kept, the server hears that the worker lives", () =>
  inActivity(async () => {
    const journal = HeartbeatJournal.open<string>();
    journal.store("put");
    while (sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(new Set(sent)).toEqual(new Set(["put"]));
    journal.close();
  }));

test("a server that knows the activity no more ends it at once", () =>
  inActivity(async () => {
    const journal = HeartbeatJournal.open<string>();
    answer = () => Promise.reject(new ActivityNotFoundError("gone"));
    await journal.keep("one");
    const { isEnding, isStopped, isGivenUp, signal } = journal;
    expect([isEnding, isStopped, isGivenUp, (signal.reason as Error).message]).toEqual([true, true, true, "gone"]);
    journal.close();
  }));

test("a server that cannot be reached is waited for: what is kept reaches it, and the activity continues", () =>
  inActivity(async () => {
    const journal = HeartbeatJournal.open<string>();
    const lines = [new ActivityCompletionError("unavailable"), new ActivityCompletionError("unavailable")];
    answer = async () => {
      const error = lines.shift();
      if (error !== undefined) throw error;
    };
    await journal.keep("one");
    expect([sent, journal.isStopped]).toEqual([["one", "one", "one"], false]);
    journal.close();
  }));

test("a cancelled activity begins nothing more; whether it ends at once is asked, and asked again", async () => {
  answer = () => Promise.reject(new ActivityCancelledError("cancelled"));
  const asked: boolean[] = [];
  await inActivity(async () => {
    const endsAtOnce = async () => {
      asked.push(true);
      if (asked.length === 1) throw new Error("nobody answers");
      return asked.length === 3;
    };
    const journal = HeartbeatJournal.open<string>({ endsAtOnce });
    await journal.keep("one");
    await turn();
    expect([journal.isEnding, journal.isStopped]).toEqual([true, false]);
    await new Promise<void>((resolve) => journal.signal.addEventListener("abort", () => resolve()));
    expect(asked).toHaveLength(3);
    journal.close();
  });
});

test.each([
  ["a worker that shuts down ends it at once", "WORKER_SHUTDOWN", { isWorkerShutdown: true }, true],
  ["a cancellation that the SDK tells is one, too", "CANCELLED", { isCancelled: true }, false],
] as const)("%s", async (_, reason, details, isStopped) => {
  const environment = new MockActivityEnvironment({}, { client });
  await environment.run(async () => {
    const journal = HeartbeatJournal.open<string>({ endsAtOnce: async () => false });
    environment.cancel(reason, ActivityCancellationDetails.fromProto(details));
    expect([journal.isEnding, journal.isStopped]).toEqual([true, isStopped]);
    journal.close();
  });
});

test("handed over, the SDK sends what is kept, after what was under way", async () => {
  const environment = new MockActivityEnvironment({}, { client });
  const bySdk: unknown[] = [];
  environment.on("heartbeat", (details) => bySdk.push(details));
  let take = () => {};
  answer = () =>
    new Promise((resolve) => {
      take = resolve;
    });
  await environment.run(async () => {
    const journal = HeartbeatJournal.open<string>();
    const keeping = journal.keep("one");
    await turn();
    journal.handOver();
    const later = journal.keep("two");
    await turn();
    expect([sent, bySdk]).toEqual([["one"], []]);
    take();
    await Promise.all([keeping, later]);
    expect([sent, bySdk]).toEqual([["one"], ["two"]]);
    journal.store("three");
    while (bySdk.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    expect([sent.slice(0, 1), bySdk.at(-1)]).toEqual([["one"], "three"]);
    journal.close();
  });
});

test("opened for the SDK it gives one only when it is sent at once; taken back, what is kept is waited for", async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 500 }, { client });
  const bySdk: { at: number; details: unknown }[] = [];
  environment.on("heartbeat", (details) => bySdk.push({ at: performance.now(), details }));
  await environment.run(async () => {
    const journal = HeartbeatJournal.open<string>({ isHandedOver: true });
    journal.store("put");
    while (bySdk.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const [n, { at }] of bySdk.entries())
      if (n > 0) expect(at - (bySdk[n - 1]?.at ?? 0)).toBeGreaterThanOrEqual(0.8 * 500);
    expect(bySdk.at(-1)?.details).toBe("put");
    await journal.takeBack();
    sent = [];
    const last = bySdk.at(-1)?.at ?? 0;
    expect(performance.now() - last).toBeGreaterThanOrEqual(49);
    const count = bySdk.length;
    await journal.keep("kept");
    expect([sent, journal.last, bySdk.length]).toEqual([["kept"], "kept", count]);
    journal.close();
  });
});

test("handed over, one of its own comes between two of the SDK; that it fails changes nothing, a cancellation is heard", async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 500 }, { client });
  const all: string[] = [];
  const count = (one: string) => all.filter((given) => given === one).length;
  environment.on("heartbeat", () => all.push("sdk"));
  const errors = [new Error("away"), new ActivityNotFoundError("gone"), new ActivityCancelledError("cancelled")];
  let takes = () => {};
  const taken = new Promise<void>((resolve) => {
    takes = resolve;
  });
  answer = async () => {
    all.push("own");
    const error = errors.shift();
    if (error !== undefined) throw error;
    await taken;
  };
  await environment.run(async () => {
    const journal = HeartbeatJournal.open<string>({ isHandedOver: true, endsAtOnce: async () => false });
    const hasEnded = () => journal.isEnding;
    while (!hasEnded()) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([journal.isStopped, errors]).toEqual([false, []]);
    // One that the server does not answer holds up none of the SDK; taken back, what is kept comes behind it.
    while (count("own") < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = count("sdk");
    while (count("sdk") < before + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    let isTaken = false;
    const back = journal.takeBack().then(() => {
      isTaken = true;
    });
    await turn();
    expect(isTaken).toBe(false);
    takes();
    await back;
    journal.close();
  });
  expect(count("own")).toBe(4);
  expect(all.join(" ")).not.toContain("own own");
});
