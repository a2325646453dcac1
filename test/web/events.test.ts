import { Hono } from "hono";
import type { StreamEntry } from "../../src/core/history/stream/entry";
import type { ModelCall } from "../../src/models";
import { createModels } from "../../src/models";
import type { SharedReads } from "../../src/node/streams/shared-reads";
import type { WebEnv } from "../../src/web/context/context";
import type { MissionTail, MissionTails } from "../../src/web/events/mission-tail";
import { eventRoutes } from "../../src/web/routes/events";
import { gate } from "../support/gate";
import { agent } from "../support/rig";
import { until } from "../support/until";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** What happens in a mission, as it happens (web reference, section 5): the stream itself. */

/** What the model of one mission says in each call, and when: a text is said, a gate is waited for, an error ends the call. */
type Part = string | { wait: Promise<void> } | Error;

const scripts = new Map<string, Part[][]>();

/** How often the model of each mission was called. */
const called = new Map<string, number>();

/** What failed is not said again. What was said to its end is: an attempt may be lost with its worker. */
const house = {
  complete: async ({ agent }: ModelCall, { onText }: { onText?: (piece: string) => void }) => {
    const name = agent ?? "";
    called.set(name, (called.get(name) ?? 0) + 1);
    const left = scripts.get(name) ?? [];
    const [script = []] = left;
    let content = "";
    for (const part of script) {
      if (part instanceof Error) {
        if (left[0] === script) left.shift();
        throw part;
      }
      if (typeof part === "string") {
        content += part;
        onText?.(part);
      } else await part.wait;
    }
    return { content, tokens: { input: 10, output: 5 } };
  },
};

let control: MissionControl;

beforeAll(async () => {
  control = await openMissionControl({ models: createModels({ env: {}, models: { "house/slow": house } }) });
});
afterAll(async () => {
  await control?.stop();
});

const speaks = async (id: string, ...attempts: Part[][]) => {
  scripts.set(id, attempts);
  const llm_retry = { max_attempts: 3, backoff: "constant", base_delay: 1 };
  const definition = agent({ name: id, prompt: "Tell it.", output: "text", llm_retry });
  return control.client.startAgent({ agent: definition, id, model: "house/slow" });
};

/** A reader of the stream, who may be cut off at any time. */
async function read(id: string, last?: string) {
  const stopping = new AbortController();
  const response = await control.fetch(`/api/runs/${encodeURIComponent(`agent/${id}`)}/events`, {
    signal: stopping.signal,
    ...(last === undefined ? {} : { headers: { "last-event-id": last } }),
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const told: { event: string; data: string; id: string }[] = [];
  const ended = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
        rest = blocks.pop() as string;
        for (const block of blocks) {
          const fields = Object.fromEntries(
            block.split("\n").map((line) => [line.split(": ")[0], line.slice(line.indexOf(": ") + 2)]),
          );
          if (fields.event !== undefined) told.push(fields as never);
        }
      }
    } catch {
      // It was cut off.
    }
  })();
  const entries = (): StreamEntry[] =>
    told.filter(({ event }) => event === "text").flatMap(({ data }) => JSON.parse(data));
  return { told, entries, ended, last: () => told.at(-1)?.id, cut: () => stopping.abort() };
}

/** What the last attempt has said. @param readers one after the other, from the first entry on */
function said(...readers: { entries(): StreamEntry[] }[]): string {
  const entries = readers.flatMap((one) => one.entries());
  const last = entries.filter(({ type }) => type === "begin").at(-1)?.attempt_id;
  return entries.flatMap((entry) => (entry.type === "text" && entry.attempt_id === last ? [entry.text] : [])).join("");
}

