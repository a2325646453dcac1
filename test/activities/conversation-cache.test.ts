import fc from "fast-check";
import { ConversationCache } from "../../src/activities/conversation-cache";
import { conversationDelta, EMPTY_CONVERSATION } from "../../src/core/agent/run/conversation";
import type { Json, JsonObject } from "../../src/core/base/json";
import { jsonDelta } from "../../src/core/base/json/json-delta";
import type { Conversation } from "../../src/core/calls/model-call";
import type { RunAsAsked } from "../../src/core/calls/run-calls";
import { assertProperty } from "../support/run/property";

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
  return assertProperty(
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

/** A workflow that gives its run as well, as the difference to an earlier call. */
class SharingWorkflow extends Workflow {
  n = 0;
  snapshot: RunAsAsked = { run: {}, state: {} };

  share(state: JsonObject, { from = this.n } = {}) {
    const next = { run: { agent: "a" }, state };
    const before = (from === 0 ? {} : this.snapshot) as unknown as Json;
    const delta = jsonDelta(before, next);
    this.n += 1;
    this.snapshot = next;
    return { n: this.n, run: { base: from, ...(delta === undefined ? {} : { delta }) } };
  }

  get answer() {
    const { version, conversation, n, snapshot } = this;
    return { version, conversation, run: { n, snapshot } };
  }
}

test("whichever worker serves the call, it has the run as it asked", () => {
  const state = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })) as fc.Arbitrary<JsonObject>;
  const turn = fc.record({ state, worker: fc.nat(2), attempts: fc.integer({ min: 1, max: 3 }), text: fc.string() });
  return assertProperty(
    fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
      const workflow = new SharingWorkflow("w");
      const workers = [0, 1, 2].map(() => new ConversationCache(async () => workflow.answer, 2_000));
      for (const { state, worker, attempts, text } of turns) {
        const delta = workflow.next({ system: text, messages: [] });
        const { n, run } = workflow.share(state);
        for (let attempt = 0; attempt < attempts; attempt++) {
          const known = await workers[(worker + attempt) % 3]?.withRun(delta, n, run);
          expect(known?.conversation).toEqual(workflow.conversation);
          expect(JSON.stringify(known?.run?.snapshot)).toBe(JSON.stringify(workflow.snapshot));
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("a run that cannot be known does not keep the model from being asked", async () => {
  const workflow = new SharingWorkflow("w");
  const nobody = new ConversationCache(async () => {
    throw new Error("nobody answers");
  });
  const first = workflow.next(textOf(10));
  await nobody.conversation(first);
  workflow.share({ turn: 1 });
  const second = workflow.next(textOf(11));
  const { n, run } = workflow.share({ turn: 2 });
  expect(await nobody.withRun(second, n, run)).toEqual({ conversation: textOf(11) });
  // The workflow is further already: its run is not the one that the call was made with.
  const later = new ConversationCache(async () => ({ ...workflow.answer, run: { n: 7, snapshot: workflow.snapshot } }));
  expect(await later.withRun(second, n, run)).toEqual({ conversation: textOf(11) });
});

test("a turn without the run leaves the run that is known", async () => {
  const workflow = new SharingWorkflow("w");
  const { cache, asked } = cacheOf([workflow]);
  const one = workflow.share({ turn: 1 });
  await cache.withRun(workflow.next(textOf(1)), one.n, one.run);
  await cache.conversation(workflow.next(textOf(2)));
  const three = workflow.share({ turn: 3 });
  const { run } = await cache.withRun(workflow.next(textOf(3)), three.n, three.run);
  expect([run?.snapshot.state, asked]).toEqual([{ turn: 3 }, []]);
});

test("a run counts with its bytes, also one that was asked for", async () => {
  const workflow = new SharingWorkflow("w");
  const { cache, asked } = cacheOf([workflow], 20_000);
  await cache.conversation(workflow.next(textOf(1)));
  workflow.share({});
  const large = workflow.share({ text: "x".repeat(20_000) });
  const fetching = new ConversationCache(async () => workflow.answer, 20_000);
  await fetching.conversation(workflow.next(textOf(2)));
  await fetching.withRun(workflow.next(textOf(3)), large.n, large.run);
  // It has no room.
  expect([fetching.size, cache.size, asked]).toEqual([0, 1, []]);
});
