import { runAgent } from "../../src/core/agent/run/run";
import { createModels, type ModelCall } from "../../src/models";
import { MemoryHost } from "../../src/simulate/memory-host";
import { agentOf, fenced } from "../core/agent/run/mission";
import { CachingAnthropic } from "./caching-anthropic";

const TURNS = 30;

/** A mission that records a task in each turn, on a model that caches: its Step, and what its model was sent. */
async function journaling(options: { format?: number; cache?: boolean } = {}) {
  const server = await new CachingAnthropic((n) =>
    fenced(
      n === TURNS
        ? "(return :done)"
        : `(do (task "order_${n}" {:id ${n} :state "paid"}) (println "order ${n} is paid"))`,
    ),
  ).start();
  const model = createModels({ env: server.env }).resolve("anthropic/claude-cached");
  const calls: ModelCall[] = [];
  const host = new MemoryHost({
    model: { complete: (call, how) => model.complete(calls[calls.push(call) - 1] as ModelCall, how) },
    tools: new Map(),
  });
  const agent = agentOf({ prompt: "Pay all orders.", max_turns: TURNS, turn_budget: TURNS });
  try {
    const step = await runAgent(host, { agent, context: {}, journal: { before: 1 }, model: "any", ...options });
    expect(step).toMatchObject({ fail: null, usage: { turns: TURNS } });
    return { step, calls, requests: server.requests, usage: step.usage as NonNullable<typeof step.usage> };
  } finally {
    await server.close();
  }
}

const textOf = ({ system, messages }: ModelCall) => [system, ...messages.map((one) => JSON.stringify(one))].join("\n");

test("each call of a journaling agent begins with the whole call before, byte for byte", async () => {
  const { calls, requests } = await journaling();
  expect(calls).toHaveLength(TURNS);
  for (let i = 1; i < TURNS; i++) {
    expect(textOf(calls[i] as ModelCall).startsWith(textOf(calls[i - 1] as ModelCall))).toBe(true);
    // The same on the wire, where marks are no part of the text.
    const before = requests[i - 1] as string[];
    expect(requests[i]?.slice(0, before.length)).toEqual(before);
  }
  // And all records are told.
  const last = textOf(calls.at(-1) as ModelCall);
  for (let n = 1; n < TURNS; n++) expect(last).toContain(`- [done] order_${n}: {\\"id\\" ${n} \\"state\\" \\"paid\\"}`);
});

test("the Mission Log breaks no cache: usage shows the hit rate", async () => {
  const [now, without] = [await journaling(), await journaling({ cache: false })];
  expect(now.usage.cache_hit_rate).toBeGreaterThan(0.95);
  expect(without.usage).not.toHaveProperty("cache_hit_rate");
  const { cache_read_tokens = 0, input_tokens = 0 } = now.usage;
  expect(now.usage.cache_hit_rate).toBeCloseTo(cache_read_tokens / input_tokens, 3);
});