describe("the stream", () => {
  test("a reader who is cut off goes on with Last-Event-ID: each piece of text comes exactly once, and every entry", async () => {
    const [second, third] = [gate(), gate()];
    const run = await speaks("cut", ["one ", { wait: second.opened }, "two ", { wait: third.opened }, "three"]);
    const first = await read("cut");
    await until(async () => said(first) === "one ", "the first piece comes");
    first.cut();
    await first.ended;
    second.open();
    const next = await read("cut", first.last());
    await until(
      async () => said(first, next) === "one two ",
      "the second piece comes, and the first does not come again",
    );
    next.cut();
    await next.ended;
    third.open();
    await run.result();
    const rest = await read("cut", next.last());
    await rest.ended;
    expect(rest.told.at(-1)?.event).toBe("over");
    const all = [first, next, rest];
    expect(said(...all)).toBe("one two three");
    const texts = all.flatMap(({ told }) =>
      told.filter(({ event }) => event === "timeline").map(({ data }) => JSON.parse(data).entry.text),
    );
    expect(new Set(texts)).toEqual(
      new Set((await control.get("/api/runs/agent%2Fcut")).projection.timeline.map((e: { text: string }) => e.text)),
    );
  });

  test("readers of one mission share what is read from the server", async () => {
    const more = gate();
    const run = await speaks("shared", ["a", { wait: more.opened }, "b"]);
    const { workflowService } = control.client.temporal.workflow;
    const first = await read("shared");
    await until(async () => said(first) === "a", "the first piece comes");
    const polls = jest.spyOn(workflowService, "getWorkflowExecutionHistory");
    const readers = await Promise.all(Array.from({ length: 20 }, () => read("shared")));
    await until(async () => readers.every((one) => said(one) === "a"), "all have the first piece");
    expect(polls).not.toHaveBeenCalled();
    more.open();
    await run.result();
    await Promise.all([first, ...readers].map((one) => one.ended));
    // Those of the one tail: were each reader to ask, there were more than readers.
    expect(polls.mock.calls.length).toBeLessThan(readers.length);
    polls.mockRestore();
    for (const one of readers) {
      expect(said(one)).toBe("ab");
      expect(one.told.at(-1)?.event).toBe("over");
    }
  });

  test("the stream of a mission that is over ends at once, with all that was said", async () => {
    const reader = await read("shared");
    await reader.ended;
    expect(said(reader)).toBe("ab");
    expect(reader.told.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["hello", "timeline", "end", "text", "over"]),
    );
  });

  test("a mission that is not there, and a place of another stream, are refused", async () => {
    expect(await control.refused("/api/runs/agent%2Fnobody/events")).toMatchObject({ status: 404, code: "not_found" });
    const headers = { "last-event-id": "x" };
    expect(await control.refused("/api/runs/agent%2Fcut/events", { headers })).toMatchObject({
      code: "invalid_input",
      details: { path: "Last-Event-ID" },
    });
  });

  test("when the server stops, a reader is cut off, and not told that the mission is over", async () => {
    const more = gate();
    const run = await speaks("stopped", ["a", { wait: more.opened }, "b"]);
    const reader = await read("stopped");
    await until(async () => said(reader) === "a", "the first piece comes");
    await control.stopWeb();
    await reader.ended;
    expect(reader.told.map(({ event }) => event)).not.toContain("over");
    await control.startWeb();
    await until(async () => (await control.fetch("/api/missions/counts")).ok, "the server answers again");
    more.open();
    const next = await read("stopped", reader.last());
    await Promise.all([run.result(), next.ended]);
    expect(said(reader, next)).toBe("ab");
  });
});

test("a reader who takes nothing is cut off, and holds nothing", async () => {
  const app = new Hono<WebEnv>();
  const leave = jest.fn();
  const tail = {
    isOver: false,
    isStopped: false,
    reportedUntil: 0,
    subscribe: () => () => {},
  } as unknown as MissionTail;
  const tails = { join: async () => ({ tail, leave }) } as unknown as MissionTails;
  const reads = {
    read: async (_: string, next: number) => ({
      entries: [{ type: "text", attempt_id: "a", text: "x".repeat(100_000) }],
      next: next + 1,
    }),
  } as unknown as SharedReads;
  eventRoutes(app as never, control.context, { tails, reads }, { aliveMs: 20 });
  // Its body is never read.
  const response = await app.request("/api/runs/agent%2Fx/events");
  await until(async () => leave.mock.calls.length > 0, "the reader is given up");
  expect(response.status).toBe(200);
});
