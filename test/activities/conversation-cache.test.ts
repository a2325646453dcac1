import fc from "fast-check";
import { ConversationCache } from "../../src/activities/conversation-cache";
import { conversationDelta, EMPTY_CONVERSATION } from "../../src/core/agent/run/conversation";
import type { Conversation } from "../../src/core/calls/activities";

const textOf = (chars: number): Conversation => ({ system: "x".repeat(chars), messages: [] });

/** A workflow of which any worker may ask the conversation as it stands. */
class Workflow {
  version = 0;
  conversation = EMPTY_CONVERSATION;
  constructor(readonly key: string) {}

  next(conversation: Conversation) {
    const delta = conversationDelta(this.key, this.version, this.conversation, conversation);
    this.version = delta.version;
    this.conversation = conversation;
    return delta;
  }
}

function cacheOf(workflows: Workflow[], maxBytes?: number) {
  const asked: string[] = [];
  const cache = new ConversationCache(async (key) => {
    asked.push(key);
    const { version, conversation } = workflows.find((one) => one.key === key) as Workflow;
    return { version, conversation };
  }, maxBytes);
  return { cache, asked };
}

test("a full cache drops the least recently used conversation", async () => {
  const workflows = ["a", "b", "c"].map((key) => new Workflow(key));
  const [a, b, c] = workflows as [Workflow, Workflow, Workflow];
  const { cache, asked } = cacheOf(workflows, 5_000);
  await cache.conversation(a.next(textOf(1_000)));
  await cache.conversation(b.next(textOf(1_000)));
  await cache.conversation(a.next(textOf(1_001)));
  await cache.conversation(c.next(textOf(1_000)));
  await cache.conversation(a.next(textOf(1_002)));
  expect(asked).toEqual([]);
  await cache.conversation(b.next(textOf(1_001)));
  expect(asked).toEqual(["b"]);
});

test("a conversation that nobody has used for ten minutes is dropped, as one of a mission that ended", async () => {
  let now = 0;
  const workflows = ["ended", "waits", "works"].map((key) => new Workflow(key));
  const [ended, waits, works] = workflows as [Workflow, Workflow, Workflow];
  const asked: string[] = [];
  const fetch = async (key: string) => {
    asked.push(key);
    return workflows.find((one) => one.key === key) as Workflow;
  };
  const cache = new ConversationCache(fetch, undefined, () => now);
  for (const one of [ended, waits, works]) await cache.conversation(one.next(textOf(10)));
  now = 6 * 60_000;
  await cache.conversation(works.next(textOf(11)));
  expect(cache.size).toBe(3);
  now = 12 * 60_000;
  await cache.conversation(works.next(textOf(12)));
  expect(cache.size).toBe(1);
  expect(asked).toEqual([]);
  expect(await cache.conversation(waits.next(textOf(11)))).toEqual(textOf(11));
  expect(asked).toEqual(["waits"]);
});

test("a conversation larger than the cache is served, but not cached", async () => {
  const a = new Workflow("a");
  const { cache, asked } = cacheOf([a], 1_000);
  expect(await cache.conversation(a.next(textOf(900)))).toEqual(textOf(900));
  expect(await cache.conversation(a.next(textOf(901)))).toEqual(textOf(901));
  expect(asked).toEqual(["a"]);
});

test("whichever worker serves the call, the model gets the conversation of the workflow", () => {
  const message = fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), content: fc.string() });
  const conversation = fc.record({ system: fc.string(), messages: fc.array(message, { maxLength: 5 }) });
  const turn = fc.record({ conversation, worker: fc.nat(2), attempts: fc.integer({ min: 1, max: 3 }) });
  return fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
      const workflow = new Workflow("w");
      const workers = [0, 1, 2].map(() => cacheOf([workflow], 400).cache);
      for (const { conversation, worker, attempts } of turns) {
        const delta = workflow.next(conversation);
        for (let attempt = 0; attempt < attempts; attempt++)
          expect(await workers[(worker + attempt) % 3]?.conversation(delta)).toEqual(conversation);
      }
    }),
    { numRuns: 50 },
  );
});
